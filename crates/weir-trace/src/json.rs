//! Journeys as JSON. `docs/reference/trace.md` describes the format, and
//! `docs/reference/trace.schema.json` is its JSON Schema.

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use weir_device::{Nanos, Port};
use weir_switch::trace::StepKind;

use crate::journey::{Copy, Journey, Output, OutputHeader, RandomChoice};
use crate::step_json::{HeaderField, Hexadecimal, SourceLine, StepDocument};

/// The possible journeys of a packet that was sent into a switch.
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a> {
    /// The packet's number among the packets that were sent, from 0.
    pub number: u64,
    /// The journeys. The first one is the journey that hashes and random numbers choose.
    pub journeys: &'a [&'a Journey],
    /// Whether there are more journeys than those in `journeys`.
    pub has_more: bool,
    /// The number of steps that were not recorded because of the limit.
    pub lost_steps: u64,
}

/// Writes a packet with its journeys as a JSON object, without line breaks.
pub fn packet_json(trace: &Trace<'_>, source: SourceLine<'_>) -> String {
    let document = PacketDocument::new(trace, source);
    serde_json::to_string(&document).expect("the document has no maps with other keys than strings")
}

#[derive(Serialize)]
struct PacketDocument<'a> {
    packet: u64,
    time_ns: Nanos,
    port: Port,
    bytes: Hexadecimal<'a>,
    ways: Vec<JourneyDocument<'a>>,
    more_ways: bool,
    lost_steps: u64,
}

impl<'a> PacketDocument<'a> {
    fn new(trace: &Trace<'a>, source: SourceLine<'a>) -> Self {
        let first = trace.journeys.first().and_then(|journey| journey.steps().first());
        let (port, bytes): (Port, &[u8]) = match first.map(|step| &step.what) {
            Some(StepKind::Received { port, bytes }) => (*port, bytes),
            _ => (0, &[]),
        };
        Self {
            packet: trace.number,
            time_ns: first.map_or(0, |step| step.time),
            port,
            bytes: Hexadecimal(bytes),
            ways: trace.journeys.iter().map(|journey| JourneyDocument::new(journey, source)).collect(),
            more_ways: trace.has_more,
            lost_steps: trace.lost_steps,
        }
    }
}

#[derive(Serialize)]
struct JourneyDocument<'a> {
    ended: bool,
    choices: Vec<ChoiceDocument>,
    outputs: Vec<OutputDocument<'a>>,
    copies: Vec<CopyDocument<'a>>,
}

impl<'a> JourneyDocument<'a> {
    fn new(journey: &'a Journey, source: SourceLine<'a>) -> Self {
        Self {
            ended: journey.has_ended(),
            choices: journey.choices().map(ChoiceDocument::from).collect(),
            outputs: journey.outputs().into_iter().map(OutputDocument::from).collect(),
            copies: journey.copies().iter().map(|copy| CopyDocument::new(journey, copy, source)).collect(),
        }
    }
}

#[derive(Serialize)]
struct ChoiceDocument {
    what: String,
    taken: String,
    option: u32,
    options: u32,
    usual: u32,
}

impl From<RandomChoice> for ChoiceDocument {
    fn from(one: RandomChoice) -> Self {
        let RandomChoice { what, taken, choice } = one;
        Self { what, taken, option: choice.taken, options: choice.options, usual: choice.usual }
    }
}

#[derive(Serialize)]
struct OutputDocument<'a> {
    copy: u64,
    time_ns: Nanos,
    port: Port,
    bytes: Hexadecimal<'a>,
    headers: Vec<HeaderDocument<'a>>,
}

impl<'a> From<Output<'a>> for OutputDocument<'a> {
    fn from(output: Output<'a>) -> Self {
        Self {
            copy: output.copy,
            time_ns: output.time,
            port: output.port,
            bytes: Hexadecimal(output.bytes),
            headers: output.headers.into_iter().map(HeaderDocument::from).collect(),
        }
    }
}

#[derive(Serialize)]
struct HeaderDocument<'a> {
    name: &'a str,
    fields: Vec<HeaderField<'a>>,
}

impl<'a> From<OutputHeader<'a>> for HeaderDocument<'a> {
    fn from(OutputHeader { name, fields }: OutputHeader<'a>) -> Self {
        Self { name, fields: fields.iter().map(|field| HeaderField { header: name, field }).collect() }
    }
}

#[derive(Serialize)]
struct CopyDocument<'a> {
    copy: u64,
    parent: Option<u64>,
    steps: StepDocuments<'a>,
}

impl<'a> CopyDocument<'a> {
    fn new(journey: &'a Journey, copy: &'a Copy, source: SourceLine<'a>) -> Self {
        Self { copy: copy.number, parent: copy.parent, steps: StepDocuments { journey, copy, source } }
    }
}

/// The steps of a copy, which are written one by one.
struct StepDocuments<'a> {
    journey: &'a Journey,
    copy: &'a Copy,
    source: SourceLine<'a>,
}

impl Serialize for StepDocuments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.copy.steps.len()))?;
        for step in self.journey.steps_of(self.copy) {
            list.serialize_element(&StepDocument { step, source: self.source })?;
        }
        list.end()
    }
}
