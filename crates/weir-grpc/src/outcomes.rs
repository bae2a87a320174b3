//! Reports the outcome of each part of a request in the status, as far as the status has room.
//!
//! A status travels in the trailers of HTTP/2, and clients limit those: gRPC's own libraries accept
//! 8 KiB by default, hyper's 16 KiB. A client that receives more sees an HTTP/2 error in place of
//! the status. Therefore, if the status is too large, the messages are left out first, and then the
//! outcomes.

use prost::{Message, length_delimiter_len};
use prost_types::Any;
use tonic::Code;

use weir_p4runtime_proto::FIRST_FAILURE;
use weir_p4runtime_proto::google::rpc;

use crate::status::{Problem, encoded_len, shorten};

/// The maximum size of the message within [`TRAILER_BYTES`], in bytes on the wire.
const MAX_MESSAGE_BYTES: usize = 2048;

/// The number of failures that the message quotes.
const MAX_QUOTED_FAILURES: usize = 5;

/// The errors of parts in the details of a status, which each protocol has as a message of its own.
#[derive(Clone, Copy, Debug)]
pub struct ErrorForm {
    /// The type URL of the messages. The first two fields of the messages are the canonical code
    /// and the message.
    pub type_url: &'static str,
    /// Whether the details have an entry for each part of the request. Otherwise, they end with the
    /// last failure.
    pub has_all: bool,
    /// The maximum size of the trailers, in bytes as HTTP/2 counts them (RFC 9113, section 6.5.2),
    /// excluding all other fields and the names of the status's fields.
    pub trailer_bytes: usize,
}

/// The size of the trailers that clients accept by default.
pub const TRAILER_BYTES: usize = 8192 - 512;

/// The fields of an error that all protocols share.
#[derive(Clone, PartialEq, Message)]
struct PartError {
    #[prost(int32, tag = "1")]
    canonical_code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

/// Makes the status of a request that has `count` parts, with errors of this form. `failed` lists
/// the failed parts in ascending order of their positions. All other parts are OK.
///
/// The details have an entry for each part. If the details are too large, only the first failures
/// keep their messages. If the details are still too large, the status has none.
pub fn status_of_parts(
    form: ErrorForm,
    what: &str,
    count: usize,
    failed: &[(usize, Problem)],
) -> tonic::Status {
    // Parts that were undone because another part failed are not counted as failures.
    let (undone, wrong): (Vec<_>, Vec<_>) =
        failed.iter().partition(|(_, problem)| problem.code == Code::Aborted);
    let message = summary(what, count, &wrong, undone.len());
    let room = (form.trailer_bytes - encoded_len(&message)) / 4 * 3;
    let code = Code::Unknown;
    let ordered: Vec<_> = wrong.iter().chain(&undone).copied().collect();
    let mut status = rpc::Status { code: code as i32, message, details: Vec::new() };
    let listed = match form.has_all {
        true => count,
        false => failed.last().map_or(0, |(at, _)| at + 1),
    };
    if let Some(details) = details(form, listed, &ordered, room.saturating_sub(status.encoded_len())) {
        status.details = details;
        let bytes = status.encode_to_vec().into();
        return tonic::Status::with_details(code, status.message, bytes);
    }
    let note = format!("; the outcomes of {count} {what}s do not fit a status");
    let mut status = tonic::Status::new(code, status.message + &note);
    if let Some((at, _)) = ordered.first() {
        status.metadata_mut().insert(FIRST_FAILURE, (*at).into());
    }
    status
}

/// Describes in words which parts failed.
fn summary(what: &str, count: usize, wrong: &[&(usize, Problem)], undone: usize) -> String {
    let undone = if undone > 0 { ", and no other was made" } else { "" };
    let mut text = format!("{} of {count} {what}s failed{undone}", wrong.len());
    for (number, (at, problem)) in wrong.iter().enumerate() {
        let quote = format!("; {what} {at}: {problem}");
        let is_too_long = encoded_len(&text) + encoded_len(&quote) > MAX_MESSAGE_BYTES;
        if number == MAX_QUOTED_FAILURES || (is_too_long && number > 0) {
            return format!("{text}; and {} more", wrong.len() - number);
        }
        text += &quote;
    }
    shorten(text, MAX_MESSAGE_BYTES)
}

/// Returns an entry for each part, with the messages of the first failures that fit in `room`
/// bytes. Returns `None` if even the codes do not fit.
fn details(form: ErrorForm, count: usize, failed: &[&(usize, Problem)], mut room: usize) -> Option<Vec<Any>> {
    let ok = Any { type_url: form.type_url.to_owned(), value: Vec::new() };
    room = room.checked_sub(count.checked_mul(size(&ok))?)?;
    let mut details = vec![ok; count];
    for (at, problem) in failed {
        room -= replace(details.get_mut(*at)?, &Problem::new(problem.code, ""), room)?;
    }
    for (at, problem) in failed {
        match replace(details.get_mut(*at)?, problem, room) {
            Some(more) => room -= more,
            None => break,
        }
    }
    Some(details)
}

/// Replaces an outcome with another one if there is room. Returns the number of additional bytes.
fn replace(detail: &mut Any, problem: &Problem, room: usize) -> Option<usize> {
    let error = PartError { canonical_code: problem.code as i32, message: problem.message.clone() };
    let new = Any { type_url: detail.type_url.clone(), value: error.encode_to_vec() };
    let more = size(&new) - size(detail);
    if more > room {
        return None;
    }
    *detail = new;
    Some(more)
}

/// Returns the size of an entry in the details, in bytes.
fn size(detail: &Any) -> usize {
    let length = detail.encoded_len();
    1 + length_delimiter_len(length) + length
}

#[cfg(test)]
mod tests {
    use super::{Code, ErrorForm, FIRST_FAILURE, Message, Problem, TRAILER_BYTES, rpc};
    use weir_p4runtime_proto::v1;

