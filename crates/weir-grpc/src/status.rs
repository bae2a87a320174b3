//! The reasons why requests are refused: canonical codes and messages.

pub use tonic::Code;

/// The reason why a part of a request was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// The canonical code.
    pub code: Code,
    /// The message for authors of controllers.
    pub message: String,
}

/// The maximum length of the message of a status without details, in bytes on the wire. gRPC's
/// libraries accept 8 KiB of trailers by default.
const MAX_MESSAGE_BYTES: usize = 7680;

impl Problem {
    /// Creates a problem with this code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Creates a problem with an argument.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// Creates a problem with a number that is too large or too small.
    pub fn out_of_range(message: impl Into<String>) -> Self {
        Self::new(Code::OutOfRange, message)
    }

    /// Creates a problem with an object that does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// Creates a problem with a client that has no right.
    pub fn permission_denied(message: impl Into<String>) -> Self {
        Self::new(Code::PermissionDenied, message)
    }

    /// Creates a problem with a request that the server does not support.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Code::Unimplemented, message)
    }

    /// Adds the place of the problem in front of the message.
    #[must_use]
    pub fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

impl From<Problem> for tonic::Status {
    fn from(problem: Problem) -> Self {
        Self::new(problem.code, shorten(problem.message, MAX_MESSAGE_BYTES))
    }
}

/// Returns the maximum number of bytes of a message in HTTP/2 trailers. gRPC writes three bytes for
/// each byte that is not a plain ASCII character.
pub(crate) fn encoded_len(message: &str) -> usize {
    message.chars().map(encoded_len_of).sum()
}

fn encoded_len_of(letter: char) -> usize {
    let is_plain = letter.is_ascii_alphanumeric() || "-_.,:;/()[]'=+*".contains(letter);
    if is_plain { 1 } else { 3 * letter.len_utf8() }
}

/// Cuts the message to at most `room` bytes in the trailers.
pub(crate) fn shorten(message: String, room: usize) -> String {
    if encoded_len(&message) <= room {
        return message;
    }
    let end = format!(" … (cut: {} bytes)", message.len());
    let mut left = room.saturating_sub(encoded_len(&end));
    let fits = |letter: &char| {
        let fits = encoded_len_of(*letter) <= left;
        left = left.saturating_sub(encoded_len_of(*letter));
        fits
    };
    message.chars().take_while(fits).collect::<String>() + &end
}
