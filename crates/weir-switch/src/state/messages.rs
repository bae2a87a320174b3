//! The messages that packets send to the control plane.

use std::collections::VecDeque;
use std::sync::Arc;

use weir_device::Nanos;
use weir_ir::Bits;

/// The maximum number of digests, and of log lines, that are kept for a reader. The oldest are lost
/// first.
const MAX_MESSAGES: usize = 4096;

/// A message that the program sent with `digest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The time at which the pass began.
    pub time: Nanos,
    /// The packet's id.
    pub packet: u64,
    /// The name of the digest in P4Info.
    pub name: Arc<str>,
    /// The receiver: the first argument of `digest`.
    pub receiver: u64,
    /// The leaves of the second argument of `digest`, in declaration order. Fields of invalid
    /// headers are 0.
    pub values: Vec<Bits>,
    /// Whether each value is present. A field of an invalid header is not.
    pub present: Vec<bool>,
    /// The name of each value for controllers, as in P4Info: the member of the struct that is sent,
    /// such as `source` or `key.port`. P4Info has no names for the elements of a list. An element
    /// has its name in the program, such as `hdr.ethernet.srcAddr`, or an empty name if it is
    /// computed.
    pub names: Vec<String>,
    /// The label of each value that is not a plain number: `true`, a member of an enumeration, an
    /// error, a negative number.
    pub labels: Vec<Option<String>>,
}

/// A message that the program wrote with `log_msg`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The time at which the pass or egress began.
    pub time: Nanos,
    /// The packet's id.
    pub packet: u64,
    /// The message with the values of its placeholders.
    pub text: String,
}

/// The kinds of messages for which a reader is notified at once. By default, there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Subscriptions {
    /// Whether the reader is notified of digests.
    pub digests: bool,
    /// Whether the reader is notified of lines of `log_msg`.
    pub log: bool,
    /// Whether the reader is notified of notices of idle entries.
    pub idle: bool,
}

/// Messages that wait for their reader.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    pub digests: VecDeque<Digest>,
    pub log: VecDeque<LogLine>,
}

impl Messages {
    pub(crate) fn digest(&mut self, digest: Digest) {
        keep_newest(&mut self.digests, [digest]);
    }

    pub(crate) fn log(&mut self, line: LogLine) {
        keep_newest(&mut self.log, [line]);
    }

    /// Adds newer messages.
    pub(crate) fn add(&mut self, newer: Self) {
        keep_newest(&mut self.digests, newer.digests);
        keep_newest(&mut self.log, newer.log);
    }
}

/// Adds messages, and keeps the newest [`MAX_MESSAGES`].
fn keep_newest<T>(kept: &mut VecDeque<T>, new: impl IntoIterator<Item = T>) {
    kept.extend(new);
    let over = kept.len().saturating_sub(MAX_MESSAGES);
    kept.drain(..over);
}
