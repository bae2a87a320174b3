//! Compares all stages of a pipeline, run by any [`CompiledPipeline`], with the interpreter stage
//! by stage.
//!
//! Memory whose contents must not matter has different arbitrary contents in both runs: the state
//! before the run, and the memory around the packet. Around that memory and around the outputs are
//! bytes that nobody may change.

use std::cell::Cell;
use std::sync::Arc;

use weir_exec::{
    CompiledPipeline, PacketBatch, PacketView, Pipeline, PipelineEnd, PipelineIo, Stage, StagedPipeline,
};
use weir_interp::Interpreter;
use weir_ir::*;

use super::blocks::{call_difference, value_difference};
use super::rng::{Rng, packet, select_numbers};
use super::world::{EnvironmentCall, LookupCounts, Sums, World, count};

/// The number of bytes on either side of the packet's memory, and of outputs on either side of the
/// packet's outputs.
const GUARD: usize = 24;
/// The value of outputs before a run, and around the packet's outputs.
const CANARY: u64 = 0xdead_beef_0bad_cafe;

/// Makes the compiled pipeline that is compared.
pub type Make<'a> = &'a dyn Fn(ValidProgram, &Pipeline) -> Box<dyn CompiledPipeline>;

/// A packet, its memory, and its metadata.
#[derive(Clone, Debug)]
pub struct Case {
    pub packet: Vec<u8>,
    pub headroom: usize,
    pub tailroom: usize,
    pub inputs: Vec<u64>,
    pub world: u64,
    /// The version of tables; see [`World::version`].
    pub version: Option<u64>,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { packet, headroom, tailroom, inputs, world, version } = self;
        write!(f, "{} bytes {} with {headroom} before and {tailroom} behind", packet.len(), hex(packet))?;
        write!(f, ", inputs {inputs:x?}, world {world}, tables steady at {version:?}")
    }
}

/// Formats bytes in hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Case {
    fn random(
        rng: &mut Rng,
        numbers: &[(u32, u64)],
        pipeline: &Pipeline,
        (world, version): (u64, Option<u64>),
    ) -> Self {
        let packet = packet(rng, numbers);
        let headroom = [0, 1, rng.number_below(20), 64, 256, 2048][rng.number_below(6)];
        let tailroom = [0, 1, rng.number_below(20)][rng.number_below(3)];
        let inputs = pipeline.inputs().iter().map(|_| rng.bits(64).low_u64()).collect();
        Self { packet, headroom, tailroom, inputs, world, version }
    }
}

/// The part of a run's result that matters.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    end: PipelineEnd,
    /// The packet, unless it is dropped.
    packet: Option<Vec<u8>>,
    outputs: Vec<u64>,
    kept: Option<(Vec<Bits>, State)>,
    calls: Vec<EnvironmentCall>,
    /// Whether the run changed memory that does not belong to it.
    wrote_outside: bool,
}

/// Returns whether an end keeps the state for the caller.
fn keeps_state(pipeline: &Pipeline, end: PipelineEnd) -> bool {
    match end {
        PipelineEnd::NoRoom { .. } => true,
        PipelineEnd::Left { code, .. } => pipeline.stages().iter().any(|stage| match stage {
            Stage::LeaveIf { code: this, keep, .. } => *this == code && *keep,
            Stage::LeaveIfDeferred { code: this } => *this == code,
            _ => false,
        }),
        PipelineEnd::Done { .. } | PipelineEnd::Fault { .. } => false,
    }
}

/// Returns the position of the stage that left the pipeline; if several stages have the same code,
/// the last one.
fn last_stage(pipeline: &Pipeline, end: PipelineEnd) -> usize {
    let PipelineEnd::Left { code, .. } = end else { return pipeline.stages().len() - 1 };
    let leaves = |stage: &Stage| match stage {
        Stage::LeaveIf { code: this, .. } | Stage::LeaveIfDeferred { code: this } => *this == code,
        _ => false,
    };
    pipeline.stages().iter().rposition(leaves).unwrap_or(0)
}

fn cells(bytes: &[u8]) -> Vec<Cell<u8>> {
    bytes.iter().copied().map(Cell::new).collect()
}

