//! Why a request was refused: canonical codes, and statuses with the outcome of each part of a
//! request (P4Runtime specification 1.5, "Error Reporting Messages").

use prost::Message;
use prost_types::Any;
pub use tonic::Code;

use crate::proto::google::rpc;
use crate::proto::v1;

/// Why a part of a request was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// The canonical code.
    pub code: Code,
    /// For the people who write the controller.
    pub message: String,
}

/// The name of the type in the details of a status.
const ERROR_TYPE: &str = "type.googleapis.com/p4.v1.Error";

impl Problem {
    /// With this code.
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

    pub(crate) fn denied(message: impl Into<String>) -> Self {
        Self::new(Code::PermissionDenied, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Code::Unimplemented, message)
    }

    /// The same with the place where it occurred in front of the message.
    pub(crate) fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// As the details of a status have it.
    pub fn to_error(&self) -> v1::Error {
        v1::Error { canonical_code: self.code as i32, message: self.message.clone(), ..v1::Error::default() }
    }
}

impl From<Problem> for tonic::Status {
    fn from(problem: Problem) -> Self {
        Self::new(problem.code, problem.message)
    }
}

/// The status of a request of `count` parts, some of which failed; parts that are not listed are
/// OK. `failed` is in ascending order of positions. The details have an entry for each part.
pub(crate) fn status_of_parts(what: &str, count: usize, failed: &[(usize, Problem)]) -> tonic::Status {
    let first = failed.first().map_or(String::new(), |(at, problem)| format!("; {what} {at}: {problem}"));
    let message = format!("{} of {count} {what}s failed{first}", failed.len());
    let ok = Any { type_url: ERROR_TYPE.to_owned(), value: Vec::new() };
    let mut details = vec![ok; count];
    for (at, problem) in failed {
        if let Some(detail) = details.get_mut(*at) {
            detail.value = problem.to_error().encode_to_vec();
        }
    }
    let code = Code::Unknown;
    let status = rpc::Status { code: code as i32, message: message.clone(), details };
    tonic::Status::with_details(code, message, status.encode_to_vec().into())
}

/// An error with its causes.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
