//! Finds the parts of a valid P4 program that other switches refuse or run differently.
//!
//! The input is a checked program (`weir_compiler::hir`). The output is a warning for each place
//! that another tool chain treats differently, with the reason and its source. The only target is
//! BMv2, with p4c's `p4c-bm2-ss` and `simple_switch`. This crate knows the names of v1model, but
//! not how Weir runs a program.
//!
//! Each [`Rule`] is a row of the table in [`rules`]. Each of the other modules finds the places in
//! one kind of code.

mod checksum;
mod code;
mod control_flow;
mod counters;
mod expressions;
mod externs;
mod field_lists;
mod metadata;
mod model_enums;
mod names;
mod report;
mod rules;
mod select;
mod select_keys;
mod signed_data;
mod stacks;
mod statements;
mod tables;
mod types;

use weir_compiler::hir::Program;
use weir_syntax::{Diagnostic, Diagnostics};

use crate::code::Code;
use crate::report::Report;
pub use crate::rules::{Kind, Rule, rules};

/// A switch other than Weir on which the program might run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// `p4c-bm2-ss` and `simple_switch`.
    Bmv2,
}

impl Target {
    /// All switches for which the program can be checked.
    pub const ALL: [Target; 1] = [Target::Bmv2];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Target::Bmv2 => "bmv2",
        }
    }

    /// Finds a target by its name.
    ///
    /// # Errors
    /// There is no such target; the message suggests the most similar name, and lists all targets.
    pub fn by_name(name: &str) -> Result<Target, String> {
        Self::ALL.into_iter().find(|target| target.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|target| target.name()).collect();
            let near = weir_suggest::nearest(name, names.iter().copied());
            let hint = near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
            format!("no target is called \"{name}\"; there is {}{hint}", names.join(", "))
        })
    }

    /// Adds a warning to `diagnostics` for each place in `program` that this target refuses or
    /// treats differently, except those that `@noWarn` silences.
    ///
    /// Only code that is reachable from `main` counts. A note reports a program for an architecture
    /// other than the target's.
    pub fn check(self, program: &Program, diagnostics: &mut Diagnostics) {
        let mut reported = Diagnostics::new();
        match self {
            Target::Bmv2 => bmv2(program, &mut reported),
        }
        weir_lint::silence(program, &mut reported);
        diagnostics.extend(reported.iter().cloned());
    }

    /// Adds the note that p4c's JSON is not compared with other switches, because it contains no P4
    /// text.
    pub fn skip_translated(self, diagnostics: &mut Diagnostics) {
        let message = format!("a check for the target {} needs the P4 program, not p4c's JSON", self.name());
        diagnostics.push(Diagnostic::note_about("target-not-compared", message));
    }
}

fn bmv2(program: &Program, diagnostics: &mut Diagnostics) {
    let Some((package, span)) = program.main_package() else { return };
    let Some(code) = Code::of_v1model(program) else {
        let message = format!("the target bmv2 can check only programs of `V1Switch`, not of `{package}`");
        diagnostics.push(Diagnostic::note_about("target-not-compared", message).primary(span, ""));
        return;
    };
    let mut report = Report::new(diagnostics);
    types::run(&code, &mut report);
    select::run(&code, &mut report);
    statements::run(&code, &mut report);
    checksum::run(&code, &mut report);
    expressions::run(&code, &mut report);
    externs::run(&code, &mut report);
    tables::run(&code, &mut report);
    signed_data::run(&code, &mut report);
    control_flow::run(&code, &mut report);
    metadata::run(&code, &mut report);
    model_enums::run(&code, &mut report);
    select_keys::run(&code, &mut report);
    stacks::run(&code, &mut report);
    counters::run(&code, &mut report);
    field_lists::run(&code, &mut report);
}
