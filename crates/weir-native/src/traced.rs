//! Native code for most packets, an executor that tells its steps for those that are traced.

use std::sync::Arc;

use weir_exec::{CompiledPipeline, Environment, Executor, Fault, Parsed, Pipeline};
use weir_ir::{ControlId, Layout, ParserId, Program, State};

use crate::Native;

/// Runs blocks natively unless the environment traces. Pipelines, in which nothing is traced, are native.
#[derive(Clone)]
pub struct Traced {
    pub(crate) native: Arc<Native>,
    pub(crate) tracer: Arc<dyn Executor>,
}

impl Traced {
    /// The native code alone, which makes no events.
    pub fn native(&self) -> Arc<Native> {
        Arc::clone(&self.native)
    }

    fn of(&self, env: &dyn Environment) -> &dyn Executor {
        if env.tracing() { &*self.tracer } else { &*self.native }
    }
}

impl Executor for Traced {
    fn program(&self) -> &Program {
        self.native.program()
    }

    fn layout(&self) -> &Layout {
        self.native.layout()
    }

    fn name(&self) -> &'static str {
        self.native.name()
    }

    fn parse(&self, parser: ParserId, packet: &[u8], state: &mut State, env: &mut dyn Environment) -> Parsed {
        self.of(env).parse(parser, packet, state, env)
    }

    fn control(
        &self,
        control: ControlId,
        state: &mut State,
        out: &mut Vec<u8>,
        env: &mut dyn Environment,
    ) -> Result<(), Fault> {
        self.of(env).control(control, state, out, env)
    }

    fn compile_pipeline(self: Arc<Self>, pipeline: Pipeline) -> Box<dyn CompiledPipeline> {
        self.native().compile_pipeline(pipeline)
    }
}
