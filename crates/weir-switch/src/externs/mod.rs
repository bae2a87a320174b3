//! The state of extern objects and the computations of extern functions, independent of the
//! architecture that calls them.

pub(crate) mod calls;
pub(crate) mod counter;
pub(crate) mod crc;
pub(crate) mod hash;
pub(crate) mod hash_object;
pub(crate) mod lookup3;
pub(crate) mod low_pass;
pub(crate) mod meter;
pub(crate) mod meter_array;
pub(crate) mod profile;
pub(crate) mod random;
pub(crate) mod register;
pub(crate) mod register_lock;
pub(crate) mod toeplitz;
pub(crate) mod wide_crc;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::own_externs::OwnObject;

pub use counter::{CounterUnit, CounterValue};
pub use crc::{Calculation, CrcAlgorithm, CrcParameters};
pub use hash_object::{HashAlgorithm, HashInput, HashPart, HashSettings};
pub use meter::{MeterConfig, MeterRate};
pub use meter_array::MeterCounts;
pub use profile::GroupMember;

/// The maximum memory in bytes for all cells of a program's counters, meters and registers, so that
/// a program cannot exhaust the memory.
pub(crate) const MAX_CELL_BYTES: u64 = 1 << 30;

/// The state of an extern object. Clones share its cells.
#[derive(Clone, Debug)]
pub(crate) enum ExternState {
    Counter(Arc<counter::CounterArray>),
    /// A direct counter. The table's entries hold its counts.
    DirectCounter {
        unit: CounterUnit,
        use_at: UseAt,
    },
    Register(Arc<register::RegisterArray>),
    /// A direct register. The table's entries hold its cells, which have these fields and begin
    /// with these words, or with zeroes.
    DirectRegister {
        fields: Vec<(String, u32)>,
        initial: Option<Vec<u64>>,
    },
    Meter(Arc<meter_array::MeterArray>),
    /// A direct meter. The table's entries hold its cells. It counts bytes if true, packets if not.
    DirectMeter {
        bytes: bool,
        use_at: UseAt,
    },
    Profile(Arc<profile::Profile>),
    /// A hash whose function and inputs controllers can change.
    Hash(Arc<hash_object::HashObject>),
    /// An object without state that outlives a packet.
    Stateless,
    /// An object whose code comes from the user of the switch.
    Own(Box<OwnObject>),
}

/// The point at which a packet uses the direct counter or meter of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UseAt {
    /// At each lookup, for the entry that it finds, or for the default.
    Lookup,
    /// When an action calls a method, for the entry that the last lookup found, or for the default.
    Call,
}

impl ExternState {
    /// Returns whether both states are the same. Cells and profiles are compared by address.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Counter(a), Self::Counter(b)) => Arc::ptr_eq(a, b),
            (Self::Register(a), Self::Register(b)) => Arc::ptr_eq(a, b),
            (Self::Meter(a), Self::Meter(b)) => Arc::ptr_eq(a, b),
            (Self::Profile(a), Self::Profile(b)) => Arc::ptr_eq(a, b),
            (Self::Hash(a), Self::Hash(b)) => Arc::ptr_eq(a, b),
            (Self::Own(a), Self::Own(b)) => Arc::ptr_eq(&a.code, &b.code),
            // A state without cells never changes.
            _ => true,
        }
    }

    pub(crate) fn counter(size: usize, unit: CounterUnit) -> Self {
        Self::Counter(Arc::new(counter::CounterArray::new(size, unit)))
    }

    /// Creates a direct counter that counts lookups.
    pub(crate) fn direct_counter(unit: CounterUnit) -> Self {
        Self::DirectCounter { unit, use_at: UseAt::Lookup }
    }

    /// Creates a direct meter that meters lookups.
    pub(crate) fn direct_meter(bytes: bool) -> Self {
        Self::DirectMeter { bytes, use_at: UseAt::Lookup }
    }

    /// Creates a register whose cells begin with these words, or with zeroes.
    pub(crate) fn register(
        size: usize,
        fields: Vec<(String, u32)>,
        initial: Option<Vec<u64>>,
        needs_lock: bool,
    ) -> Self {
        let mut array = register::RegisterArray::with_initial(size, fields, initial);
        array.needs_lock = needs_lock;
        Self::Register(Arc::new(array))
    }

    pub(crate) fn meter(size: usize, bytes: bool, needs_lock: bool) -> Self {
        let mut array = meter_array::MeterArray::new(size, bytes);
        array.needs_lock = needs_lock;
        Self::Meter(Arc::new(array))
    }

    /// Creates the initial state of the same object.
    pub(crate) fn initial(&self) -> Self {
        match self {
            Self::Counter(counter) => Self::counter(counter.size(), counter.unit),
            Self::Register(register) => {
                let (fields, initial) = (register.fields.clone(), register.initial.clone());
                Self::register(register.size(), fields, initial, register.needs_lock)
            }
            Self::Meter(meter) => Self::meter(meter.size(), meter.bytes, meter.needs_lock),
            Self::Profile(profile) => Self::Profile(Arc::new(profile.initial())),
            Self::Hash(hash) => {
                Self::Hash(Arc::new(hash.with_settings(hash_object::HashSettings::default())))
            }
            Self::Own(object) => Self::Own(Box::new(object.initial())),
            Self::DirectCounter { .. }
            | Self::DirectMeter { .. }
            | Self::DirectRegister { .. }
            | Self::Stateless => self.clone(),
        }
    }
}

/// Allocates zeroed memory. The system provides physical memory only for the parts that are used.
fn zeroes(words: usize) -> Box<[AtomicU64]> {
    bytemuck::zeroed_slice_box(words)
}

/// Locks a mutex, even if a thread has panicked while it held the lock. Such a thread leaves
/// nothing half done, because no operation under these locks can panic.
pub(crate) fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The locks for the cells of an array. Cells with indices that have the same low bits share a
/// lock.
#[derive(Debug, Default)]
struct Stripes([Mutex<()>; 32]);

impl Stripes {
    /// Runs `work` while the lock of a cell is held.
    fn with_cell<T>(&self, index: u64, work: impl FnOnce() -> T) -> T {
        let _guard = lock(&self.0[index as usize % self.0.len()]);
        work()
    }
}

#[cfg(test)]
mod tests;
