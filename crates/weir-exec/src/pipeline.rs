//! Checked pipelines.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use weir_ir::{ExternCall, TableId, ValidProgram, VarId};

use crate::extern_semantics::ExternSemantics;
use crate::pipeline_check::check;
use crate::pipeline_error::PipelineError;
use crate::pipeline_spec::{PipelineSpec, Stage};
use crate::private_vars::private_vars;

/// A checked pipeline of a program's blocks. Executors rely on the rules that the check enforces. A
/// pipeline cannot be changed, and a clone is the same pipeline.
///
/// Code outside this module cannot create one without the checks:
///
/// ```compile_fail,E0451
/// let program = weir_ir::validate(weir_ir::Program::default()).unwrap();
/// let note = weir_exec::Stage::Output(weir_ir::VarId::new(0), 1_000_000);
/// let spec = weir_exec::PipelineSpec { stages: vec![note], ..Default::default() };
/// let (private, positions) = Default::default();
/// let pipeline = weir_exec::Pipeline { program, spec: spec.into(), private, positions };
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    program: ValidProgram,
    spec: Arc<PipelineSpec>,
    private: Arc<BTreeMap<VarId, usize>>,
    /// The position of each call in [`PipelineSpec::extern_semantics`].
    positions: Arc<FxHashMap<ExternCall, usize>>,
}

impl Pipeline {
    /// Checks a pipeline of a program.
    ///
    /// # Errors
    /// The specification names something that the program does not have, or breaks a rule of
    /// [`PipelineError`].
    pub fn new(program: &ValidProgram, spec: PipelineSpec) -> Result<Self, PipelineError> {
        check(program, &spec)?;
        let private = Arc::new(private_vars(program, &spec));
        let mut positions = FxHashMap::default();
        for (position, (call, _)) in spec.extern_semantics.iter().enumerate() {
            positions.entry(call.clone()).or_insert(position);
        }
        Ok(Self { program: program.clone(), spec: Arc::new(spec), private, positions: Arc::new(positions) })
    }

    /// Returns the program whose blocks the pipeline runs.
    pub fn program(&self) -> &ValidProgram {
        &self.program
    }

    /// Returns the specification from which the pipeline was made.
    pub fn spec(&self) -> &PipelineSpec {
        &self.spec
    }

    /// Returns [`PipelineSpec::inputs`].
    pub fn inputs(&self) -> &[Option<VarId>] {
        &self.spec.inputs
    }

    /// Returns [`PipelineSpec::stages`].
    pub fn stages(&self) -> &[Stage] {
        &self.spec.stages
    }

    /// Returns [`PipelineSpec::outputs`].
    pub fn outputs(&self) -> usize {
        self.spec.outputs
    }

    /// Returns [`PipelineSpec::cacheable_tables`].
    pub fn cacheable_tables(&self) -> &[TableId] {
        &self.spec.cacheable_tables
    }

    /// Returns the variables that only one parser or control of this pipeline uses, and that the
    /// caller does not read, each with the position of its stage. No code reads them after that
    /// stage, so a state that is kept later need not contain them.
    pub fn private_vars(&self) -> &BTreeMap<VarId, usize> {
        &self.private
    }

    /// Returns the effect of an extern call.
    pub fn semantics(&self, call: &ExternCall) -> &ExternSemantics {
        let position = self.positions.get(call);
        position.map_or(&ExternSemantics::Call, |position| &self.spec.extern_semantics[*position].1)
    }
}
