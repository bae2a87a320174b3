//! The journey of a packet through a switch.

use weir_control::field_text::field_text;
use weir_device::{Nanos, Port};
use weir_switch::Choice;
use weir_switch::trace::{Field, Step, StepKind};

/// A packet and all its copies, from its arrival at a switch.
#[derive(Clone, Debug)]
pub struct Journey {
    /// The packet's number among the traced packets of the switch, from 0.
    pub number: u64,
    steps: Vec<Step>,
    copies: Vec<Copy>,
}

/// The packet that arrived, or a copy of it.
#[derive(Clone, Debug)]
pub struct Copy {
    /// The number of the packet or copy among all that the switch has traced, from 1.
    pub number: u64,
    /// The number of the packet or copy from which this copy was made; `None` for the packet that
    /// arrived.
    pub parent: Option<u64>,
    /// The positions of the copy's steps among the steps of the journey, in order.
    pub steps: Vec<usize>,
}

/// A packet that left the switch.
#[derive(Clone, Debug)]
pub struct Output<'a> {
    /// The number of the copy.
    pub copy: u64,
    /// The virtual time when the packet left, in nanoseconds.
    pub time: Nanos,
    /// The egress port.
    pub port: Port,
    /// The packet's bytes.
    pub bytes: &'a [u8],
    /// The headers that the deparser emitted, in order.
    pub headers: Vec<OutputHeader<'a>>,
}

/// A header that the deparser emitted.
#[derive(Clone, Copy, Debug)]
pub struct OutputHeader<'a> {
    /// The name of the header, such as `hdr.ipv4`.
    pub name: &'a str,
    /// The fields in wire order.
    pub fields: &'a [Field],
}

/// A choice that depended on a hash, a weight or a random number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomChoice {
    /// The subject of the choice, such as `table I.routes, group 0`.
    pub what: String,
    /// The option that was taken, such as `member 2`.
    pub taken: String,
    /// The options and their numbers.
    pub choice: Choice,
}

impl Journey {
    /// Creates a journey that has no steps yet.
    pub(crate) fn new(number: u64) -> Self {
        Self { number, steps: Vec::new(), copies: Vec::new() }
    }

    /// Adds a step of the packet or of a copy.
    pub(crate) fn add(&mut self, step: Step) {
        let position = self.steps.len();
        match self.find_copy(step.copy) {
            Ok(copy) => self.copies[copy].steps.push(position),
            Err(place) => {
                let parent = match step.what {
                    StepKind::Copied { from, .. } => Some(from),
                    _ => None,
                };
                self.copies.insert(place, Copy { number: step.copy, parent, steps: vec![position] });
            }
        }
        self.steps.push(step);
    }

    /// Returns all steps, in the order of events.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the packet that arrived and its copies, in the order in which they were made.
    pub fn copies(&self) -> &[Copy] {
        &self.copies
    }

    /// Returns the steps of a copy, in order.
    pub fn steps_of<'a>(&'a self, copy: &'a Copy) -> impl DoubleEndedIterator<Item = &'a Step> {
        copy.steps.iter().map(|position| &self.steps[*position])
    }

    /// Returns whether the packet or copy has left, was dropped, or became the copies of a
    /// multicast group.
    pub fn has_copy_ended(&self, copy: &Copy) -> bool {
        let ends = |step: &Step| {
            matches!(
                step.what,
                StepKind::Transmitted { .. } | StepKind::Dropped { .. } | StepKind::Multicast { .. }
            )
        };
        self.steps_of(copy).next_back().is_some_and(ends)
    }

    /// Returns whether the packet and all its copies have ended.
    pub fn has_ended(&self) -> bool {
        self.copies.iter().all(|copy| self.has_copy_ended(copy))
    }

    /// Returns the packets that left the switch. Packets are ordered by the last step of their
    /// copy.
    pub fn outputs(&self) -> Vec<Output<'_>> {
        let mut copies: Vec<&Copy> = self.copies.iter().collect();
        copies.sort_by_key(|copy| copy.steps.last());
        copies.into_iter().flat_map(|copy| self.outputs_of(copy)).collect()
    }

    /// Returns the last packet that left the switch as this copy.
    pub fn last_output(&self, copy: u64) -> Option<Output<'_>> {
        self.outputs_of(&self.copies[self.find_copy(copy).ok()?]).pop()
    }

    /// Returns the packets that left the switch as this copy, in order.
    fn outputs_of(&self, copy: &Copy) -> Vec<Output<'_>> {
        let (mut found, mut headers) = (Vec::new(), Vec::new());
        for step in copy.steps.iter().map(|position| &self.steps[*position]) {
            match &step.what {
                StepKind::PassStarted | StepKind::Dequeued { .. } => headers.clear(),
                StepKind::Emitted { header, fields } => headers.push(OutputHeader { name: header, fields }),
                StepKind::Transmitted { port, bytes } => {
                    let (copy, headers) = (copy.number, headers.clone());
                    found.push(Output { copy, time: step.time, port: *port, bytes, headers });
                }
                _ => {}
            }
        }
        found
    }

    /// Finds a copy, or the place for it. Copies are ordered by number, because a switch numbers
    /// them as it makes them.
    fn find_copy(&self, number: u64) -> Result<usize, usize> {
        self.copies.binary_search_by_key(&number, |copy| copy.number)
    }

    /// Returns the choices that depended on chance, in order. The list is complete once the journey
    /// has ended.
    pub fn choices(&self) -> impl Iterator<Item = RandomChoice> {
        self.steps.iter().filter_map(choice)
    }
}

/// Returns the choice of a step, if the step made one.
fn choice(step: &Step) -> Option<RandomChoice> {
    match &step.what {
        StepKind::Drawn { value, low, high, choice } => {
            let [value, low, high] = [value, low, high].map(|number| field_text(number, None, "", ""));
            Some(RandomChoice { what: format!("random {low} to {high}"), taken: value, choice: *choice })
        }
        StepKind::Selected { table, group, member: Some(member), choice: Some(choice) } => {
            let (what, taken) = match group {
                Some(group) => (format!("table {table}, group {group}"), format!("member {member}")),
                None => (format!("table {table}"), format!("action {}", u64::from(*member) + 1)),
            };
            Some(RandomChoice { what, taken, choice: *choice })
        }
        _ => None,
    }
}
