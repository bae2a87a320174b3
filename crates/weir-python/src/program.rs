//! Checks and compiles P4 programs.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use weir_bfrt::info::ProgramInfo;
use weir_device::Port;
use weir_exec::Executor;
use weir_load::{Compiled, p4info_problem};
use weir_p4runtime::format::{Format, write};
use weir_portability::Target;
use weir_switch::control::Schema;
use weir_switch::p4info::{P4InfoError, controller_headers};
use weir_switch::{OwnExterns, Switch, SwitchConfig, arch};
use weir_syntax::diagnostic::{PlainLabel, PlainSuggestion};
use weir_syntax::{Diagnostics, SourceMap};

use crate::declarations::Declarations;
use crate::record::{Tuple, records};
use crate::{errors, own_externs, value};
use weir_control::value::read_value;
use weir_load::{BUILT_IN_FOLDER, Executors, ProgramFile};

/// A range in a file: file name, line and column of the start, line and column of the end
/// (exclusive). Lines and columns count from 1.
type Range = (String, usize, usize, usize, usize);

records! {
    /// A place of a finding, with a message.
    Label {
        /// The file, first line and column, line and column of the end (exclusive), all counted
        /// from 1.
        place: Range,
        /// The message about the place; may be empty.
        message: String,
        /// Whether the label marks the mistake itself, and not another place that explains it.
        primary: bool,
    }

    /// A change of the text that may correct a mistake.
    Suggestion {
        /// The range of text to replace, in the form of a label's place. An empty range inserts
        /// text.
        place: Range,
        /// The suggested change, in words.
        message: String,
        /// The text that replaces the range; empty to delete the range.
        replacement: String,
    }
}

/// One diagnostic: an error or a warning.
#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Diagnostic {
    severity: &'static str,
    id: String,
    message: String,
    file: Option<String>,
    line: usize,
    column: usize,
    rendered: String,
    labels: Tuple<Label>,
    notes: Tuple<String>,
    suggestions: Tuple<Suggestion>,
}

/// A field of a header: name, width in bits, whether it is a varbit.
type FieldRow = (String, u32, bool);

/// A header with `@controller_header`: the annotation's text; names and widths of its fields.
type ControllerHeader = (String, Vec<(String, u32)>);

/// A compiled program, ready for switches.
#[pyclass(frozen)]
pub struct Program {
    program: weir_ir::ValidProgram,
    /// The executor of all packets, which all switches of the program share.
    pub executor: Arc<dyn Executor>,
    /// The executor of all packets, including traced packets. If it runs machine code, traces have
    /// no steps inside blocks.
    pub untraced: Arc<dyn Executor>,
    /// The program's objects for the control plane.
    pub schema: Arc<Schema>,
    warnings: Vec<Diagnostic>,
    refusal: Option<String>,
    /// The source texts of the program.
    sources: Arc<SourceMap>,
    /// Whether diagnostics have terminal colours.
    colour: bool,
    /// The code of externs that the program declares itself.
    pub own_externs: OwnExterns,
}

impl Program {
    /// Returns the program of a running switch, without diagnostics and source text.
    pub fn from_switch(switch: &Switch) -> Self {
        let executor = Arc::clone(switch.executor());
        Self {
            program: executor.program().clone(),
            untraced: Arc::clone(&executor),
            executor,
            schema: Arc::new(switch.schema().clone()),
            warnings: Vec::new(),
            refusal: None,
            sources: Arc::default(),
            colour: false,
            own_externs: switch.config().own_externs.clone(),
        }
    }
}

#[pymethods]
impl Program {
    /// Returns the file with `main`, as the user gave it.
    fn path(&self) -> String {
        let file = self.program.main.as_ref().and_then(|main| self.program.files.get(main.loc.file as usize));
        file.cloned().unwrap_or_default()
    }

