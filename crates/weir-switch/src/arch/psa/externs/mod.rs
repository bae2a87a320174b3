//! PSA's externs. To add an extern, add a file here, or a row for a family, and a line in
//! [`EXTERNS`].

mod engines;
mod predicates;

use super::metadata::Fields;
use super::tables::PROPERTIES;
use crate::arch::calls::Call;
use crate::arch::externs::{CallSite, Extern};
use crate::arch::families::portable::{self, Algorithms, COLOURS};
use crate::arch::families::{self, Out};

const ALGORITHMS: Algorithms = Algorithms("PSA_HashAlgorithm_t");

/// All externs of PSA.
pub(super) const EXTERNS: &[&dyn Extern<Fields>] = &[
    &families::ActionProfile {
        types: &["ActionProfile", "ActionSelector"],
        algorithms: ALGORITHMS.0,
        hash: Algorithms::named,
    },
    &families::Assert,
    &portable::Checksum(ALGORITHMS),
    &families::Counter { types: &["Counter"], calls: &[Call::in_all_blocks("Counter.count")] },
    &portable::Digest,
    &portable::DirectCounter(PROPERTIES.counter.name),
    &portable::DirectMeter { property: PROPERTIES.meter.name, colours: COLOURS, results: |_| None },
    &engines::Engines,
    &portable::Hash(ALGORITHMS),
    &portable::InternetChecksum,
    &families::Meter {
        types: &["Meter"],
        calls: &[Call::in_all_blocks("Meter.execute"), Call::in_all_blocks("Meter.dpdk_execute")],
        colour: Out::Result,
        colours: COLOURS,
        results: |_| None,
    },
    &predicates::Predicates,
    &portable::Random,
    &families::Register {
        types: &["Register"],
        calls: &[Call::in_all_blocks("Register.read"), Call::in_all_blocks("Register.write")],
        cell: Out::Result,
    },
];

type Site<'a> = CallSite<'a, Fields>;
