//! The comparison with the interpreter finds executors that are broken on purpose, and holds whatever is chosen for speed.

#[path = "../tests/differential/mod.rs"]
mod differential;

use std::sync::Arc;

use weir_ir::Program;
use weir_ir::exec::Executor;

use crate::Native;
use crate::analysis::Limits;
use crate::compile::{Broken, Policy};

fn fuzz(programs: u64, packets: u64, policy: impl Fn(u64) -> Policy) -> Result<(), differential::Found> {
    let make = |program: Arc<Program>, seed| {
        let native = Native::with_policy(program, policy(seed)).expect("the program becomes native");
        Box::new(native) as Box<dyn Executor>
    };
    differential::fuzz(0..programs, packets, &make)
}

fn is_found(broken: Broken) {
    let found = fuzz(400, 20, |_| Policy { broken: Some(broken), ..Policy::default() });
    assert!(found.is_err(), "an executor with {broken:?} looks like the interpreter");
}

#[test]
fn wrong_byte_order_is_found() {
    is_found(Broken::WrongEndianness);
}

#[test]
fn a_bit_too_many_is_found() {
    is_found(Broken::OffByOneWidth);
}

#[test]
fn writes_to_invalid_headers_are_found() {
    is_found(Broken::SkippedValidity);
}

#[test]
fn a_turn_too_many_is_found() {
    is_found(Broken::OneTurnMore);
}

#[test]
fn unsigned_comparison_of_signed_numbers_is_found() {
    is_found(Broken::UnsignedComparison);
}

#[test]
fn choices_for_speed_change_nothing() {
    // Variables in memory or in registers, bodies inline or as functions, optimised or not.
    let policy = |seed: u64| Policy {
        most_registers: [0, 1_000_000, 4_000][seed as usize % 3],
        limits: [Limits { shared: 0, single: 0 }, Limits { shared: 1_000, single: 1_000 }]
            [seed as usize / 3 % 2],
        optimise: seed.is_multiple_of(5),
        ..Policy::default()
    };
    assert_eq!(fuzz(150, 20, policy), Ok(()));
}
