//! Runs random programs over random packets: native code gives the same results as the interpreter.
//!
//! `cargo run --release -p weir-native --example fuzz -- blocks PROGRAMS PACKETS [FIRST SEED]` runs
//! many more.

mod differential;

use weir_native::Native;

fn assert_agreement(seeds: std::ops::Range<u64>) {
    let make = |program, _| Box::new(Native::new(program).expect("the program becomes native")) as _;
    differential::fuzz(seeds, 20, &make)
        .unwrap_or_else(|found| panic!("{}", found.smallest_program(20, &make)));
}

#[test]
fn native_code_agrees_with_the_interpreter() {
    assert_agreement(0..75);
}

/// Runs half of the programs, so that two processors have work.
#[test]
fn native_code_of_more_programs_agrees_with_the_interpreter() {
    assert_agreement(75..150);
}
