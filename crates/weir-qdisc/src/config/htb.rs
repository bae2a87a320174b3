//! Settings of hierarchical token buckets.

use super::{HTB_DEPTH, MIN_QUANTUM, QdiscConfig, bytes, out_of_range, rate};
use weir_filter::Filter;
use weir_impair::OutOfRange;

/// The settings of hierarchical token buckets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HtbConfig {
    /// The class of frames that no filter matches. With `None` or a class that does not exist, such
    /// frames are sent at once and unshaped, as in Linux.
    pub default: Option<u32>,
    /// The classes; every parent is one of them.
    pub classes: Vec<HtbClass>,
    /// The filters. The first match decides, by priority (lowest first), then by order.
    pub filters: Vec<HtbFilter>,
}

/// A class of [`HtbConfig`]. A class that is the parent of others is an inner class and has no
/// queue.
#[derive(Clone, Debug, PartialEq)]
pub struct HtbClass {
    /// The minor number, after the colon of `1:10`.
    pub id: u32,
    /// The class to borrow from; `None` for a class at the root, which cannot borrow.
    pub parent: Option<u32>,
    /// The guaranteed rate in bits per second.
    pub rate: u64,
    /// The maximum rate in bits per second, including borrowed bandwidth; at least `rate`.
    pub ceil: u64,
    /// The number of bytes that may be sent at once at `rate` after an idle period.
    pub burst: u64,
    /// The number of bytes that may be sent at once at `ceil` after an idle period.
    pub cburst: u64,
    /// The priority for borrowing: 0 to 7, lowest first. Classes of equal priority share in
    /// proportion to `quantum`.
    pub priority: u8,
    /// The quantum of the round robin in bytes.
    pub quantum: u32,
    /// The queue of a leaf class.
    pub queue: QdiscConfig,
}

impl HtbClass {
    /// Creates a class at the root with the defaults of `tc`: ceil = rate, bursts of 1600 bytes,
    /// priority 0, [`HtbClass::default_quantum`], and a queue of 1000 frames.
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

    /// The default burst, 1600 bytes: a little more than an Ethernet frame, as in `tc`.
    pub const DEFAULT_BURST: u64 = 1600;

    /// Returns the quantum in proportion to the rate, as in Linux with its `r2q` of 10: rate / 8 /
    /// 10, but at least 1000 and at most 200 000.
    pub fn default_quantum(rate: u64) -> u32 {
        (rate / 80).clamp(1000, 200_000) as u32
    }
}

/// A filter that sends frames to a class of [`HtbConfig`].
#[derive(Clone, Debug, PartialEq)]
pub struct HtbFilter {
    /// The inner class whose frames the filter classifies. With `None`, it classifies all frames.
    pub parent: Option<u32>,
    /// The lowest priority is tried first.
    pub priority: u32,
    /// The frames that it matches.
    pub filter: Filter,
    /// The target class. The filters of an inner class decide further; frames that none of them
    /// matches go to the default class. With 0, the frames bypass all classes and are sent at once
    /// and unshaped.
    pub class: u32,
}

impl HtbFilter {
    /// Creates a filter with priority 1.
    pub fn new(filter: Filter, class: u32) -> Self {
        HtbFilter { parent: None, priority: 1, filter, class }
    }
}

impl HtbConfig {
    /// Returns whether a class is the parent of others.
    pub(crate) fn is_inner(&self, id: u32) -> bool {
        self.classes.iter().any(|class| class.parent == Some(id))
    }

    /// Returns the classes without child classes, which have queues.
    pub(super) fn leaves(&self) -> impl Iterator<Item = &HtbClass> {
        self.classes.iter().filter(|class| !self.is_inner(class.id))
    }

    /// Checks that the classes, filters and child disciplines are valid; `depth` counts nested
    /// disciplines.
    pub(super) fn check(&self, depth: usize) -> Result<(), OutOfRange> {
        for (index, class) in self.classes.iter().enumerate() {
            if self.classes[..index].iter().any(|other| other.id == class.id) {
                return out_of_range("htb class", format!("{:x}", class.id), "each class once");
            }
            rate("htb rate", class.rate)?;
            if class.ceil < class.rate {
                return out_of_range(
                    "htb ceil",
                    format!("{} bit/s", class.ceil),
                    "at least the class's rate",
                );
            }
            rate("htb ceil", class.ceil)?;
            bytes("htb burst", class.burst, 1)?;
            bytes("htb cburst", class.cburst, 1)?;
            bytes("htb quantum", class.quantum.into(), MIN_QUANTUM)?;
            if class.priority > 7 {
                return out_of_range("htb prio", class.priority.to_string(), "0 to 7");
            }
            class.queue.check_depth(depth + 1)?;
            self.check_ancestors(class)?;
        }
        let is_class = |id: u32| self.classes.iter().any(|class| class.id == id);
        for filter in &self.filters {
            if filter.class != 0 && !is_class(filter.class) {
                let value = format!("a filter to class {:x}", filter.class);
                return out_of_range("htb filter", value, "an existing class, or 0");
            }
            if let Some(parent) = filter.parent.filter(|parent| !is_class(*parent) || !self.is_inner(*parent))
            {
                let value = format!("a filter at class {parent:x}");
                return out_of_range("htb filter", value, "an existing class that is the parent of others");
            }
        }
        Ok(())
    }

    fn check_ancestors(&self, class: &HtbClass) -> Result<(), OutOfRange> {
        let mut above = class;
        for _ in 0..HTB_DEPTH {
            let Some(parent) = above.parent else { return Ok(()) };
            match self.classes.iter().find(|other| other.id == parent) {
                Some(found) => above = found,
                None => {
                    let value = format!("parent {parent:x} of class {:x}", above.id);
                    return out_of_range("htb class", value, "an existing class");
                }
            }
        }
        let value = format!("class {:x} that is its own ancestor or too deep", class.id);
        out_of_range("htb class", value, "a tree of at most 8 levels")
    }
}
