//! Runs random pipelines of random programs over random packets: native code gives the same results
//! as the interpreter stage by stage.
//!
//! `cargo run --release -p weir-native --example fuzz -- pipelines PROGRAMS PACKETS [FIRST SEED]`
//! runs many more.

mod differential;

use std::sync::Arc;

use differential::broken::{Broken, BrokenStaged};
use differential::pipelines::Reached;
use weir_exec::{CompiledPipeline, Executor, Pipeline};
use weir_ir::ValidProgram;
use weir_native::Native;

fn native(program: ValidProgram, pipeline: &Pipeline) -> Box<dyn CompiledPipeline> {
    let native = Native::new(program).expect("the program becomes native");
    Arc::new(native).compile_pipeline(pipeline.clone())
}

#[test]
fn pipelines_agree_with_the_interpreter() {
    let mut reached = Reached::default();
    differential::fuzz_pipelines(0..150, 20, &native, &mut reached)
        .unwrap_or_else(|found| panic!("{}", found.smallest_pipeline(20, &native)));
    // The comparison is meaningful only if packets reach all ends.
    let Reached { packets, deparsed, restarted, changed, moved, left, kept, no_room, faults, cached, .. } =
        reached;
    assert!(deparsed > packets / 4 && changed > packets / 20 && moved > packets / 40, "{reached:?}");
    assert!(restarted > packets / 20, "{reached:?}");
    assert!(left > packets / 20 && kept > packets / 20, "{reached:?}");
    assert!(cached > packets / 100, "{reached:?}");
    assert!(no_room > packets / 200 && faults > 0, "{reached:?}");
}

/// In this pipeline, packets of one batch leave before and after the parser.
#[test]
fn unparsed_packets_consume_nothing() {
    let seed = 141;
    let same = differential::fuzz_pipelines(seed..seed + 1, 100, &native, &mut Reached::default());
    same.unwrap_or_else(|found| panic!("{}", found.smallest_pipeline(100, &native)));
}

#[test]
fn fields_of_a_moved_element_are_read_before_their_place_is_overwritten() {
    let seed = 20_414;
    let same = differential::fuzz_pipelines(seed..seed + 1, 100, &native, &mut Reached::default());
    assert_eq!(same, Ok(()));
}

/// Looks for a bug in pipelines, beginning with the seed `first`.
fn is_found(broken: Broken, first: u64) {
    let make = |program, pipeline: &_| Box::new(BrokenStaged::new(program, pipeline, broken)) as _;
    let result = differential::fuzz_pipelines(first..first + 600, 20, &make, &mut Reached::default());
    assert!(result.is_err(), "a pipeline with {broken:?} looks like the interpreter's");
}

/// Makes one test for each bug. If few pipelines show a bug, the test looks for it near the seed of
/// a pipeline that shows it.
macro_rules! found {
    ($($name:ident: $broken:ident $(from $first:literal)?;)*) => {
        $(#[test] fn $name() { is_found(Broken::$broken, 0 $(+ $first)?); })*
    };
}

found! {
    wrong_offset_is_found: WrongOffset;
    forgotten_field_is_found: ForgottenField;
    wrong_byte_order_is_found: WrongEndianness;
    stale_state_is_found: StaleState;
    unkept_variable_is_found: UnkeptVariable;
    wide_input_is_found: WideInput;
    skipped_validity_check_is_found: SkippedValidity;
    payload_off_by_one_is_found: PayloadOffByOne;
    no_room_too_early_is_found: NoRoomTooEarly;
    no_room_not_taken_back_is_found: NoRoomNotTakenBack from 230;
    ignored_deferred_work_is_found: DeferredWorkIgnored;
    late_note_is_found: LateNote;
    unreported_parser_is_found: UnreportedParser;
    two_lookups_are_found: TwoLookups;
    narrow_key_is_found: NarrowKey;
    other_zero_is_found: OtherZero;
    unverified_checksum_is_found: UnverifiedChecksum;
    unset_parameter_is_found: UnsetParameter from 165;
    wrong_stage_is_found: WrongStage;
    overrun_is_found: Overrun;
    signed_test_is_found: SignedTest from 40;
}

#[test]
fn code_without_bugs_passes() {
    let make = |program, pipeline: &_| Box::new(BrokenStaged::new(program, pipeline, Broken::Nothing)) as _;
    let result = differential::fuzz_pipelines(0..60, 20, &make, &mut Reached::default());
    assert_eq!(result, Ok(()));
}