fn run(
    fused: &mut dyn CompiledPipeline,
    layout: &Layout,
    (program, pipeline): (&Program, &Pipeline),
    case: &Case,
    junk: &mut Rng,
) -> (Outcome, Sums, LookupCounts) {
    let around = GUARD + case.headroom;
    let mut bytes = junk.bytes(around + case.packet.len() + case.tailroom + GUARD);
    bytes[around..][..case.packet.len()].copy_from_slice(&case.packet);
    let all = cells(&bytes);
    let memory = &all[GUARD..all.len() - GUARD];
    let window = PacketView::new(memory, case.headroom, case.headroom + case.packet.len());
    let mut state = layout.state();
    state.words_mut().iter_mut().for_each(|word| *word = junk.next());
    let mut all_outputs = vec![CANARY; 2 * GUARD + pipeline.outputs()];
    let outputs = &mut all_outputs[GUARD..][..pipeline.outputs()];
    let mut world = World::new(program, Some(pipeline), case.world);
    world.version = case.version;

    let work = PipelineIo { state: &mut state, inputs: &case.inputs, outputs };
    let end = fused.run(window, work, &mut world);
    let guards = (0..GUARD).chain(all.len() - GUARD..all.len());
    let outputs = all_outputs[GUARD..][..pipeline.outputs()].to_vec();
    all_outputs.drain(GUARD..GUARD + pipeline.outputs());
    let wrote_outside = guards.into_iter().any(|at| all[at].get() != bytes[at])
        || all_outputs.iter().any(|word| *word != CANARY);
    let kept = keeps_state(pipeline, end).then(|| {
        // The variables of a stage that ran again are never read.
        let left_at = last_stage(pipeline, end);
        for (var, _) in pipeline.private_vars().iter().filter(|(_, stage)| **stage < left_at) {
            layout.set(&mut state, *var, &Bits::zero(program.vars[*var].ty.width()));
        }
        let values = program.vars.iter().map(|(id, _)| layout.get(&state, id)).collect();
        (values, state)
    });
    let start = match end {
        PipelineEnd::Done { start } => Some(start),
        PipelineEnd::Left { start, .. } | PipelineEnd::NoRoom { start, .. } => {
            kept.is_some().then_some(start)
        }
        PipelineEnd::Fault { .. } => None,
    };
    let packet = start.map(|start| {
        let bytes = memory.get(start..window.end()).unwrap_or_default();
        bytes.iter().map(Cell::get).collect()
    });
    (Outcome { end, packet, outputs, kept, calls: world.calls, wrote_outside }, world.sums, world.lookups)
}

fn first_difference(program: &Program, actual: &Outcome, expected: &Outcome) -> Option<String> {
    if let Some(problem) = call_difference(&actual.calls, &expected.calls) {
        return Some(problem);
    }
    if actual.end != expected.end {
        return Some(format!("ended with {:?} instead of {:?}", actual.end, expected.end));
    }
    if actual.packet != expected.packet {
        let [actual, expected] =
            [actual, expected].map(|outcome| hex(outcome.packet.as_deref().unwrap_or_default()));
        return Some(format!("the packet is {actual}\ninstead of {expected}"));
    }
    // Outputs that no stage writes keep their value in the interpreter.
    let mut outputs = actual.outputs.iter().zip(&expected.outputs).enumerate();
    if let Some((output, (actual, expected))) =
        outputs.find(|(_, (actual, expected))| actual != expected && **expected != CANARY)
    {
        return Some(format!("output {output} is {actual:#x} instead of {expected:#x}"));
    }
    if actual.kept != expected.kept
        && let (Some(actual), Some(expected)) = (&actual.kept, &expected.kept)
    {
        let problem = value_difference(program, &actual.0, &expected.0);
        let unclean = || "bits of the state differ above the variables' widths".to_owned();
        return Some(problem.unwrap_or_else(unclean));
    }
    actual.wrote_outside.then(|| "bytes changed outside of the packet's memory".to_owned())
}

