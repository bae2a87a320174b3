//! The reasons why a server refused a request.

use std::fmt;

use prost::Message;
use tonic::{Code, Status};

use crate::proto::FIRST_FAILURE;
use crate::proto::google::rpc;
use crate::proto::v1;

/// A refusal: the error, and the update of the batch that caused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The error in words.
    pub message: String,
    /// The canonical code of gRPC; `None` if the server was not reached.
    pub code: Option<i32>,
    /// The first update that is wrong, counted from 0.
    pub update: Option<usize>,
}

impl Refusal {
    /// Creates an error on the client side.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: None, update: None }
    }

    /// Creates the error for a refusal that the server sent.
    pub(super) fn by_server(status: &Status) -> Self {
        let outcomes = outcomes(status);
        let is = |outcome: &v1::Error, codes: &[Code]| {
            codes.iter().any(|code| outcome.canonical_code == *code as i32)
        };
        // An update that failed only because of another update is not reported, because the other
        // one contains the mistake.
        let failed = outcomes
            .iter()
            .position(|outcome| !is(outcome, &[Code::Ok, Code::Aborted]))
            .or_else(|| outcomes.iter().position(|outcome| !is(outcome, &[Code::Ok])));
        let Some(update) = failed else {
            let first =
                status.metadata().get(FIRST_FAILURE).and_then(|first| first.to_str().ok()?.parse().ok());
            let code = status.code();
            let message = [status.message(), code.description()].into_iter().find(|text| !text.is_empty());
            let message = message.unwrap_or_default().to_owned();
            return Self { message, code: Some(code as i32), update: first };
        };
        let code = Code::from_i32(outcomes[update].canonical_code);
        let texts = [outcomes[update].message.as_str(), status.message(), code.description()];
        let message = texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned();
        Self { message, code: Some(code as i32), update: failed }
    }

    /// Returns whether the object already exists in the server.
    pub fn is_already_there(&self) -> bool {
        self.code == Some(Code::AlreadyExists as i32)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for weir_control::Error {
    fn from(refused: Refusal) -> Self {
        Self::new(refused.message)
    }
}

/// Returns the outcomes of a batch's updates, from the details of a status (P4Runtime specification
/// 1.5, "Error Reporting").
fn outcomes(status: &Status) -> Vec<v1::Error> {
    let Ok(details) = rpc::Status::decode(status.details()) else { return Vec::new() };
    details.details.iter().filter_map(|any| v1::Error::decode(&any.value[..]).ok()).collect()
}

/// Returns the error for an operation that the protocol has no request for.
pub(super) fn not_in_protocol(what: &str) -> weir_control::Error {
    weir_control::Error::new(format!("P4Runtime has no request for {what}"))
}
