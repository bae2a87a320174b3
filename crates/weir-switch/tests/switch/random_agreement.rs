//! Random programs have the same results on native code and in the interpreter. Together, they use
//! all of v1model except for the steps listed here.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand_pcg::Pcg64Mcg;
use weir_device::{Device, Packet};
use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_ir::ValidProgram;
use weir_ir::visit::extern_calls;
use weir_native::Native;
use weir_switch::SwitchConfig;
use weir_switch::trace::{CopyKind, StepKind};

use crate::bench::compile;
use crate::fast_path::{compare_batches, compare_rounds};
use crate::random_programs::psa::random_psa_program;
use crate::random_programs::random_program;
use crate::random_traffic::configured::{configured_switch, settings};
use crate::random_traffic::{GAP, bytes, port};

const PROGRAMS: u64 = 30;

/// Compares native code on the fast path with the interpreter on the slow path.
#[test]
fn native_code_agrees_with_the_interpreter() {
    let mut taken = 0;
    for seed in 0..PROGRAMS {
        let text = random_program(seed);
        let program = compile(&text, &[]);
        let interp: Arc<dyn Executor> = Arc::new(Interpreter::new(program.clone()));
        let native = Native::new(program).unwrap().with_tracer(Arc::clone(&interp));
        let native: Arc<dyn Executor> = Arc::new(native);
        taken += compare_batches(&format!("random program {seed}\n{text}"), &native, &interp, 1);
    }
    assert!(taken > PROGRAMS as u32 * 10, "{taken} packets took the fast path");
}

/// Returns the number that `make random-psa` passes in `variable`, or `usual`.
#[expect(clippy::disallowed_methods, reason = "tests read how much they compare")]
fn wanted(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |number| number.parse().expect("a number"))
}

/// Compares native code on the fast path with the interpreter on the slow path, and native code in
/// batches with single packets, for programs with two parsers.
#[test]
fn psa_programs_agree_on_both_paths() {
    let (first, programs) = (wanted("WEIR_PSA_FIRST", 0), wanted("WEIR_PSA_PROGRAMS", 25));
    let packets = wanted("WEIR_PSA_PACKETS", 100);
    let (mut taken, mut with_fast_path) = (0, 0);
    for seed in first..first + programs {
        let text = random_psa_program(seed);
        let program = compile(&text, &[]);
        let interp: Arc<dyn Executor> = Arc::new(Interpreter::new(program.clone()));
        let native = Native::new(program).unwrap().with_tracer(Arc::clone(&interp));
        let native: Arc<dyn Executor> = Arc::new(native);
        let name = format!("random PSA program {seed}\n{text}");
        let more = compare_rounds(&name, (&native, &interp), 1, (2, packets / 2));
        with_fast_path += u64::from(more > 0);
        taken += more;
        if !text.contains("PORT_RECIRCULATE") && !text.contains("output.resubmit") {
            compare_rounds(&name, (&native, &native), 8, (1, packets / 32));
        }
    }
    assert!(u64::from(taken) > programs * packets / 10, "{taken} packets took the fast path");
    assert!(with_fast_path > programs * 3 / 4, "{with_fast_path} programs have a fast path");
}

/// Returns the functions and methods that `v1model.p4` declares.
fn declared_calls() -> BTreeSet<String> {
    let (mut calls, mut object) = (BTreeSet::new(), None);
    for line in include_str!("../../../../p4include/v1model.p4").lines() {
        let word = |text: &str| text.split(['(', '<', ' ', '{']).next().unwrap_or_default().to_owned();
        if let Some(function) = line.strip_prefix("extern void ") {
            calls.insert(word(function));
        } else if let Some(name) = line.strip_prefix("extern ") {
            object = Some(word(name));
        } else if line.starts_with('}') {
            object = None;
        } else if let (Some(object), Some((before, _))) = (&object, line.split_once(['(', '<'].as_slice())) {
            let method = line.trim_start().strip_prefix("void ").map(word).or_else(|| {
                // `bit<16> get<D>(…)`
                before.trim_start().eq("bit").then(|| word(line.split("> ").nth(1).unwrap_or_default()))
            });
            calls.extend(method.map(|method| format!("{object}.{method}")));
        }
    }
    calls
}

