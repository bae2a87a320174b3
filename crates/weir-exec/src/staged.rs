//! Runs a pipeline stage by stage, with any executor.

use std::sync::Arc;

use weir_ir::visit::{Visitor, walk_stmt};
use weir_ir::{Stmt, StmtKind};

use crate::contract::{CompiledPipeline, Environment, Executor};
use crate::packet_view::PacketView;
use crate::pipeline::Pipeline;
use crate::pipeline_spec::{Source, Stage};
use crate::run::{PipelineEnd, PipelineIo};

/// A pipeline whose stages run one by one, with any executor.
pub struct StagedPipeline {
    executor: Arc<dyn Executor>,
    pipeline: Pipeline,
    /// Whether the deparser may change variables, so that [`PipelineEnd::NoRoom`] must restore the
    /// state.
    restores_state: bool,
}

impl StagedPipeline {
    /// Creates a pipeline that runs with `executor`.
    ///
    /// # Panics
    /// If the pipeline was made for another program than the executor's.
    pub fn new(executor: Arc<dyn Executor>, pipeline: Pipeline) -> Self {
        let program = executor.program();
        assert!(pipeline.program().is_same(program), "the pipeline is of another program");
        let mut changes = ChangesVariables(false);
        for stage in pipeline.stages() {
            if let Stage::Deparse(control) = stage {
                changes.block(&program.controls[*control].body);
            }
        }
        Self { executor, pipeline, restores_state: changes.0 }
    }

    /// Returns the inputs and outputs of the packet at position `at` of a batch.
    ///
    /// # Panics
    /// If the batch has no such packet.
    pub fn io_of_packet<'b>(
        &self,
        at: usize,
        inputs: &'b [u64],
        outputs: &'b mut [u64],
    ) -> (&'b [u64], &'b mut [u64]) {
        let (inputs_each, outputs_each) = (self.pipeline.inputs().len(), self.pipeline.outputs());
        (&inputs[at * inputs_each..][..inputs_each], &mut outputs[at * outputs_each..][..outputs_each])
    }

    /// Runs the pipeline like [`CompiledPipeline::run`].
    ///
    /// # Panics
    /// If `io` does not have as many inputs and outputs as the pipeline.
    pub fn run_stages(
        &self,
        packet: PacketView<'_>,
        io: PipelineIo<'_>,
        env: &mut dyn Environment,
    ) -> PipelineEnd {
        let layout = self.executor.layout();
        io.state.clear();
        for (var, value) in self.pipeline.inputs().iter().zip(io.inputs) {
            if let Some(var) = var {
                layout.set_u64(io.state, *var, *value);
            }
        }
        self.resume(0, 0, packet, io, env)
    }

    /// Continues a run at stage `first`. The previous stages have already run. `packet` is what the
    /// last parser got, which consumed `consumed` bytes.
    ///
    /// # Panics
    /// If `io` does not have as many inputs and outputs as the pipeline.
    pub fn resume(
        &self,
        first: usize,
        consumed: usize,
        mut packet: PacketView<'_>,
        io: PipelineIo<'_>,
        env: &mut dyn Environment,
    ) -> PipelineEnd {
        let PipelineIo { state, inputs, outputs } = io;
        let layout = self.executor.layout();
        assert_eq!((inputs.len(), outputs.len()), (self.pipeline.inputs().len(), self.pipeline.outputs()));
        let (mut consumed, mut start) = (consumed, packet.start());
        for (position, stage) in self.pipeline.stages().iter().enumerate().skip(first) {
            let fault = |fault| PipelineEnd::Fault { fault, stage: position };
            match *stage {
                Stage::Parse { parser, error } => {
                    let parsed = self.executor.parse(parser, &packet.to_vec(0), state, env);
                    if let Some(found) = parsed.fault {
                        return fault(found);
                    }
                    consumed = parsed.consumed.min(packet.bytes().len());
                    env.parser_finished(consumed);
                    if let Some(error) = error {
                        layout.set_u64(state, error, u64::from(parsed.error));
                    }
                }
                Stage::Control(control) => {
                    if let Err(found) = self.executor.control(control, state, &mut Vec::new(), env) {
                        return fault(found);
                    }
                }
                Stage::Set(var, source) => {
                    let value = match source {
                        Source::Const(value) => value,
                        Source::Var(from) => layout.get_u64(state, from),
                        Source::Input(position) => inputs[position],
                        Source::Length => packet.bytes().len() as u64,
                    };
                    layout.set_u64(state, var, value);
                }
                Stage::Output(var, output) => outputs[output] = layout.get_u64(state, var),
                Stage::LeaveIf { condition, code, .. } => {
                    if condition.holds(&self.pipeline.spec().sets, layout, state) {
                        return PipelineEnd::Left { code, consumed, start: packet.start() };
                    }
                }
                Stage::LeaveIfDeferred { code } => {
                    if env.has_deferred_work() {
                        return PipelineEnd::Left { code, consumed, start: packet.start() };
                    }
                }
                Stage::Deparse(control) => {
                    let before = self.restores_state.then(|| state.clone());
                    let mut headers = Vec::new();
                    if let Err(found) = self.executor.control(control, state, &mut headers, env) {
                        return fault(found);
                    }
                    let payload = packet.start() + consumed;
                    let Some(first) = payload.checked_sub(headers.len()) else {
                        if let Some(before) = before {
                            *state = before;
                        }
                        return PipelineEnd::NoRoom {
                            stage: position as u32,
                            consumed,
                            start: packet.start(),
                        };
                    };
                    for (cell, byte) in packet.memory()[first..payload].iter().zip(headers) {
                        cell.set(byte);
                    }
                    start = first;
                }
                Stage::Restart => {
                    let kept = self.pipeline.spec().kept.iter();
                    let kept: Vec<_> = kept.map(|var| (*var, layout.get(state, *var))).collect();
                    state.clear();
                    kept.iter().for_each(|(var, value)| layout.set(state, *var, value));
                    (packet, consumed) = (PacketView::new(packet.memory(), start, packet.end()), 0);
                    env.packet_restarted(start);
                }
            }
        }
        PipelineEnd::Done { start }
    }
}

impl CompiledPipeline for StagedPipeline {
    fn run(&mut self, packet: PacketView<'_>, io: PipelineIo<'_>, env: &mut dyn Environment) -> PipelineEnd {
        self.run_stages(packet, io, env)
    }
}

/// Whether statements may change variables.
struct ChangesVariables(bool);

impl Visitor for ChangesVariables {
    fn stmt(&mut self, stmt: &Stmt) {
        use StmtKind::{Emit, Exit, If, Return, Switch};
        self.0 |= !matches!(stmt.kind, Emit(_) | If { .. } | Switch { .. } | Return | Exit);
        walk_stmt(self, stmt);
    }
}
