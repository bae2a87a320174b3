//! The errors of `tc` commands.

/// A `tc` command that cannot be parsed or does not fit the current configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{line}`: {message}{}", suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?")))]
pub struct TcError {
    /// The whole command.
    pub line: String,
    /// A description of the mistake and of the expected value.
    pub message: String,
    /// The nearest valid word.
    pub suggestion: Option<String>,
}