/// Returns the name of a step that a traced packet can take; for copies and drops, with their kind.
fn step(kind: &StepKind) -> String {
    match kind {
        StepKind::Copied { how: CopyKind::IngressClone { .. }, .. } => "copied: clone of ingress".into(),
        StepKind::Copied { how: CopyKind::EgressClone { .. }, .. } => "copied: clone of egress".into(),
        StepKind::Copied { how: CopyKind::Replica { .. }, .. } => "copied: replica".into(),
        StepKind::Selected { group, .. } => {
            format!("selected: {}", if group.is_some() { "group" } else { "member" })
        }
        StepKind::Applied { hit, .. } => format!("applied: {}", if *hit { "hit" } else { "miss" }),
        StepKind::Verified { given, computed } => {
            format!("verified: {}", if given == computed { "right" } else { "wrong" })
        }
        StepKind::Dropped { reason, .. } => format!("dropped: {reason}"),
        kind => kind.name().to_owned(),
    }
}

const STEPS: [&str; 43] = [
    "received",
    "copied: clone of ingress",
    "copied: clone of egress",
    "copied: replica",
    "pass",
    "block",
    "state",
    "extracted",
    "transition",
    "parser_error",
    "applied: hit",
    "applied: miss",
    "selected: group",
    "selected: member",
    "action",
    "action_ended",
    "assigned",
    "assigned_invalid",
    "validity",
    "branch",
    "switch",
    "called",
    "returned",
    "logged",
    "digest",
    "drawn",
    "verified: right",
    "verified: wrong",
    "emitted",
    "not_cloned",
    "multicast",
    "queued",
    "dequeued",
    "recirculated",
    "resubmitted",
    "transmitted",
    "dropped: no such port",
    "dropped: drop port",
    "dropped: queue full",
    "dropped: empty multicast group",
    "dropped: assertion failed",
    "dropped: loop limit",
    "dropped: clone limit",
];

/// The steps that no random program takes, and why.
const NEVER: [&str; 3] = [
    // The queues of `configured_switch` have no limit that so few packets reach.
    "dropped: queue full",
    // Programs without loops, each with at most three passes; `testdata/stf/undefined` has one.
    "dropped: loop limit",
    // Only packets that are not clones are cloned in egress; `clone_generations.stf` clones clones.
    "dropped: clone limit",
];

#[test]
fn random_programs_make_every_call_and_take_every_path() {
    let (mut calls, mut steps) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..PROGRAMS {
        let program = compile(&random_program(seed), &[]);
        calls.extend(extern_calls(&program).into_iter().map(|(call, _)| call.callee.clone()));
        trace(&program, seed, &mut steps);
    }
    let missing: Vec<_> = declared_calls().into_iter().filter(|call| !calls.contains(call)).collect();
    assert_eq!(missing, [""; 0], "no random program calls these");
    let listed_steps: BTreeSet<_> = STEPS.iter().map(|step| (*step).to_owned()).collect();
    let never: Vec<_> = listed_steps.difference(&steps).cloned().collect();
    let mut expected = NEVER.map(str::to_owned);
    expected.sort();
    assert_eq!(never, expected, "what no random program does");
    let unknown: Vec<_> = steps.difference(&listed_steps).collect();
    assert!(unknown.is_empty(), "steps that the list lacks: {unknown:?}");
}

/// Adds the steps of a program's packets.
fn trace(program: &ValidProgram, seed: u64, steps: &mut BTreeSet<String>) {
    let executor: Arc<dyn Executor> = Arc::new(Interpreter::new(program.clone()));
    let settings = SwitchConfig { pass_latency: 0, ..settings() };
    let mut switch = configured_switch(executor, settings, seed);
    let random = &mut Pcg64Mcg::new(u128::from(seed) << 8 | 1);
    for id in 0..60 {
        switch.trace_next(1);
        let (port, bytes) = (port(random), bytes(random));
        switch.receive(id * GAP, port, Packet::new(id, bytes));
        switch.advance((id + 1) * GAP - 1, &mut Vec::new());
    }
    let (taken, _) = switch.take_trace();
    steps.extend(taken.iter().map(|taken| step(&taken.what)));
}