    /// Returns the name of the executor: `native` or `interp`.
    fn executor(&self) -> &'static str {
        self.executor.name()
    }

    /// Describes whether GSO frames and partial checksums reach the program unchanged, and if not,
    /// why.
    fn whole_frames(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| arch::whole_frames(&self.program).map_or_else(Vec::new, |frames| frames.lines()))
    }

    /// Returns the names of the externs whose code is in Python.
    fn own_externs(&self) -> Vec<&str> {
        self.own_externs.names()
    }

    /// Returns the reason why machine code cannot run the program. `None` if machine code runs, if
    /// the user chose the interpreter, or if the processor does not support machine code.
    fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Returns the same program with the executor of this name.
    fn with_executor(&self, py: Python<'_>, name: &str) -> PyResult<Self> {
        let Executors { traced, untraced, refusal } = py
            .detach(|| weir_load::executors(self.program.clone(), Some(name)))
            .map_err(errors::network_error)?;
        Ok(Self {
            program: self.program.clone(),
            executor: traced,
            untraced,
            schema: Arc::clone(&self.schema),
            warnings: self.warnings.clone(),
            refusal,
            sources: Arc::clone(&self.sources),
            colour: self.colour,
            own_externs: self.own_externs.clone(),
        })
    }

    /// Returns the program's declarations for the control plane.
    fn declarations(&self) -> Declarations {
        Declarations(Arc::clone(&self.schema))
    }

    /// Returns the header instances with their fields in wire order: name, width in bits (for a
    /// varbit the maximum), whether the field is a varbit.
    fn headers(&self) -> Vec<(String, Vec<FieldRow>)> {
        let program = self.executor.program();
        let field = |field: &weir_ir::HeaderField| {
            (field.name.clone(), field.ty.width(), matches!(field.ty, weir_ir::Type::Varbit { .. }))
        };
        let header = |header: &weir_ir::Header| {
            (header.name.clone(), program.header_types[header.ty].fields.iter().map(field).collect())
        };
        program.headers.values().map(header).collect()
    }

    /// Returns the headers with `@controller_header`: the annotation's name, and the fields in wire
    /// order with their widths in bits.
    fn controller_headers(&self) -> Vec<ControllerHeader> {
        let program = self.executor.program();
        let field = |field: &weir_ir::HeaderField| (field.name.clone(), field.ty.width());
        controller_headers(program)
            .filter(|(id, _)| program.headers.values().any(|header| header.ty == *id))
            .map(|(id, name)| (name.to_owned(), program.header_types[id].fields.iter().map(field).collect()))
            .collect()
    }

    /// Reads the value of a field of the header in front of packets from the controller. The value
    /// may have any form that table keys accept.
    fn packet_out_value(&self, field: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        let declared = self.schema.packet_out.iter().find(|known| known.name == field);
        let known = declared.ok_or_else(|| errors::control(format!("packet_out has no field {field}")))?;
        let value = read_value(&value::read(given)?, known);
        let value = value.map_err(|error| errors::request(&error.in_part(format!("packet_out: {field}"))))?;
        Ok(value.to_be_bytes())
    }

    /// Returns the action parameters that choose the output port of a packet, each with the name of
    /// its action.
    fn port_params(&self) -> Vec<(String, String)> {
        arch::port_params(self.executor.program())
    }

    /// Returns the largest number of a port, and the number that means "drop" instead of a port.
    fn port_space(&self) -> (Port, Option<Port>) {
        let space = arch::port_space(self.executor.program());
        space.map_or((Port::MAX, None), |space| (space.last_port(), space.drop))
    }

    /// Returns the tables that egress applies, by name.
    fn egress_tables(&self) -> Vec<String> {
        let program = self.executor.program();
        arch::egress_tables(program).into_iter().map(|id| program.tables[id].name.clone()).collect()
    }

    /// Returns whether the program recirculates packets, so that copies to a port without a link
    /// can re-enter the switch.
    fn recirculates(&self) -> bool {
        arch::can_recirculate(self.executor.program())
    }

    /// Returns the names and contents of the source files, without the include files of Weir.
    fn sources(&self) -> Vec<(String, String)> {
        source_files(&self.sources).collect()
    }

    fn warnings(&self) -> Vec<Diagnostic> {
        self.warnings.clone()
    }

    /// Returns the program's P4Info for P4Runtime controllers as `text`, `json` or `binary`, or the
    /// reason why there is none.
    fn p4info<'py>(
        &self,
        py: Python<'py>,
        format: &str,
    ) -> PyResult<(Option<Bound<'py, PyBytes>>, Vec<Diagnostic>)> {
        let format = Format::named(format).ok_or_else(|| {
            errors::network_error(format!("there is no format \"{format}\" (text, json, binary)"))
        })?;
        Ok(match weir_p4runtime::p4info::p4info(self.executor.program()) {
            Ok(info) => (Some(PyBytes::new(py, &write(&info, format))), Vec::new()),
            Err(problems) => (None, self.p4info_findings(&problems)),
        })
    }

    /// Returns the program's tables as BfRt describes them, in JSON, or the reason why there are
    /// none.
    fn bfrt_json(&self) -> (Option<String>, Vec<Diagnostic>) {
        match ProgramInfo::new(self.executor.program(), &self.schema) {
            Ok(info) => (Some(weir_bfrt::info::text(&info.tables, &info.learns)), Vec::new()),
            Err(problems) => (None, self.p4info_findings(&problems)),
        }
    }

    /// Returns the IR that runs, as text. Programs with the same operations have the same text.
    fn text(&self, py: Python<'_>) -> String {
        py.detach(|| weir_ir::text::print(&self.program))
    }
}

