//! Messages of packets to the control plane.

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
    /// For each value, whether it is present: false for a field of an invalid header.
    pub present: Vec<bool>,
    /// The name of each value for controllers, as in P4Info: the member of the struct that is sent,
    /// such as `source` or `key.port`. The elements of a list have no such names: here they have
    /// their names in the program, such as `hdr.ethernet.srcAddr`; a computed element has an empty
    /// name.
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
    /// The message with its values.
    pub text: String,
}

/// The kinds of messages for which a reader must be notified at once; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Subscriptions {
    /// Notify for digests.
    pub digests: bool,
    /// Notify for lines of `log_msg`.
    pub log: bool,
    /// Notify for notices of idle entries.
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
