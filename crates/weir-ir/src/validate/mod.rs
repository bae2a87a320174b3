//! The rules that every program must obey. Executors take a [`ValidProgram`], which only
//! [`validate`] creates; every pass validates its result.
//!
//! - **Handles** refer to items that exist; source places name files that exist. (`handles`)
//! - **Names** are unique within their kind: types, variables, headers, stacks, externs, value
//!   sets, actions, procedures, tables, parsers, controls; fields of a header type, members of an
//!   enumeration, errors, states of a parser, parameters of a block, arguments of a package and of
//!   an extern call. (`storage`, `blocks`)
//! - **Types** are at most 2048 bits wide, a `varbit` at most 131 072, all variables together take
//!   at most 2^24 words. Header types have fields of type `bool`, `bit`, `int` and `varbit`.
//!   (`storage`)
//! - **Headers** have a variable for each field of their type, of its type and with the role of a
//!   field, and a `bool` with the role of their validity bit; **stacks** have elements of one type,
//!   each in no other place, and a `bit<32>` with the role of their counter; no other variables
//!   have these roles. A header is in at most one **union**, which it names. (`storage`)
//! - **Errors** of a program with parsers are those of `core.p4`, `NoError` first, possibly
//!   followed by others. (`storage`)
//! - **Expressions** have the types that their operators require; constants have the width of their
//!   type. (`expr`)
//! - **Assignments** are to places of the value's type, never to validity bits or stack counters.
//!   `invalidate_others` names a header of a union. Extern calls write validity bits together with
//!   their headers' fields; only stack statements write counters. (`stmt`)
//! - **Parser statements** (extract, lookahead, advance, verify, the packet's length) run in
//!   parsers only, **control statements** (apply, emit, exit) in controls only, also through calls.
//!   `return` is not allowed in parsers themselves, `break` and `continue` only in loops, `next`
//!   only in extract. (`stmt`, `calls`)
//! - **Extract** reads headers with at most one `varbit`, and gives its length if and only if there
//!   is one. (`stmt`)
//! - **Calls** of procedures, actions and tables have no cycle. (`calls`)
//! - **Action data** has the parameters' number and widths; parameters are plain variables, and
//!   each belongs to one action. (`table`)
//! - **Tables** list the actions of their default and entries, each once and as allowed; entries
//!   have one keyset of the right width for each key; keys have fixed widths. (`table`)
//! - **Selects** have as many keysets of the right widths in each case as keys; a value set covers
//!   its keys. (`blocks`)
//! - **Parameters** have one path for each variable, headers with all their variables, and stacks
//!   with all their elements. (`blocks`)

mod blocks;
mod calls;
mod declared;
mod expr;
mod handles;
mod stmt;
mod storage;
mod table;
#[cfg(test)]
mod tests;
mod valid;

pub use valid::{ValidProgram, validate};

use std::fmt;

use crate::loc::Loc;
use crate::program::Program;
use crate::text;
use crate::types::Type;
use crate::{Bits, Expr};

/// A rule that a program breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Path, line and column in the user's source, if there is such a place.
    pub place: Option<(String, u32, u32)>,
    /// The item that contains it: a control, an action, a variable.
    pub within: String,
    /// The mistake, with the program's names.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line, column)) = &self.place {
            write!(f, "{file}:{line}:{column}: ")?;
        }
        if !self.within.is_empty() {
            write!(f, "in `{}`: ", self.within)?;
        }
        f.write_str(&self.message)
    }
}

/// Returns the rules of this module that a program breaks; empty if it is valid.
pub fn violations(program: &Program) -> Vec<Violation> {
    let mut validator = Validator { program, violations: Vec::new(), within: String::new(), loc: Loc::NONE };
    validator.handles();
    // The storage rules look up handles, and all other rules rely on valid handles and storage.
    if validator.violations.is_empty() {
        validator.storage();
    }
    if validator.violations.is_empty() {
        validator.tables();
        validator.blocks();
        validator.calls();
    }
    validator.violations
}

/// The state of a validation: the rules broken so far, and the current item.
struct Validator<'a> {
    program: &'a Program,
    violations: Vec<Violation>,
    within: String,
    loc: Loc,
}

impl Validator<'_> {
    /// Begins the checks of an item, which messages name.
    fn enter(&mut self, within: &str, loc: Loc) {
        within.clone_into(&mut self.within);
        self.loc = loc;
    }

    /// Records that the program breaks a rule at the current item.
    fn fail(&mut self, message: impl Into<String>) {
        let file = self.program.files.get(self.loc.file as usize).filter(|_| self.loc.is_some());
        let place = file.map(|file| (file.clone(), self.loc.line, self.loc.column));
        self.violations.push(Violation { place, within: self.within.clone(), message: message.into() });
    }

    /// Records that the program breaks a rule unless `holds` is true.
    fn check(&mut self, holds: bool, message: impl FnOnce(&Program) -> String) {
        if !holds {
            let message = message(self.program);
            self.fail(message);
        }
    }

    /// Formats a type for messages.
    fn ty(&self, ty: Type) -> String {
        text::ty(self.program, ty)
    }

    /// Checks that an expression, which need not be valid itself, has the type.
    fn has_type(&mut self, expr: &Expr, ty: Type, what: &str) {
        self.check(expr.ty == ty, |program| {
            format!(
                "{what} `{}` is {}, not {}",
                text::expr(program, expr),
                text::ty(program, expr.ty),
                text::ty(program, ty)
            )
        });
    }

    /// Checks that a constant can be a value of the type.
    fn check_constant(&mut self, value: &Bits, ty: Type, what: &str) {
        let fits = match ty {
            Type::Varbit { max } => value.width() <= max,
            _ => value.width() == ty.width(),
        };
        self.check(fits, |program| {
            format!(
                "{what} {value:?} has {} bits, {} asks for {}",
                value.width(),
                text::ty(program, ty),
                ty.width()
            )
        });
        let members = match ty {
            Type::Error => self.program.errors.len(),
            Type::Enum(id) => self.program.enums[id].members.len(),
            _ => return,
        };
        self.check(value.to_u64().is_some_and(|ordinal| ordinal < members as u64), |program| {
            format!("{what} {value} is not a member of {}", text::ty(program, ty))
        });
    }

    /// Checks that no name occurs twice.
    fn unique<'n>(&mut self, names: impl IntoIterator<Item = &'n str>, what: &str) {
        let mut seen = rustc_hash::FxHashSet::default();
        for name in names {
            self.check(seen.insert(name), |_| format!("there are two {what} `{name}`"));
        }
    }
}