    const FORM: ErrorForm = ErrorForm {
        type_url: "type.googleapis.com/p4.v1.Error",
        has_all: true,
        trailer_bytes: TRAILER_BYTES,
    };

    fn status_of_parts(what: &str, count: usize, failed: &[(usize, Problem)]) -> tonic::Status {
        super::status_of_parts(FORM, what, count, failed)
    }

    fn problem(text: &str) -> Problem {
        Problem::not_found(text)
    }

    /// Returns the codes and messages in the details.
    fn outcomes(status: &tonic::Status) -> Vec<(i32, String)> {
        let details = rpc::Status::decode(status.details()).unwrap().details;
        let errors = details.iter().map(|detail| v1::Error::decode(&*detail.value).unwrap());
        errors.map(|error| (error.canonical_code, error.message)).collect()
    }

    /// Returns the size of a status's fields, in bytes as HTTP/2 counts them.
    fn trailers(status: &tonic::Status) -> usize {
        let response = status.clone().into_http::<()>();
        response.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 32).sum()
    }

    #[test]
    fn small_batches_have_all_outcomes() {
        let failed = [(1, problem("no such entry"))];
        let status = status_of_parts("update", 3, &failed);
        assert_eq!(status.message(), "1 of 3 updates failed; update 1: no such entry");
        let (ok, wrong) = ((0, String::new()), (5, "no such entry".to_owned()));
        assert_eq!(outcomes(&status), [ok.clone(), wrong, ok]);
    }

    #[test]
    fn messages_that_do_not_fit_are_left_out_and_then_all_outcomes() {
        let text = "table `acl` has no entry with this key: \"nearest\" <one>";
        for count in [1, 20, 60, 100, 120, 160, 1000, 10_000] {
            let failed: Vec<_> = (0..count).map(|at| (at, problem(text))).collect();
            let status = status_of_parts("update", count, &failed);
            assert!(trailers(&status) + 100 < 8192, "{count}: {}", trailers(&status));
            assert!(
                status.message().starts_with(&format!("{count} of {count} updates failed; update 0: {text}"))
            );
            if status.details().is_empty() {
                assert!(count > 100);
                assert_eq!(status.metadata().get(FIRST_FAILURE).unwrap(), "0");
                let more =
                    format!("; and {} more; the outcomes of {count} updates do not fit a status", count - 5);
                assert!(status.message().ends_with(&more), "{status}");
            } else {
                let outcomes = outcomes(&status);
                assert!(outcomes.len() == count && outcomes.iter().all(|(code, _)| *code == 5));
                let told = outcomes.iter().take_while(|(_, message)| message == text).count();
                assert!(outcomes[told..].iter().all(|(_, message)| message.is_empty()));
                assert!(told == count || told > 2, "{told} of {count}");
            }
        }
    }

    #[test]
    fn failures_come_before_undone_updates() {
        let aborted = Problem::new(Code::Aborted, "not done, because the update 700 failed");
        let mut failed: Vec<_> = (0..1000).map(|at| (at, aborted.clone())).collect();
        failed[700].1 = problem("no such entry");
        let status = status_of_parts("update", 1000, &failed);
        let start = "1 of 1000 updates failed, and no other was made; update 700: no such entry; ";
        assert!(status.message().starts_with(start), "{status}");
        assert_eq!(status.metadata().get(FIRST_FAILURE).unwrap(), "700");
        let status = status_of_parts(
            "update",
            100,
            &failed[650..750]
                .iter()
                .enumerate()
                .map(|(at, (_, problem))| (at, problem.clone()))
                .collect::<Vec<_>>(),
        );
        assert_eq!(outcomes(&status)[50], (5, "no such entry".to_owned()));
    }

    #[test]
    fn one_long_message_is_cut() {
        let status = status_of_parts("update", 2, &[(0, problem(&"é`".repeat(9000)))]);
        assert!(trailers(&status) < 8192);
        assert_eq!(outcomes(&status)[0], (5, String::new()));
        assert!(status.message().starts_with("1 of 2 updates failed; update 0: é`é`"));
        assert!(status.message().ends_with(" … (27000 bytes)") || status.message().contains('…'), "{status}");
    }
}
