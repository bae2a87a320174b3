//! Runs random programs in an environment that breaks every rule that safe code can break: any bits
//! in the state, rows that are short, long or of no action, values of any width, panics. The
//! results are not checked. Only the run's own memory may change, and the process must survive.
//!
//! `cargo run --release -p weir-native --example fuzz -- hostile PROGRAMS PACKETS [FIRST SEED]`
//! runs many more.

mod differential;

use std::sync::Arc;

use differential::hostile;
use weir_native::Native;

#[test]
fn hostile_environments_stay_in_bounds() {
    let make = |program| Arc::new(Native::new(program).expect("the program becomes native")) as _;
    let reached = hostile::fuzz(0..150, 12, &make);
    // The test is meaningful only if some runs end and some break the rules.
    assert!(reached.ends > 500 && reached.panics > 50 && reached.scrambled > 100, "{reached:?}");
}