impl Program {
    /// Converts the reasons why a program has no P4Info.
    fn p4info_findings(&self, problems: &[P4InfoError]) -> Vec<Diagnostic> {
        let mut reported = Diagnostics::default();
        reported.extend(problems.iter().map(|problem| p4info_problem(problem, &self.sources)));
        findings(&reported, &self.sources, self.colour)
    }
}

/// Converts diagnostics, in source order.
pub fn findings(found: &Diagnostics, sources: &SourceMap, colour: bool) -> Vec<Diagnostic> {
    let plain = |d: &weir_syntax::Diagnostic| {
        let place = sources.location(sources.user_site(d.span()));
        let plain = d.to_plain(sources);
        Diagnostic {
            severity: plain.severity,
            id: d.id.to_owned(),
            file: place.as_ref().map(|p| p.file.clone()),
            line: place.as_ref().map_or(0, |p| p.line),
            column: place.as_ref().map_or(0, |p| p.column),
            rendered: d.render(sources, colour),
            message: plain.message,
            labels: plain.labels.into_iter().map(label).collect(),
            notes: plain.notes.into_iter().collect(),
            suggestions: plain.suggestions.into_iter().map(suggestion).collect(),
        }
    };
    let mut findings: Vec<Diagnostic> = found.sorted(sources).into_iter().map(plain).collect();
    if found.suppressed_count() > 0 {
        let message = format!("and {} more that are not shown", found.suppressed_count());
        findings.push(Diagnostic {
            severity: if found.has_errors() { "error" } else { "warning" },
            id: "too-many".to_owned(),
            rendered: message.clone(),
            message,
            file: None,
            line: 0,
            column: 0,
            labels: Tuple::default(),
            notes: Tuple::default(),
            suggestions: Tuple::default(),
        });
    }
    findings
}

fn label(label: PlainLabel) -> Label {
    let PlainLabel { file, line, column, end_line, end_column, message, primary } = label;
    Label { place: (file, line, column, end_line, end_column), message, primary }
}

fn suggestion(suggestion: PlainSuggestion) -> Suggestion {
    let PlainSuggestion { at, message, replacement } = suggestion;
    Suggestion { place: label(at).place, message, replacement }
}

/// Checks a program and returns its diagnostics in source order.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    path: String,
    text: String,
    include: Vec<PathBuf>,
    defines: Vec<(String, String)>,
    target: Option<String>,
    colour: bool,
) -> PyResult<Vec<Diagnostic>> {
    let target = target.map(|name| Target::by_name(&name)).transpose().map_err(PyValueError::new_err)?;
    py.detach(|| {
        let compare = |program: &_, diagnostics: &mut _| {
            target.iter().for_each(|target| target.check(program, diagnostics));
        };
        let p4info =
            |program: &weir_ir::Program| weir_p4runtime::p4info::p4info(program).err().unwrap_or_default();
        let checked = match ProgramFile::new(path, text, include, defines).map_err(errors::program_file)? {
            ProgramFile::P4(file) => {
                weir_load::check(&file.name, &*file.loader, &file.defines, p4info, Some(&compare))
            }
            ProgramFile::Bmv2(file) => {
                let mut checked = weir_load::check_loaded(file.program, file.sources, p4info);
                target.iter().for_each(|target| target.skip_translated(&mut checked.diagnostics));
                checked
            }
        };
        Ok(findings(&checked.diagnostics, &checked.sources, colour))
    })
}

