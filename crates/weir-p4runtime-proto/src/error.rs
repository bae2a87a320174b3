//! Errors between server and client.

/// The trailer that contains the number of the first failed part of a request, counted from 0. The
/// server sends it if the details of all parts do not fit. Only Weir's server sends this trailer.
pub const FIRST_FAILURE: &str = "weir-first-failure";

/// Returns the text of an error and of its causes, without repetitions.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}
