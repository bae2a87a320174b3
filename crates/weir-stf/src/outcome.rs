//! The results of a test.

use weir_switch::control::{Digest, IdleNotice, LogLine};
use weir_switch::trace::Step;

use crate::compare::Difference;

/// A failure of a test: something that was not as expected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The line that contains the expectation; 0 if there is no such line.
    pub line: usize,
    /// The mistake, in one line.
    pub message: String,
    /// The further lines of the message, such as the two packets next to each other.
    pub details: Vec<String>,
    /// The fields that are not as expected.
    pub differences: Vec<Difference>,
    /// The packet that the failure is about, if there is one: its number among the sent packets,
    /// from 0.
    pub packet: Option<usize>,
    /// The line that sent that packet; 0 if there is none.
    pub sent: usize,
    /// The number of that packet's steps that were discarded because of the limit.
    pub lost_steps: u64,
}

/// Something that a test printed, besides its failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintedLine {
    /// A line that a command printed.
    Line(String),
    /// A digest of the switch.
    Digest(Digest),
    /// A line of `log_msg`.
    Log(LogLine),
    /// A notice of an idle entry.
    Idle(IdleNotice),
}

impl PrintedLine {
    /// Returns the time at which the switch sent the message, in virtual nanoseconds.
    pub(crate) fn time(&self) -> u64 {
        match self {
            Self::Line(_) => 0,
            Self::Digest(digest) => digest.time,
            Self::Log(line) => line.time,
            Self::Idle(notice) => notice.time,
        }
    }
}

/// The results of a test: counts and failures.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The number of packets that the test sent.
    pub packets: usize,
    /// The number of expected packets and other checks.
    pub checks: usize,
    /// The failures; empty if the test passed.
    pub failures: Vec<Failure>,
    /// The output of commands, and the messages of the switch to the control plane.
    pub printed: Vec<PrintedLine>,
    /// The ports, such as `port 2`, to which packets were sent but that no line names.
    pub unnamed: Vec<String>,
    /// The steps of packets that failures are about, up to a limit. Each packet has at least its
    /// first step.
    pub steps: Vec<Step>,
}
