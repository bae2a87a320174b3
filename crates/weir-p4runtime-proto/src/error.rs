//! Errors between server and client.

/// The field of the trailers with the number of the first failed part of a request, counted from 0,
/// if the details of the parts do not fit. No other server sends it.
pub const FIRST_FAILURE: &str = "weir-first-failure";

/// An error with its causes, without repetitions.
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
