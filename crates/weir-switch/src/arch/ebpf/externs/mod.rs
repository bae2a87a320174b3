//! The externs of the models. To add an extern, add a file here, or a row for a family, and a line
//! in the lists of the models that have it.

mod checksum;
mod clock;
mod counter_array;
mod hash;
mod map;
mod marks;
mod truncate;

use super::{CONTROL, Hidden};
use crate::arch::calls::Call;
use crate::arch::externs::{CallSite, Extern};
use crate::arch::families::{self, Out};

/// The externs of `ebpf_model.p4`.
pub(super) const OF_FILTER: &[&dyn Extern<Hidden>] =
    &[&families::Assert, &counter_array::CounterArray, &map::Map];

/// The externs of `xdp_model.p4`.
pub(super) const OF_XDP: &[&dyn Extern<Hidden>] = &[
    &families::Assert,
    &checksum::Ipv4Checksum,
    &checksum::Replace,
    &clock::KernelClock,
    &clock::PerfEvent,
    &counter_array::CounterArray,
    &map::Map,
];

/// The externs of `ubpf_model.p4`.
pub(super) const OF_UBPF: &[&dyn Extern<Hidden>] = &[
    &families::Assert,
    &checksum::Replace,
    &clock::Clock,
    &hash::Hash,
    &marks::Marks,
    &families::Register {
        types: &["Register"],
        calls: &[Call::in_all_blocks("Register.read"), Call::in_all_blocks("Register.write")],
        cell: Out::Result,
    },
    &truncate::Truncate,
];

type Site<'a> = CallSite<'a, Hidden>;
