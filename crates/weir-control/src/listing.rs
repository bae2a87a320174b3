//! Lists of names.

/// Lists names for a message: the first eight names, and the number of further names; `none` for an
/// empty list.
pub fn listing<T: std::fmt::Display>(names: impl IntoIterator<Item = T>) -> String {
    /// The maximum number of names that a list in a message shows.
    const MAX_SHOWN_NAMES: usize = 8;
    let names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count <= MAX_SHOWN_NAMES => names.join(", "),
        count => format!("{} and {} more", names[..MAX_SHOWN_NAMES].join(", "), count - MAX_SHOWN_NAMES),
    }
}
