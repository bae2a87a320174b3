//! A packet's journey, step by step, in the program's own names.

use std::collections::BTreeSet;
use std::fmt;

use weir_ir::exec::{Event, Value};
use weir_ir::{Bits, Loc, Program, Target};

use crate::device::{Nanos, Port};
use crate::error::Place;
use crate::stats::{DropPlace, DropReason};

/// One step of a traced packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// When.
    pub time: Nanos,
    /// The packet's id; copies share it.
    pub packet: u64,
    /// What happened.
    pub what: StepKind,
    /// Where in the source, if it stands there.
    pub place: Option<Place>,
}

/// What happened in a [`Step`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// The packet came in.
    Received {
        /// Where.
        port: Port,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// A pass began.
    PassStarted,
    /// A block of the package began: `parser`, `ingress`, ….
    Block(&'static str),
    /// A parser state was entered.
    State(String),
    /// A header was extracted.
    Extracted(String),
    /// A transition was taken, to a state, `accept` or `reject`.
    Transition(String),
    /// A table was applied.
    Applied {
        /// Its name.
        table: String,
        /// Key fields with their values.
        keys: Vec<(String, Bits)>,
        /// Whether an entry matched.
        hit: bool,
        /// The entry's handle.
        entry: Option<u64>,
        /// The action that runs.
        action: String,
        /// Its arguments by name.
        args: Vec<(String, Bits)>,
    },
    /// An entry of a table with an action profile chose, just before its table's `Applied`.
    Selected {
        /// The table's name.
        table: String,
        /// The group; none if the entry names its member or chooses among actions of its own.
        group: Option<u32>,
        /// The member, or the position among the entry's own actions; none if the group is empty.
        member: Option<u32>,
    },
    /// An action began.
    Action {
        /// Its name.
        action: String,
        /// Its data by name.
        args: Vec<(String, Bits)>,
    },
    /// A variable was written.
    Assigned {
        /// Its name.
        variable: String,
        /// Its new value.
        value: Bits,
    },
    /// A condition was decided.
    Branch(bool),
    /// An extern was called.
    Called {
        /// The function or method, with its object.
        callee: String,
        /// Arguments after the call, as text.
        args: Vec<(String, String)>,
    },
    /// A header was emitted.
    Emitted(String),
    /// The packet was put into an egress queue.
    Queued {
        /// Whose.
        port: Port,
        /// Which of the port's queues.
        priority: usize,
    },
    /// It left the queue.
    Dequeued {
        /// Whose.
        port: Port,
        /// Nanoseconds that it spent there.
        waited: Nanos,
    },
    /// It goes into another pass after egress.
    Recirculated,
    /// It goes into another pass after ingress.
    Resubmitted,
    /// It went out.
    Transmitted {
        /// Where.
        port: Port,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// It was given up.
    Dropped {
        /// Where in the switch.
        place: DropPlace,
        /// Why.
        reason: DropReason,
    },
}

/// How many steps are kept for a reader; later ones are lost and counted.
const MOST_STEPS: usize = 1 << 20;

/// Records the steps of chosen packets.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// How many of the next packets to choose.
    pub next: u64,
    chosen: BTreeSet<u64>,
    steps: Vec<Step>,
    lost: u64,
}

impl Recorder {
    /// A packet came in: chooses it if it is one of the next ones.
    pub(crate) fn received(&mut self, packet: u64) {
        if self.next > 0 {
            self.next -= 1;
            self.chosen.insert(packet);
        }
    }

    pub(crate) fn wants(&self, packet: u64) -> bool {
        self.chosen.contains(&packet)
    }

    /// Takes a step if its packet is chosen.
    pub(crate) fn record(&mut self, time: Nanos, packet: u64, what: impl FnOnce() -> StepKind) {
        if self.wants(packet) {
            self.push(Step { time, packet, what: what(), place: None });
        }
    }

    /// Takes what a block did.
    pub(crate) fn event(&mut self, program: &Program, time: Nanos, packet: u64, event: &Event<'_>) {
        let (what, loc) = step(program, event);
        let place = loc.is_some().then(|| Place::new(program, loc));
        self.push(Step { time, packet, what, place });
    }

    fn push(&mut self, step: Step) {
        if self.steps.len() < MOST_STEPS {
            self.steps.push(step);
        } else {
            self.lost += 1;
        }
    }

    /// The steps so far and how many were lost.
    pub(crate) fn take(&mut self) -> (Vec<Step>, u64) {
        (std::mem::take(&mut self.steps), std::mem::take(&mut self.lost))
    }
}

fn step(program: &Program, event: &Event<'_>) -> (StepKind, Loc) {
    match event {
        Event::State(parser, state) => {
            let state = &program.parsers[*parser].states[*state];
            (StepKind::State(state.name.clone()), state.loc)
        }
        Event::Extracted(header, loc) => (StepKind::Extracted(program.headers[*header].name.clone()), *loc),
        Event::Transition(parser, target, loc) => {
            let to = match target {
                Target::State(state) => program.parsers[*parser].states[*state].name.clone(),
                Target::Accept => "accept".to_owned(),
                Target::Reject => "reject".to_owned(),
            };
            (StepKind::Transition(to), *loc)
        }
        Event::Applied { table, keys, found, loc } => {
            let table = &program.tables[*table];
            let action = &program.actions[found.call.action];
            let what = StepKind::Applied {
                table: table.name.clone(),
                keys: table.keys.iter().map(|key| key.name.clone()).zip(keys.iter().cloned()).collect(),
                hit: found.hit,
                entry: found.entry,
                action: action.control_plane_name().to_owned(),
                args: named(action, &found.call.args),
            };
            (what, *loc)
        }
        Event::Action(action, args) => {
            let action = &program.actions[*action];
            (
                StepKind::Action {
                    action: action.control_plane_name().to_owned(),
                    args: named(action, args),
                },
                action.loc,
            )
        }
        Event::Assigned(var, value, loc) => {
            let variable = program.vars[*var].name.clone();
            (StepKind::Assigned { variable, value: (*value).clone() }, *loc)
        }
        Event::Branch(taken, loc) => (StepKind::Branch(*taken), *loc),
        Event::Called(call, args, loc) => {
            let object =
                call.instance.map(|id| format!("{}: ", program.externs[id].name)).unwrap_or_default();
            let args =
                call.args.iter().zip(*args).map(|(arg, value)| (arg.name.clone(), text(program, value)));
            (StepKind::Called { callee: format!("{object}{}", call.callee), args: args.collect() }, *loc)
        }
        Event::Emitted(header, loc) => (StepKind::Emitted(program.headers[*header].name.clone()), *loc),
    }
}

fn named(action: &weir_ir::Action, args: &[Bits]) -> Vec<(String, Bits)> {
    action.params.iter().map(|param| param.name.clone()).zip(args.iter().cloned()).collect()
}

fn text(program: &Program, value: &Value) -> String {
    match value {
        Value::Bits(values) => {
            let values: Vec<_> = values.iter().map(|value| format!("{value:#}")).collect();
            if let [one] = values.as_slice() { one.clone() } else { format!("{{{}}}", values.join(", ")) }
        }
        Value::Text(text) => format!("{text:?}"),
        Value::Extern(id) => program.externs[*id].name.clone(),
    }
}

impl fmt::Display for Step {
    /// One line: the time in nanoseconds, what happened, and where in the source.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>12} {}", self.time, self.what)?;
        match &self.place {
            Some(place) => write!(f, "  ({place})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = |values: &[(String, Bits)]| {
            values.iter().map(|(name, value)| format!("{name} = {value:#}")).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Received { port, bytes } => write!(f, "received on port {port}, {} bytes", bytes.len()),
            Self::PassStarted => f.write_str("pass starts"),
            Self::Block(name) => write!(f, "{name}"),
            Self::State(name) => write!(f, "state {name}"),
            Self::Extracted(header) => write!(f, "extracted {header}"),
            Self::Transition(to) => write!(f, "to {to}"),
            Self::Applied { table, keys, hit, entry, action, args } => {
                write!(f, "table {table} [{}]: {}", bits(keys), if *hit { "hit" } else { "miss" })?;
                if let Some(entry) = entry {
                    write!(f, " entry {entry}")?;
                }
                write!(f, ", {action}({})", bits(args))
            }
            Self::Selected { table, group, member } => {
                write!(f, "table {table} selects ")?;
                match member {
                    Some(member) => write!(f, "member {member}")?,
                    None => f.write_str("nobody")?,
                }
                group.map_or(Ok(()), |group| write!(f, " of group {group}"))
            }
            Self::Action { action, args } => write!(f, "action {action}({})", bits(args)),
            Self::Assigned { variable, value } => write!(f, "{variable} = {value:#}"),
            Self::Branch(taken) => write!(f, "condition is {taken}"),
            Self::Called { callee, args } => {
                let args: Vec<_> = args.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                write!(f, "called {callee}({})", args.join(", "))
            }
            Self::Emitted(header) => write!(f, "emitted {header}"),
            Self::Queued { port, priority } => write!(f, "queued for port {port}, priority {priority}"),
            Self::Dequeued { port, waited } => write!(f, "left the queue of port {port} after {waited} ns"),
            Self::Recirculated => f.write_str("recirculated"),
            Self::Resubmitted => f.write_str("resubmitted"),
            Self::Transmitted { port, bytes } => write!(f, "sent from port {port}, {} bytes", bytes.len()),
            Self::Dropped { place, reason } => write!(f, "dropped at {place}: {reason}"),
        }
    }
}
