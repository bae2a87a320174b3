//! Warnings about valid code that is probably a mistake, for programs without errors.
//!
//! - **Input:** a program, as text or as the compiler's typed tree with the checker's warnings.
//! - **Output:** additional warnings, without those that `@noWarn` silences.
//! - **Independent of:** the IR, switches, the semantics of architectures.
//!
//! Each analysis has a file. [`flow`] is a data-flow analysis from the parser to the deparser; the
//! others check declarations and expressions one by one. To avoid false positives, code that an
//! analysis cannot follow causes no warning.

mod annotation_context;
mod annotations;
mod call_limits;
mod compare;
mod compared_constants;
mod constant_args;
mod constant_key;
mod constant_variables;
mod covered;
mod covered_entries;
mod diagram;
mod emitted;
mod facts;
mod flow;
mod header_as_metadata;
mod ignored_annotation;
mod known_annotations;
mod possible_values;
mod select;
mod silence;
mod stale_checksum;
mod state_set;
mod storage;
mod translation_width;
mod unaligned;
mod unreachable_case;
mod unused;
mod unwritten;
mod warning_ids;
mod zero_size;

use weir_syntax::Diagnostics;

use weir_compiler::hir::Program;
use weir_compiler::{Analysis, check, hir};
use weir_syntax::preprocess::SourceLoader;

/// Parses and checks a program, and adds warnings, without those that `@noWarn` silences; see
/// [`weir_compiler::analyse`].
pub fn analyse(root: &str, loader: &dyn SourceLoader, defines: &[(String, String)]) -> Analysis {
    let mut analysis = weir_compiler::analyse(root, loader, defines);
    if let Some(program) = &analysis.program {
        lint(program, &mut analysis.diagnostics);
    }
    analysis
}

/// Adds warnings about a checked program to `diagnostics`, and removes the warnings, including the
/// checker's, that `@noWarn("id")` on an enclosing declaration silences.
pub fn lint(program: &Program, diagnostics: &mut Diagnostics) {
    let headers = header_as_metadata::run(program, diagnostics);
    flow::run(program, headers, diagnostics);
    compare::run(program, diagnostics);
    select::run(program, diagnostics);
    unused::run(program, diagnostics);
    unaligned::run(program, diagnostics);
    unwritten::run(program, diagnostics);
    stale_checksum::run(program, diagnostics);
    covered_entries::run(program, diagnostics);
    zero_size::run(program, diagnostics);
    let settled = constant_variables::ConstantVariables::collect(program);
    annotations::run(program, &settled, diagnostics);
    call_limits::run(program, &settled, diagnostics);
    unreachable_case::run(program, diagnostics);
    constant_key::run(program, diagnostics);
    translation_width::run(program, diagnostics);
    silence(program, diagnostics);
}

/// Removes the warnings that `@noWarn("id")` on an enclosing declaration silences.
pub fn silence(program: &Program, diagnostics: &mut Diagnostics) {
    silence::run(program, diagnostics);
}
