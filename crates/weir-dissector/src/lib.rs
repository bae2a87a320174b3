//! Dissectors in Lua, with which Wireshark and tshark show the headers that a P4 program's parser
//! extracts.
//!
//! - **Input:** a program in the IR, before or after its blocks are bound.
//! - **Output:** the text of a Lua script, or the reasons why a dissector cannot know what the
//!   parser does.
//! - **Contains:** the translation of a parser's states to Lua, and of headers to Wireshark's
//!   fields. `runtime.lua` and `show.lua` are the parts that all scripts have.
//! - **Must not know:** P4 syntax, architectures, switches, files.
//!
//! The script runs the whole parser on each frame, as the interpreter does:
//! `docs/explanation/ir.md` defines what each construct means.

mod code;
mod expression;
mod fields;
mod lua;
mod names;
mod needed;
mod script;
mod statement;

use std::fmt;

use weir_ir::{Loc, Package, ParserId, Program};

/// A reason why a program has no dissector, and its place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, and what to do.
    pub message: String,
    /// The file, as the user gave it; empty if the program has no files.
    pub file: String,
    /// The line and the column, counted from 1.
    pub place: (u32, u32),
}

impl Refusal {
    fn new(program: &Program, loc: Loc, message: impl Into<String>) -> Self {
        let file =
            program.files.get(loc.file as usize).filter(|_| loc.is_some()).cloned().unwrap_or_default();
        Self { message: message.into(), file, place: (loc.line, loc.column) }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.place;
        if self.file.is_empty() {
            write!(f, "{}", self.message)
        } else {
            write!(f, "{}:{line}:{column}: {}", self.file, self.message)
        }
    }
}

/// Writes the dissector of a program. `stem` is the program's name, from which the name of the
/// protocol comes: `p4_router` for `router`.
///
/// # Errors
///
/// Returns every reason why there is no dissector: the program has no parser or several without a
/// package, or a step of the parser depends on data that captures do not contain.
pub fn dissector(program: &Program, stem: &str) -> Result<String, Vec<Refusal>> {
    let parser = parser_of(program).map_err(|refusal| vec![refusal])?;
    script::write(program, parser, stem)
}

/// Returns the parser that reads packets from the wire: the first of the package, or the only one.
fn parser_of(program: &Program) -> Result<ParserId, Refusal> {
    if let Some(id) = program.main.as_ref().and_then(Package::first_parser) {
        return Ok(id);
    }
    let parsers: Vec<ParserId> = program.parsers.iter().map(|(id, _)| id).collect();
    match parsers[..] {
        [only] => Ok(only),
        [] => Err(Refusal::new(
            program,
            Loc::default(),
            "the program has no parser, so there is nothing to dissect",
        )),
        [_, second, ..] => {
            let names: Vec<&str> = program.parsers.values().map(|parser| parser.name.as_str()).collect();
            let message = format!(
                "the program has several parsers ({}) and no `main` that says which one reads packets: instantiate a package",
                names.join(", ")
            );
            Err(Refusal::new(program, program.parsers[second].loc, message))
        }
    }
}
