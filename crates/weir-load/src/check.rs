//! Checking a program without running it.

use weir_compiler::hir::Program;
use weir_compiler::{Analysis, lower};
use weir_ir::ValidProgram;
use weir_switch::p4info::P4InfoError;
use weir_switch::{LoadError, LoadErrorKind, arch};
use weir_syntax::preprocess::SourceLoader;
use weir_syntax::{Diagnostic, Diagnostics, Severity, SourceMap, Span, with_stack};

use crate::compile::{analyse_for_target, from_other_compiler};
use crate::refusal::{p4info_problem, refusal, warning};

/// The result of checking a program.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Errors, warnings and notes; the program is valid if there is no error among them.
    pub diagnostics: Diagnostics,
    /// The texts that were read, to render the diagnostics with.
    pub sources: SourceMap,
}

/// Adds diagnostics about code that another switch refuses or runs differently.
pub type Comparison<'a> = &'a dyn Fn(&Program, &mut Diagnostics);

/// Checks that a program is valid P4 and, if Weir has its architecture, that it can be loaded.
///
/// In a program without `main`, or for an architecture that Weir does not have, only the language
/// is checked; a note says so.
///
/// `p4info` finds the parts of a program that P4Info cannot express; these are warnings. `target`
/// finds what another switch would do differently.
pub fn check(
    root: &str,
    loader: &dyn SourceLoader,
    defines: &[(String, String)],
    p4info: fn(&weir_ir::Program) -> Vec<P4InfoError>,
    target: Option<Comparison<'_>>,
) -> Checked {
    with_stack(|| check_here(root, loader, defines, p4info, target))
}

/// Checks that a program from another compiler can be loaded.
pub fn check_loaded(
    program: ValidProgram,
    texts: Vec<(String, String)>,
    p4info: fn(&weir_ir::Program) -> Vec<P4InfoError>,
) -> Checked {
    let mut compiled = from_other_compiler(program, texts);
    if let Some(program) = compiled.program.take() {
        let errors = arch::check(&program);
        compiled.diagnostics.extend(errors.iter().map(|error| refusal(error, &compiled.sources)));
        let unseen = p4info(&program);
        compiled.diagnostics.extend(unseen.iter().map(|problem| without_p4info(problem, &compiled.sources)));
    }
    Checked { diagnostics: compiled.diagnostics, sources: compiled.sources }
}

fn check_here(
    root: &str,
    loader: &dyn SourceLoader,
    defines: &[(String, String)],
    p4info: fn(&weir_ir::Program) -> Vec<P4InfoError>,
    target: Option<Comparison<'_>>,
) -> Checked {
    let Analysis { program, mut diagnostics, source_map: sources } =
        analyse_for_target(root, loader, defines);
    if let Some(program) = program {
        if let Some(compare) = target {
            compare(&program, &mut diagnostics);
        }
        let mut lowering = Diagnostics::new();
        let lowered = lower(&program, &sources, &mut lowering);
        let unloadable = match program.main_package() {
            None => Some(no_main(&program, &sources)),
            Some((package, span)) if !arch::packages().any(|known| known == package) => {
                Some(unknown_architecture(package, span))
            }
            Some(_) => None,
        };
        // Unsupported constructs are reported only if Weir could run the rest.
        let counts = |found: &&Diagnostic| unloadable.is_none() || found.id != "not-supported-yet";
        diagnostics.extend(lowering.iter().filter(counts).cloned());
        if !diagnostics.has_errors() {
            let program = lowered.filter(|_| unloadable.is_none());
            let errors = program.as_ref().map_or_else(Vec::new, arch::check);
            let ignored = program.as_ref().map_or_else(Vec::new, arch::warnings);
            let unseen = program.as_ref().map_or_else(Vec::new, |program| p4info(program));
            diagnostics.extend(unloadable);
            diagnostics.extend(errors.iter().map(|error| match error.kind {
                LoadErrorKind::UnknownArchitecture => other_package(error, &sources),
                _ => refusal(error, &sources),
            }));
            diagnostics.extend(unseen.iter().map(|problem| without_p4info(problem, &sources)));
            diagnostics.extend(ignored.iter().map(|found| warning(found, &sources)));
        }
    }
    Checked { diagnostics, sources }
}

/// Returns the diagnostic for a missing `main`. A program that includes an architecture and has
/// blocks for it should have a `main`; other files, such as files of headers, need none.
fn no_main(program: &Program, sources: &SourceMap) -> Diagnostic {
    let message = "this program has no `main`: it is checked, but it cannot be loaded";
    let package = program.outermost_package();
    let has_blocks = !program.controls.is_empty() && !program.parsers.is_empty();
    let diagnostic = match package.filter(|_| has_blocks) {
        Some(package) => Diagnostic::warning("no-main", message)
            .note(format!("end the program with an instance of the package: `{package}(…) main;`")),
        None => Diagnostic::note_about("no-main", message),
    };
    diagnostic.primary(sources.end_of_program(), "no instance of a package called `main`")
}

/// Returns the note for a package that has the name of an architecture's package, but other
/// parameters.
fn other_package(error: &LoadError, sources: &SourceMap) -> Diagnostic {
    let mut note = refusal(error, sources);
    note.severity = Severity::Note;
    note.note("the program is checked, but it cannot be loaded")
}

/// Returns the warning for wrong ids. The program runs, but has no P4Info.
fn without_p4info(problem: &P4InfoError, sources: &SourceMap) -> Diagnostic {
    let mut warning = p4info_problem(problem, sources);
    warning.severity = Severity::Warning;
    warning.note("the program has no P4Info, which P4Runtime controllers need")
}

fn unknown_architecture(package: &str, span: Span) -> Diagnostic {
    let known: Vec<String> = arch::packages().map(|known| format!("`{known}`")).collect();
    let diagnostic = Diagnostic::note_about(
        "unknown-architecture",
        format!("Weir has no architecture with the package `{package}`: the program is checked, but it cannot be loaded"),
    )
    .primary(span, "");
    diagnostic.note(format!("Weir runs programs of {}", known.join(", ")))
}
