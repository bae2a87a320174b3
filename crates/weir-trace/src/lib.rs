//! Packet traces: assembles the steps that a switch recorded into the journeys of packets, and
//! writes journeys as JSON.
//!
//! A journey consists of a packet that arrived at a switch and all its copies. This crate does not
//! read source files: the caller provides the text of source lines.

mod journey;
mod journeys;
mod json;
mod step_json;
mod step_members;

pub use journey::{Copy, Journey, Output, OutputHeader, RandomChoice};
pub use journeys::{Journeys, SharedJourney};
pub use json::{Trace, packet_json};
pub use step_json::SourceLine;
pub use step_members::{StepMember, entry_matches, step_members};
