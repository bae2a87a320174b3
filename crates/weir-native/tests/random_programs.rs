//! Random programs over random packets: native code does what the interpreter does.
//!
//! `cargo run --release -p weir-native --example fuzz -- blocks PROGRAMS PACKETS [FIRST SEED]` runs
//! many more.

mod differential;

use weir_native::Native;

#[test]
fn native_code_agrees_with_the_interpreter() {
    let make = |program, _| Box::new(Native::new(program).expect("the program becomes native")) as _;
    differential::fuzz(0..150, 20, &make).unwrap_or_else(|found| panic!("{}", found.smallest(20, &make)));
}
