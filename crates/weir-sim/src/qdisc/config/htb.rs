//! Settings of hierarchical token buckets.

use super::{HTB_DEPTH, LEAST_QUANTUM, QdiscConfig, bad, bytes, rate};
use crate::{Error, Filter};

/// Hierarchical token buckets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HtbConfig {
    /// The class of frames that no filter names. `None`, or a class that is not there: such frames leave at once and unshaped, as in Linux.
    pub default: Option<u32>,
    /// The classes; each parent is one of them.
    pub classes: Vec<HtbClass>,
    /// Which frames go to which class: the first that matches, by priority (lowest first), then by order.
    pub filters: Vec<HtbFilter>,
}

/// A class of [`HtbConfig`]. One that is the parent of others is inner and holds no frames.
#[derive(Clone, Debug, PartialEq)]
pub struct HtbClass {
    /// The part behind the colon of `1:10`.
    pub id: u32,
    /// The class that it borrows from; `None` for one at the root, which cannot borrow.
    pub parent: Option<u32>,
    /// Bits per second that it has in any case.
    pub rate: u64,
    /// Bits per second that it may have with what it borrows; at least `rate`.
    pub ceil: u64,
    /// Bytes that may leave at once at `rate` after a pause.
    pub burst: u64,
    /// Bytes that may leave at once at `ceil` after a pause.
    pub cburst: u64,
    /// Who borrows first: 0 to 7, lowest first. Classes of one priority share in proportion to `quantum`.
    pub priority: u8,
    /// Bytes served in a turn.
    pub quantum: u32,
    /// Where its frames wait, if it is not inner.
    pub queue: QdiscConfig,
}

impl HtbClass {
    /// A class at the root with the defaults of `tc`: ceil = rate, bursts of 1600 bytes, priority 0, [`HtbClass::default_quantum`], and a
    /// queue of 1000 frames.
    pub fn new(id: u32, rate: u64) -> Self {
        HtbClass {
            id,
            parent: None,
            rate,
            ceil: rate,
            burst: HtbClass::DEFAULT_BURST,
            cburst: HtbClass::DEFAULT_BURST,
            priority: 0,
            quantum: HtbClass::default_quantum(rate),
            queue: QdiscConfig::default(),
        }
    }

    /// 1600 bytes: a frame of Ethernet and some more, as `tc` has it.
    pub const DEFAULT_BURST: u64 = 1600;

    /// The bytes of a turn in proportion to the rate, as Linux computes them with its `r2q` of 10: rate / 8 / 10, but 1000 to 200 000.
    pub fn default_quantum(rate: u64) -> u32 {
        (rate / 80).clamp(1000, 200_000) as u32
    }
}

/// Sends frames to a class of [`HtbConfig`].
#[derive(Clone, Debug, PartialEq)]
pub struct HtbFilter {
    /// The inner class among whose frames it chooses: those that another filter sent there. `None`: among all frames.
    pub parent: Option<u32>,
    /// Lowest first.
    pub priority: u32,
    /// Which frames.
    pub filter: Filter,
    /// The class; an inner one's own filters decide further. What none of them matches goes to the default class. 0: past all classes, at
    /// once and unshaped.
    pub class: u32,
}

impl HtbFilter {
    /// Sends frames to a class, by the priority 1.
    pub fn new(filter: Filter, class: u32) -> Self {
        HtbFilter { parent: None, priority: 1, filter, class }
    }
}

impl HtbConfig {
    /// Whether a class is the parent of others.
    pub(in crate::qdisc) fn is_inner(&self, id: u32) -> bool {
        self.classes.iter().any(|class| class.parent == Some(id))
    }

    pub(super) fn check(&self, depth: usize) -> Result<(), Error> {
        for (index, class) in self.classes.iter().enumerate() {
            if self.classes[..index].iter().any(|other| other.id == class.id) {
                return bad("htb class", format!("{:x}", class.id), "each class once");
            }
            rate("htb rate", class.rate)?;
            if class.ceil < class.rate {
                return bad("htb ceil", format!("{} bit/s", class.ceil), "at least the class's rate");
            }
            rate("htb ceil", class.ceil)?;
            bytes("htb burst", class.burst, 1)?;
            bytes("htb cburst", class.cburst, 1)?;
            bytes("htb quantum", class.quantum.into(), LEAST_QUANTUM)?;
            if class.priority > 7 {
                return bad("htb prio", class.priority.to_string(), "0 to 7");
            }
            class.queue.check_depth(depth + 1)?;
            self.check_ancestors(class)?;
        }
        let known = |id: u32| self.classes.iter().any(|class| class.id == id);
        for filter in &self.filters {
            if filter.class != 0 && !known(filter.class) {
                let value = format!("a filter to class {:x}", filter.class);
                return bad("htb filter", value, "a class that is there, or 0");
            }
            if let Some(parent) = filter.parent.filter(|parent| !known(*parent) || !self.is_inner(*parent)) {
                let value = format!("a filter at class {parent:x}");
                return bad("htb filter", value, "a class that is there and the parent of others");
            }
        }
        Ok(())
    }

    fn check_ancestors(&self, class: &HtbClass) -> Result<(), Error> {
        let mut above = class;
        for _ in 0..HTB_DEPTH {
            let Some(parent) = above.parent else { return Ok(()) };
            match self.classes.iter().find(|other| other.id == parent) {
                Some(found) => above = found,
                None => {
                    let value = format!("parent {parent:x} of class {:x}", above.id);
                    return bad("htb class", value, "a class that is there");
                }
            }
        }
        let value = format!("class {:x} under itself or too deep", class.id);
        bad("htb class", value, "a tree of at most 8 levels")
    }
}
