//! What extern objects and functions keep and compute, apart from any architecture's names for them.

pub(crate) mod counter;
pub(crate) mod crc;
pub(crate) mod hash;
pub(crate) mod meter;
pub(crate) mod profile;
pub(crate) mod random;
pub(crate) mod register;

use crate::control::CounterUnit;

/// The most cells that an indexed extern may have, so that a program cannot exhaust the memory: 2^28.
pub(crate) const MOST_CELLS: u64 = 1 << 28;

/// What an extern object keeps.
#[derive(Clone, Debug)]
pub(crate) enum ExternState {
    Counter(counter::CounterArray),
    /// Its counts lie in its table's entries.
    DirectCounter(CounterUnit),
    Register(register::RegisterArray),
    Meter(meter::MeterArray),
    /// Its cells lie in its table's entries. Meters bytes if true, packets if not.
    DirectMeter(bool),
    Profile(profile::Profile),
    /// Keeps nothing.
    Checksum,
}

impl ExternState {
    /// As it was at the start.
    pub(crate) fn blank(&self) -> Self {
        match self {
            Self::Counter(counter) => Self::Counter(counter::CounterArray::new(counter.size(), counter.unit)),
            Self::Register(register) => {
                Self::Register(register::RegisterArray::new(register.size(), register.fields.clone()))
            }
            Self::Meter(meter) => Self::Meter(meter::MeterArray::new(meter.cells.len(), meter.bytes)),
            Self::Profile(profile) => Self::Profile(profile.blank()),
            Self::DirectCounter(_) | Self::DirectMeter(_) | Self::Checksum => self.clone(),
        }
    }
}
