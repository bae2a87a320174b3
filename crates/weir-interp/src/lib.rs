//! The reference executor: an implementation of the IR's definition.
//!
//! - **Input:** a program, a packet's bytes, its [`State`], and an [`Environment`] with tables
//!   and externs.
//! - **Output:** the changed state, parser results, emitted bytes and, if the environment traces
//!   the packet, an event for every step.
//! - **Contents:** one walk over the IR's tree and nothing else. If `docs/explanation/ir.md` and
//!   this code differ, one of them has a bug.
//! - **Independent of:** P4 syntax, architectures, what a table holds, what an extern does, time.
//!
//! The code is written for clarity, not for speed. Still, a statement allocates memory only for
//! values wider than 128 bits and for calls of the environment. Every other executor must have the
//! same results as this one for every packet.
//!
//! [`State`]: weir_ir::State
//! [`Environment`]: weir_exec::Environment

mod eval;
mod parse;
mod run;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_exec::{
    CallFrame, CompiledPipeline, Environment, Executor, Fault, Parsed, Pipeline, StagedPipeline,
};
use weir_ir::visit::extern_calls;
use weir_ir::{ControlId, CoreErrors, ExternCall, ParserId, State, ValidProgram, Work, wire};

use run::{Machine, Stop};

/// Runs a program by walking over its statements and expressions.
#[derive(Clone, Debug)]
pub struct Interpreter {
    program: ValidProgram,
    errors: CoreErrors,
    work: Work,
    /// The weight of one visit, by parser and state; see [`Work::visit`].
    visits: Vec<Vec<u32>>,
    /// The call frames of the program's extern calls, by the addresses of the calls in memory.
    frames: BTreeMap<usize, CallFrame>,
}

impl Interpreter {
    /// Creates an interpreter of `program`.
    pub fn new(program: ValidProgram) -> Self {
        let (errors, work) = (CoreErrors::find_in(&program), Work::new(&program));
        let visit = |state| work.state_weight(&program, state);
        let visits =
            program.parsers.values().map(|parser| parser.states.values().map(visit).collect()).collect();
        let calls = extern_calls(&program).into_iter();
        let frames = calls.map(|(call, _)| (address(call), CallFrame::of_any(&program, call))).collect();
        Self { program, errors, work, visits, frames }
    }

    /// Returns the call frame of one of the program's extern calls.
    fn frame(&self, call: &ExternCall) -> &CallFrame {
        &self.frames[&address(call)]
    }
}

/// Returns the address of a call, which identifies the call: a valid program cannot be changed, so
/// its calls are never moved.
fn address(call: &ExternCall) -> usize {
    std::ptr::from_ref(call).addr()
}

impl Executor for Interpreter {
    fn program(&self) -> &ValidProgram {
        &self.program
    }

    fn name(&self) -> &'static str {
        "interp"
    }

    fn parse(&self, parser: ParserId, packet: &[u8], state: &mut State, env: &mut dyn Environment) -> Parsed {
        let mut emitted = Vec::new();
        let mut machine = Machine::new(self, packet, wire::Writer::new(&mut emitted), state, env);
        let end = machine.parse(parser);
        let consumed = machine.position.div_ceil(8) as usize;
        let (error, accepted, fault) = match end {
            Ok(accepted) => (0, accepted, None),
            Err(Stop::ParserError(error)) => (error, false, None),
            Err(Stop::Fault(fault)) => (0, false, Some(fault)),
            // A valid parser contains no other statement that could end it.
            Err(Stop::Break | Stop::Continue | Stop::Return | Stop::Exit) => (0, false, None),
        };
        Parsed { consumed, error, accepted, fault }
    }

    /// Runs a P4 control statement by statement.
    fn control(
        &self,
        control: ControlId,
        state: &mut State,
        out: &mut Vec<u8>,
        env: &mut dyn Environment,
    ) -> Result<(), Fault> {
        let mut machine = Machine::new(self, &[], wire::Writer::new(out), state, env);
        match machine.block(&self.program.controls[control].body) {
            Err(Stop::Fault(fault)) => Err(fault),
            // Return and Exit both end a control. A valid control contains no other statement that
            // could end it.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn compile_pipeline(self: Arc<Self>, pipeline: Pipeline) -> Box<dyn CompiledPipeline> {
        Box::new(StagedPipeline::new(self, pipeline))
    }
}
