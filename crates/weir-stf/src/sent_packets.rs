//! The fate of packets, from the steps of their traces.

use std::collections::{BTreeMap, BTreeSet};

use weir_device::Port;
use weir_ir::Program;
use weir_switch::stats::{DropPlace, DropReason};
use weir_switch::trace::{Field, MAX_STEPS, Step, StepKind};
use weir_switch::{Place, arch};

/// A header of a packet: its name, and its fields with their widths in wire order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub name: String,
    pub fields: Vec<(String, u32)>,
}

impl Header {
    pub(crate) fn new(name: &str, fields: &[Field]) -> Self {
        let fields = fields.iter().map(|field| (field.name.clone(), field.value.width()));
        Self { name: name.to_owned(), fields: fields.collect() }
    }
}

/// A packet that left the switch.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The number of the packet that was sent, from 0.
    pub sent: usize,
    pub port: Port,
    pub packet: Vec<u8>,
    /// The headers that the deparser emitted.
    pub headers: Vec<Header>,
}

/// A packet that was sent to the switch, with its copies.
#[derive(Debug, Default)]
struct SentPacket {
    copies: BTreeMap<u64, Copy>,
    /// The ports through which packets left, in order.
    left: Vec<Port>,
    /// The number of steps that were discarded because of the limit.
    lost: u64,
}

/// A copy of a packet inside the switch.
#[derive(Debug, Default)]
struct Copy {
    /// The headers emitted in this pass so far.
    headers: Vec<Header>,
    ended: bool,
    dropped: Option<(DropPlace, DropReason)>,
    /// The output port that the program chose last.
    chosen: Option<u64>,
    /// The place at which the program last set the port to drop, if it has not set another port
    /// since.
    cause: Option<Place>,
    /// The place of the last step.
    place: Option<Place>,
}

/// All packets that were sent, in order.
#[derive(Debug, Default)]
pub(crate) struct SentPackets {
    all: Vec<SentPacket>,
    by_copy: BTreeMap<u64, usize>,
    /// The packets whose steps are kept.
    wanted: BTreeSet<usize>,
    /// The steps of these packets, at most [`MAX_STEPS`], and the first step of each packet.
    pub steps: Vec<Step>,
    /// The ports to which packets were sent but that the switch does not have, such as `port 2`.
    pub unnamed: BTreeSet<String>,
    /// The variable with which the program chooses the output port.
    egress_port: Option<String>,
    /// The number that this variable has if the packet is to be dropped.
    drop_port: Option<Port>,
}

impl Copy {
    /// Returns the port that the switch does not have, such as `port 2`. Architectures in which
    /// ingress drops such packets give only the place of the drop.
    fn missing_port(&self, place: DropPlace) -> String {
        match (place, self.chosen) {
            (DropPlace::Ingress, Some(port)) => format!("port {port}"),
            _ => place.to_string(),
        }
    }
}

impl SentPackets {
    /// Keeps the steps of these packets of a program.
    pub(crate) fn new(program: &Program, wanted: BTreeSet<usize>) -> Self {
        let drop_port = arch::port_space(program).and_then(|space| space.drop);
        let egress_port = arch::egress_port(program).map(|var| program.vars[var].name.clone());
        Self { wanted, egress_port, drop_port, ..Self::default() }
    }

    /// Adds steps and returns the packets that left.
    pub(crate) fn add_steps(&mut self, steps: Vec<Step>) -> Vec<Output> {
        let mut outputs = Vec::new();
        for step in steps {
            let Some(sent) = self.sent_packet_of(&step) else { continue };
            outputs.extend(self.add_one(sent, &step));
            if !self.wanted.contains(&sent) {
                continue;
            }
            if self.steps.len() < MAX_STEPS || matches!(step.what, StepKind::Received { .. }) {
                self.steps.push(step);
            } else {
                self.all[sent].lost += 1;
            }
        }
        outputs
    }