/// Replaces wrong checksums by right ones, if they can be found in the packet.
fn correct_checksums(case: &mut Case, sums: &Sums) {
    for (given, right) in sums.iter().filter(|(given, right)| given != right) {
        let given = (*given as u16).to_be_bytes();
        if let Some(at) = case.packet.windows(2).rposition(|bytes| bytes == given) {
            case.packet[at..at + 2].copy_from_slice(&(*right as u16).to_be_bytes());
        }
    }
}

/// The number of packets that run while tables keep their versions.
const GROUP: u64 = 12;

/// Compares a pipeline of a program over random packets.
pub fn compare(
    pipeline: &Pipeline,
    (seed, packets): (u64, u64),
    make: Make<'_>,
    reached: &mut Reached,
) -> Option<String> {
    let program = pipeline.program();
    let interp = Arc::new(Interpreter::new(program.clone()));
    let layout = program.layout().clone();
    let mut reference = StagedPipeline::new(interp, pipeline.clone());
    let mut fused = make(program.clone(), pipeline);
    let (numbers, of) = (select_numbers(program), (&**program, pipeline));
    let mut rng = Rng(seed);
    let mut junk = Rng(!seed);
    let mut left = packets;
    while left > 0 {
        let group = left.min(GROUP);
        left -= group;
        let version = (rng.number_below(4) > 0).then(|| rng.next());
        let mut around = World::new(program, Some(pipeline), rng.next());
        around.version = version;
        fused.begin(&mut around);
        let (mut cases, mut lookups) = (Vec::<Case>::new(), [LookupCounts::new(), LookupCounts::new()]);
        for _ in 0..group {
            // Some packets are repeated, so that their lookups may be cached.
            let mut case = match rng.number_below(3) {
                0 if !cases.is_empty() => cases[rng.number_below(cases.len())].clone(),
                _ => Case::random(&mut rng, &numbers, pipeline, (around.seed, version)),
            };
            let (mut expected, sums, mut looks) = run(&mut reference, &layout, of, &case, &mut junk);
            if sums.iter().any(|(given, right)| given != right) && rng.number_below(2) == 0 {
                correct_checksums(&mut case, &sums);
                (expected, _, looks) = run(&mut reference, &layout, of, &case, &mut junk);
            }
            reached.add(pipeline, &case, &expected);
            let (actual, _, looks_again) = run(&mut *fused, &layout, of, &case, &mut junk);
            if let Some(problem) = first_difference(program, &actual, &expected) {
                return Some(format!("{case}: {problem}"));
            }
            for (all, one) in lookups.iter_mut().zip([looks, looks_again]) {
                one.into_iter().for_each(|(table, counts)| count(all, table, counts));
            }
            cases.push(case);
        }
        if let Some(problem) = compare_batch(
            &mut reference,
            &mut *fused,
            &layout,
            of,
            &cases,
            (&mut lookups, &mut reached.looked_ahead),
        ) {
            return Some(format!(
                "{} packets at once, the last {}: {problem}",
                cases.len(),
                cases[cases.len() - 1]
            ));
        }
        fused.finish(&mut around);
        reached.cached += around.lookups.values().map(|(hits, misses)| hits + misses).sum::<u64>();
        let [expected, mut actual] = lookups;
        around.lookups.into_iter().for_each(|(table, counts)| count(&mut actual, table, counts));
        if actual != expected {
            return Some(format!("tables were looked up {actual:?} instead of {expected:?} (hits, misses)"));
        }
    }
    None
}