/// Returns the names of the switches for which a program's portability can be checked.
#[pyfunction]
pub fn targets() -> Vec<&'static str> {
    Target::ALL.iter().map(|target| target.name()).collect()
}

/// Preprocesses a program. Returns the output, the files that were read, and the diagnostics.
#[pyfunction]
pub fn preprocess(
    py: Python<'_>,
    path: String,
    text: String,
    include: Vec<PathBuf>,
    defines: Vec<(String, String)>,
    colour: bool,
) -> PyResult<(String, Vec<String>, Vec<Diagnostic>)> {
    py.detach(|| {
        let file = ProgramFile::new(path, text, include, defines).and_then(ProgramFile::into_p4);
        let file = file.map_err(errors::program_file)?;
        let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
        let (name, loader, defines) = (&file.name, &*file.loader, weir_load::with_target(&file.defines));
        let left = weir_syntax::preprocess::text(name, loader, &defines, &mut sources, &mut found);
        let files = source_files(&sources).map(|(name, _)| name).collect();
        Ok((left, files, findings(&found, &sources, colour)))
    })
}

/// Returns the names and contents of the files that were read, without the include files of Weir
/// and without sources that are not files.
fn source_files(sources: &SourceMap) -> impl Iterator<Item = (String, String)> {
    let is_file = |name: &str| !name.starts_with(BUILT_IN_FOLDER) && !name.starts_with('<');
    let files = sources.files().iter().filter(move |file| is_file(file.name()));
    files.map(|file| (file.name().to_owned(), file.text().to_owned()))
}

/// Compiles a program. Returns diagnostics, and no program if it has errors.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the settings of a compilation, as Python gives them")]
pub fn compile(
    py: Python<'_>,
    path: String,
    text: String,
    include: Vec<PathBuf>,
    defines: Vec<(String, String)>,
    executor: Option<String>,
    colour: bool,
    externs: &Bound<'_, PyDict>,
) -> PyResult<(Option<Program>, Vec<Diagnostic>)> {
    let externs_of_caller = own_externs::read(externs)?;
    py.detach(|| {
        let mut compiled =
            match ProgramFile::new(path, text, include, defines).map_err(errors::program_file)? {
                ProgramFile::P4(file) => weir_load::compile(&file.name, &*file.loader, &file.defines),
                ProgramFile::Bmv2(file) => weir_load::from_other_compiler(file.program, file.sources),
            };
        let reported = |compiled: &Compiled| findings(&compiled.diagnostics, &compiled.sources, colour);
        let Some(program) = compiled.program.take() else { return Ok((None, reported(&compiled))) };
        let Executors { traced: executor, untraced, refusal } =
            weir_load::executors(program.clone(), executor.as_deref()).map_err(errors::network_error)?;
        own_externs::refuse_unused(&externs_of_caller, &program)?;
        // A switch without ports checks that the program loads, and lists its objects.
        let config = SwitchConfig { own_externs: externs_of_caller.clone(), ..SwitchConfig::default() };
        match Switch::new(executor.clone(), config) {
            Ok(switch) => {
                let (schema, warnings) = (Arc::new(switch.schema().clone()), reported(&compiled));
                let sources = Arc::new(compiled.sources);
                let program = Program {
                    program,
                    executor,
                    untraced,
                    schema,
                    warnings,
                    refusal,
                    sources,
                    colour,
                    own_externs: externs_of_caller,
                };
                Ok((Some(program), Vec::new()))
            }
            Err(error) => {
                compiled.refuse(&program, &error, &externs_of_caller);
                Ok((None, reported(&compiled)))
            }
        }
    })
}