    /// Returns the packet that a step belongs to.
    fn sent_packet_of(&mut self, step: &Step) -> Option<usize> {
        let sent = match &step.what {
            StepKind::Received { .. } => {
                self.all.push(SentPacket::default());
                self.all.len() - 1
            }
            StepKind::Copied { from, .. } => *self.by_copy.get(from)?,
            _ => return self.by_copy.get(&step.copy).copied(),
        };
        self.by_copy.insert(step.copy, sent);
        Some(sent)
    }

    fn add_one(&mut self, sent: usize, step: &Step) -> Option<Output> {
        let packet = &mut self.all[sent];
        let copy = packet.copies.entry(step.copy).or_default();
        let before = std::mem::replace(&mut copy.place, step.place.clone());
        copy.ended = false;
        copy.dropped = None;
        match &step.what {
            StepKind::PassStarted | StepKind::Dequeued { .. } => copy.headers.clear(),
            StepKind::Emitted { header, fields } => copy.headers.push(Header::new(header, fields)),
            StepKind::Assigned { now, .. } if Some(&now.name) == self.egress_port.as_ref() => {
                copy.chosen = now.value.to_u64();
                let dropped = copy.chosen == self.drop_port.map(u64::from);
                copy.cause = if dropped { step.place.clone().or(before) } else { None };
            }
            StepKind::Dropped { place, reason } => {
                copy.ended = true;
                copy.dropped = Some((*place, *reason));
                if *reason == DropReason::NoSuchPort {
                    self.unnamed.insert(copy.missing_port(*place));
                }
            }
            StepKind::Multicast { .. } => copy.ended = true,
            StepKind::Transmitted { port, bytes } => {
                copy.ended = true;
                packet.left.push(*port);
                let headers = copy.headers.clone();
                return Some(Output { sent, port: *port, packet: bytes.clone(), headers });
            }
            _ => {}
        }
        None
    }

    /// Returns the fate of the packet and its copies, in one line. `source` gives the text of a
    /// line of the program.
    pub(crate) fn describe_fate(&self, sent: usize, source: &dyn Fn(&Place) -> String) -> String {
        let Some(packet) = self.all.get(sent) else { return String::new() };
        let mut fates: Vec<String> = packet.left.iter().map(|port| format!("left on port {port}")).collect();
        for copy in packet.copies.values() {
            match copy.dropped {
                Some((place, DropReason::NoSuchPort)) => {
                    fates.push(format!("went to {}, which no line names", copy.missing_port(place)));
                }
                Some((place, reason)) => {
                    let cause = copy.cause.as_ref().map_or_else(String::new, |place| {
                        let name = place.file.rsplit(['/', '\\']).next().unwrap_or_default();
                        format!(" ({name}:{} {})", place.line, source(place))
                    });
                    fates.push(format!("was dropped at {place}: {reason}{cause}"));
                }
                None if !copy.ended => fates.push("is still in the switch".to_owned()),
                None => {}
            }
        }
        let mut told: Vec<String> = Vec::new();
        fates.into_iter().for_each(|fate| {
            if !told.contains(&fate) {
                told.push(fate);
            }
        });
        told.join(", ")
    }

    /// Returns the number of this packet's steps that were discarded because of the limit.
    pub(crate) fn lost_steps(&self, sent: usize) -> u64 {
        self.all.get(sent).map_or(0, |packet| packet.lost)
    }
}

/// Returns the headers that a program's parser extracts, up to its end or its error, and whether
/// there was an error.
pub(crate) fn extracted_headers(steps: &[Step]) -> (Vec<Header>, bool) {
    let mut headers = Vec::new();
    let mut blocks = 0;
    let packet = steps.first().map(|step| step.copy);
    for step in steps.iter().filter(|step| Some(step.copy) == packet) {
        match &step.what {
            StepKind::Block(_) if blocks == 1 => break,
            StepKind::Block(_) => blocks += 1,
            StepKind::Extracted { header, fields } => headers.push(Header::new(header, fields)),
            StepKind::ParserError(_) => return (headers, true),
            _ => {}
        }
    }
    (headers, false)
}
