//! The stages from the source text of a program to its first packet: the IR after each stage, and
//! the time that each stage takes.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use pyo3::prelude::*;
use weir_bench::Shape;
use weir_device::Buffer;
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::{Diagnostics, SourceMap, with_stack};

use crate::errors;
use crate::program::{Diagnostic, findings};
use weir_load::{Executors, P4File, ProgramFile};

/// Measures the duration of each stage in seconds, in order. Returns an empty list if the program
/// has errors, or is a JSON file of p4c.
#[pyfunction]
pub fn compile_stages(
    py: Python<'_>,
    path: String,
    text: String,
    include: Vec<PathBuf>,
    defines: Vec<(String, String)>,
    executor: Option<String>,
) -> PyResult<Option<Vec<(&'static str, f64)>>> {
    py.detach(|| {
        with_stack(|| {
            let file = ProgramFile::new(path, text, include, defines).and_then(ProgramFile::into_p4);
            let P4File { name, loader, defines } = file.map_err(errors::program_file)?;
            let mut stages = Vec::new();
            let mut start = Instant::now();
            let mut record = |stage| {
                stages.push((stage, start.elapsed().as_secs_f64()));
                start = Instant::now();
            };
            let (mut found, mut sources) = (Diagnostics::new(), SourceMap::new());
            let ast = weir_syntax::parse(&name, &*loader, &defines, &mut sources, &mut found);
            record("parse");
            if found.has_errors() {
                return Ok(None);
            }
            let checked = weir_compiler::check(&ast, None, &mut found);
            let Some(checked) = checked else { return Ok(None) };
            weir_lint::lint(&checked, &mut found);
            record("check");
            let Some(program) = weir_compiler::lower(&checked, &sources, &mut found) else { return Ok(None) };
            record("lower");
            let Ok(program) = arch::bind(program) else { return Ok(None) };
            record("passes");
            let last_port = arch::port_space(&program).map_or(0, |space| space.last_port().min(65_535));
            let Executors { traced: executor, .. } =
                weir_load::executors(program, executor.as_deref()).map_err(errors::network_error)?;
            record("executor");
            let config =
                SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports(0..=last_port) };
            let Ok(mut switch) = Switch::new(executor, config) else { return Ok(None) };
            let mut buffers = [Buffer::new(64)];
            buffers[0].receive(0, 0, &Shape::udp(64, 1).template);
            switch.forward(0, &mut buffers, &mut Vec::new());
            black_box(buffers[0].metadata.egress_port);
            record("first packet");
            Ok(Some(stages))
        })
    })
}

/// Returns the stages of the IR of a program, in order, each with a description.
#[pyfunction]
pub fn ir_stages() -> Vec<(&'static str, &'static str)> {
    arch::STAGES.to_vec()
}

/// Returns the IR of a program after a stage, as text. Returns only diagnostics if the program has
/// errors. The program needs no `main`.
#[pyfunction]
pub fn ir(
    py: Python<'_>,
    path: String,
    text: String,
    include: Vec<PathBuf>,
    defines: Vec<(String, String)>,
    after: &str,
    colour: bool,
) -> PyResult<(Option<String>, Vec<Diagnostic>)> {
    py.detach(|| {
        let compiled = match ProgramFile::new(path, text, include, defines).map_err(errors::program_file)? {
            ProgramFile::P4(file) => weir_load::ir_after(&file.name, &*file.loader, &file.defines, after),
            ProgramFile::Bmv2(file) => weir_load::from_other_compiler(file.program, file.sources),
        };
        let reported = findings(&compiled.diagnostics, &compiled.sources, colour);
        Ok((compiled.program.as_ref().map(|program| weir_ir::text::print(program)), reported))
    })
}
