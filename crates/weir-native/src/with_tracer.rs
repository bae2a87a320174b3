//! Native code together with an executor that traces.

use std::sync::Arc;

use weir_exec::{CompiledPipeline, Environment, Executor, Fault, Parsed, Pipeline};
use weir_ir::{ControlId, Layout, ParserId, State, ValidProgram};

use crate::native::Native;

/// Runs blocks by native code, or by another executor if the environment traces. Pipelines are
/// always native, because nothing in them is traced.
#[derive(Clone)]
pub struct NativeWithTracer {
    native: Arc<Native>,
    tracer: Arc<dyn Executor>,
}

impl Native {
    /// Adds an executor of the same program that runs blocks if the environment traces. It also
    /// runs blocks that Cranelift refuses when they first run; the [environment](Environment::warn)
    /// is warned of them.
    ///
    /// # Panics
    /// The tracer is of another program.
    pub fn with_tracer(self, tracer: Arc<dyn Executor>) -> NativeWithTracer {
        NativeWithTracer { native: Arc::new(self.with_fallback(Arc::clone(&tracer))), tracer }
    }
}

impl NativeWithTracer {
    /// Returns the native code alone, which reports no events.
    pub fn native(&self) -> Arc<Native> {
        Arc::clone(&self.native)
    }

    fn executor_for(&self, env: &dyn Environment) -> &dyn Executor {
        if env.tracing() { &*self.tracer } else { &*self.native }
    }
}

impl Executor for NativeWithTracer {
    fn program(&self) -> &ValidProgram {
        self.native.program()
    }

    fn layout(&self) -> &Layout {
        self.native.layout()
    }

    fn name(&self) -> &'static str {
        self.native.name()
    }

    fn parse(&self, parser: ParserId, packet: &[u8], state: &mut State, env: &mut dyn Environment) -> Parsed {
        self.executor_for(env).parse(parser, packet, state, env)
    }

    /// Runs a P4 control with the executor that the environment needs.
    fn control(
        &self,
        control: ControlId,
        state: &mut State,
        out: &mut Vec<u8>,
        env: &mut dyn Environment,
    ) -> Result<(), Fault> {
        self.executor_for(env).control(control, state, out, env)
    }

    fn compile_pipeline(self: Arc<Self>, pipeline: Pipeline) -> Box<dyn CompiledPipeline> {
        self.native().compile_pipeline(pipeline)
    }

    fn compile_blocks(&self) {
        self.native.compile_blocks();
    }
}
