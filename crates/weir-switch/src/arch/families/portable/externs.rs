//! The rows of the externs that PSA and PNA have in common.

use std::marker::PhantomData;

use super::{
    Algorithms, COLOURS, Call, Checksum, Digest, DirectCounter, DirectMeter, Extern, Hash, InternetChecksum,
    Random,
};
use crate::arch::families::{self, Out};

/// The words in which the architectures differ.
pub(in crate::arch) trait Portable: 'static {
    /// The enumeration of hash algorithms.
    const ALGORITHMS: Algorithms;
    /// The property of tables for the direct counter.
    const COUNTER: &'static str;
    /// The property of tables for the direct meter.
    const METER: &'static str;
}

/// The externs of an architecture whose data about a program is `A`.
pub(in crate::arch) struct Common<A>(PhantomData<A>);

impl<A: Portable> Common<A> {
    pub(in crate::arch) const EXTERNS: &'static [&'static dyn Extern<A>] = &[
        &families::ActionProfile {
            types: &["ActionProfile", "ActionSelector"],
            algorithms: A::ALGORITHMS.0,
            hash: Algorithms::named,
        },
        &families::Assert,
        &Checksum(A::ALGORITHMS),
        &families::Counter { types: &["Counter"], calls: &[Call::in_all_blocks("Counter.count")] },
        &Digest(&[Call::in_all_blocks("Digest.pack")]),
        &DirectCounter(A::COUNTER),
        &DirectMeter { property: A::METER, colours: COLOURS, results: |_| None },
        &Hash(A::ALGORITHMS),
        &InternetChecksum,
        &families::Meter {
            types: &["Meter"],
            calls: &[Call::in_all_blocks("Meter.execute"), Call::in_all_blocks("Meter.dpdk_execute")],
            colour: Out::Result,
            colours: COLOURS,
            results: |_| None,
        },
        &Random,
        &families::Register {
            types: &["Register"],
            calls: &[Call::in_all_blocks("Register.read"), Call::in_all_blocks("Register.write")],
            cell: Out::Result,
        },
    ];
}

/// Joins two lists, of which neither is empty, into one of `N` elements.
pub(in crate::arch) const fn joined<T: Copy, const N: usize>(first: &[T], second: &[T]) -> [T; N] {
    let mut all = [first[0]; N];
    let mut position = 0;
    while position < N {
        all[position] = if position < first.len() { first[position] } else { second[position - first.len()] };
        position += 1;
    }
    all
}
