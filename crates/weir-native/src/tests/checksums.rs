//! Checksums over a few fields of a header that lies in the packet: a field that does not directly
//! follow the previous one is added by itself.

use std::fmt::Write;
use std::sync::Arc;

use weir_exec::{Executor, ExternSemantics, Pipeline, PipelineSpec, Stage};
use weir_ir::visit::extern_calls;
use weir_ir::{ControlId, ParserId, ValidProgram};

use super::differential::pipelines::{Reached, compare};
use super::differential::rng::Rng;
use crate::Native;
use crate::options::{InjectedBug, Options};

/// Makes a program whose checksum is over random fields of its header, in any order.
fn random(rng: &mut Rng) -> ValidProgram {
    let count = 2 + rng.number_below(6);
    let widths: Vec<u32> = (0..count).map(|_| [16, 16, 8, 32, 24, 64][rng.number_below(6)]).collect();
    let fields = widths.iter().enumerate().fold(String::new(), |mut all, (i, width)| {
        let _ = write!(all, " f{i}: bit<{width}>");
        all
    });
    let data: Vec<String> =
        (0..1 + rng.number_below(4)).map(|_| format!("h.f{}", rng.number_below(count))).collect();
    let data = data.join(", ");
    let text = format!(
        "errors {{ NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument }}
        header_type h_t {{{fields} sum: bit<16> }}
        header h: h_t
        var wrong: bit<1>
        parser P {{ start s locals {{ }} state s {{ extract h; -> accept }} }}
        control V {{ extern verify(in condition = h.$valid$, in data = {{ {data} }}, in sum = h.sum); }}
        control U {{ extern update(in condition = h.$valid$, in data = {{ {data} }}, inout sum = &[h.sum]); }}
        control D {{ emit h; }}"
    );
    weir_ir::validate(weir_ir::text::parse(&text).expect("it is IR")).expect("it is valid")
}

fn pipeline(program: &ValidProgram) -> Pipeline {
    let wrong = program.vars.iter().find(|(_, var)| var.name == "wrong").expect("it is declared").0;
    let meaning = |callee: &str| match callee {
        "verify" => ExternSemantics::VerifyChecksum { condition: 0, data: 1, given: 2, error: wrong },
        _ => ExternSemantics::UpdateChecksum { condition: 0, data: 1, field: 2 },
    };
    let calls = extern_calls(program).into_iter().map(|(call, _)| (call.clone(), meaning(&call.callee)));
    let spec = PipelineSpec {
        stages: vec![
            Stage::Parse { parser: ParserId::new(0), error: None },
            Stage::Control(ControlId::new(0)),
            Stage::Output(wrong, 0),
            Stage::Control(ControlId::new(1)),
            Stage::Deparse(ControlId::new(2)),
        ],
        outputs: 1,
        extern_semantics: calls.collect(),
        ..PipelineSpec::default()
    };
    Pipeline::new(program, spec).expect("the pipeline obeys the rules")
}

/// Compares native code with the interpreter over many programs, and returns the first difference.
fn difference(bug: Option<InjectedBug>) -> Option<String> {
    let make = |program: ValidProgram, pipeline: &Pipeline| {
        let native = Native::with_options(program, Options { bug, ..Options::default() });
        Arc::new(native.expect("the program becomes native")).compile_pipeline(pipeline.clone())
    };
    (0..40).find_map(|seed| {
        let program = random(&mut Rng(seed));
        compare(&pipeline(&program), (seed, 60), &make, &mut Reached::default())
    })
}

#[test]
fn checksums_of_fields_apart_agree() {
    assert_eq!(difference(None), None);
}

#[test]
fn a_lost_carry_is_found() {
    assert!(difference(Some(InjectedBug::LostCarry)).is_some());
}
