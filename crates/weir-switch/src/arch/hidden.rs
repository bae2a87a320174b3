//! Variables that an architecture adds to a program: the state of packets that the program changes
//! only by calls, or not at all. No variable of a P4 program can have a name with `$`.

use weir_ir::{Loc, Program, Type, Var, VarId, VarRole};

use crate::error::{LoadError, LoadErrorKind};

/// Adds variables of these names and widths, unless they are there.
pub(super) fn add(program: &mut Program, hidden: &[(&str, u32)]) {
    for (name, width) in hidden {
        if find(program, name).is_none() {
            program.vars.push(Var {
                name: (*name).to_owned(),
                ty: Type::bit(*width),
                role: VarRole::Plain,
                annotations: Vec::new(),
                loc: Loc::NONE,
            });
        }
    }
}

/// Returns the hidden variable with this name, if the program was prepared.
pub(super) fn find(program: &Program, name: &str) -> Option<VarId> {
    program.vars.iter().find(|(_, var)| var.name == name).map(|(id, _)| id)
}

/// Returns the error for a program that was not prepared and therefore has no hidden variables.
pub(super) fn not_prepared(program: &Program) -> LoadError {
    let message = "the program was not prepared; call `arch::bind` before making an executor".to_owned();
    LoadError::new(program, LoadErrorKind::NotBound, Loc::NONE, message)
}
