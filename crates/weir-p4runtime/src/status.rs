//! The reasons why requests are refused: canonical codes and messages (P4Runtime specification 1.5,
//! "Error Reporting Messages").

pub use tonic::Code;

use crate::proto::v1;

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

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    pub(crate) fn out_of_range(message: impl Into<String>) -> Self {
        Self::new(Code::OutOfRange, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    pub(crate) fn permission_denied(message: impl Into<String>) -> Self {
        Self::new(Code::PermissionDenied, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Code::Unimplemented, message)
    }

    /// Adds the place of the problem in front of the message.
    pub(crate) fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// Converts the problem to its form in a status's details.
    pub fn to_error(&self) -> v1::Error {
        v1::Error { canonical_code: self.code as i32, message: self.message.clone(), ..v1::Error::default() }
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