/// Compares packets that run in one batch, up to one whose state is kept.
fn compare_batch<'f>(
    reference: &'f mut dyn CompiledPipeline,
    fused: &'f mut dyn CompiledPipeline,
    layout: &Layout,
    (program, pipeline): (&Program, &Pipeline),
    cases: &[Case],
    (lookups, looked_ahead): (&mut [LookupCounts; 2], &mut u64),
) -> Option<String> {
    let mut wrote_outside = false;
    let both = [reference, fused].into_iter().zip(lookups).map(|(fused, lookups)| {
        let memories: Vec<_> = cases
            .iter()
            .map(|case| {
                let (before, after) = (vec![0; GUARD + case.headroom], vec![0; case.tailroom + GUARD]);
                cells(&[&before, &*case.packet, &after].concat())
            })
            .collect();
        let windows = memories.iter().zip(cases).map(|(memory, case)| {
            let memory = &memory[GUARD..memory.len() - GUARD];
            PacketView::new(memory, case.headroom, case.headroom + case.packet.len())
        });
        let windows: Vec<_> = windows.collect();
        let inputs: Vec<u64> = cases.iter().flat_map(|case| case.inputs.clone()).collect();
        let mut outputs = vec![0; cases.len() * pipeline.outputs()];
        let mut ends = vec![PipelineEnd::Done { start: 0 }; cases.len()];
        let mut world = World::new(program, Some(pipeline), cases[0].world);
        world.version = cases[0].version;
        let stop = |end: &PipelineEnd| keeps_state(pipeline, *end);
        let mut ran = 0;
        while ran < cases.len() && (ran == 0 || !stop(&ends[ran - 1])) {
            let batch = PacketBatch {
                packets: &windows[ran..],
                inputs: &inputs[ran * pipeline.inputs().len()..],
                outputs: &mut outputs[ran * pipeline.outputs()..],
                ends: &mut ends[ran..],
                stop: &stop,
            };
            ran += fused.run_batch(batch, &mut layout.state(), &mut world);
        }
        world.lookups.into_iter().for_each(|(table, counts)| count(lookups, table, counts));
        let packets = windows.iter().zip(&ends).take(ran).map(|(window, end)| match end {
            PipelineEnd::Done { start } => {
                window.memory()[*start..window.end()].iter().map(Cell::get).collect()
            }
            _ => Vec::new(),
        });
        let packets: Vec<_> = packets.collect();
        *looked_ahead += world.looked_ahead;
        let guards =
            memories.iter().flat_map(|memory| memory[..GUARD].iter().chain(&memory[memory.len() - GUARD..]));
        wrote_outside |= guards.into_iter().any(|byte| byte.get() != 0);
        (ends[..ran].to_vec(), packets, outputs, world.calls)
    });
    let [(expected_end, expected, noted, asked), (actual_end, actual, notes, asks)] =
        <[_; 2]>::try_from(both.collect::<Vec<_>>()).ok()?;
    if wrote_outside {
        return Some("bytes changed outside of the packets' memory".to_owned());
    }
    if let Some(problem) = call_difference(&asks, &asked) {
        return Some(problem);
    }
    if actual_end != expected_end {
        return Some(format!("they ended with {actual_end:?} instead of {expected_end:?}"));
    }
    if (&actual, &notes) != (&expected, &noted) {
        return Some(format!(
            "packets and outputs are {actual:x?}, {notes:x?} instead of {expected:x?}, {noted:x?}"
        ));
    }
    None
}

/// Counts of the events that packets reached. A fuzzer whose packets always end early finds
/// nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    pub packets: u64,
    /// The number of packets that ran through all stages including a deparser.
    pub deparsed: u64,
    /// The number of packets that ran through all stages including a restart.
    pub restarted: u64,
    /// The number of packets that were changed in place.
    pub changed: u64,
    pub moved: u64,
    pub left: u64,
    pub kept: u64,
    pub no_room: u64,
    pub faults: u64,
    /// The number of lookups that the cache answered.
    pub cached: u64,
    /// Keys that were looked up before their packets ran.
    pub looked_ahead: u64,
}

impl Reached {
    fn add(&mut self, pipeline: &Pipeline, case: &Case, outcome: &Outcome) {
        self.packets += 1;
        self.kept += u64::from(outcome.kept.is_some());
        match outcome.end {
            PipelineEnd::Done { start } => {
                let deparses = pipeline.stages().iter().any(|stage| matches!(stage, Stage::Deparse(_)));
                self.deparsed += u64::from(deparses);
                self.restarted += u64::from(pipeline.stages().contains(&Stage::Restart));
                let moved = start != case.headroom;
                self.moved += u64::from(moved);
                self.changed += u64::from(!moved && outcome.packet.as_ref() != Some(&case.packet));
            }
            PipelineEnd::Left { .. } => self.left += 1,
            PipelineEnd::NoRoom { .. } => self.no_room += 1,
            PipelineEnd::Fault { .. } => self.faults += 1,
        }
    }
}
