//! Programs that passed validation.

use std::ops::Deref;
use std::sync::Arc;

use super::{Violation, violations};
use crate::program::Program;
use crate::state::Layout;

/// A program that obeys all rules of [this module](super), with the layout of its variables. It
/// cannot be changed, and a clone is the same program.
///
/// Only [`validate`] creates one:
///
/// ```
/// let program = weir_ir::validate(weir_ir::Program::default()).expect("an empty program is valid");
/// assert!(program.vars.is_empty());
/// ```
///
/// No other code can:
///
/// ```compile_fail,E0423
/// let program = weir_ir::ValidProgram(std::sync::Arc::default());
/// ```
///
/// ```compile_fail,E0596
/// let mut program = weir_ir::validate(weir_ir::Program::default()).unwrap();
/// program.vars.values_mut();
/// ```
#[derive(Clone, Debug)]
pub struct ValidProgram(Arc<CheckedProgram>);

#[derive(Debug)]
struct CheckedProgram {
    program: Program,
    layout: Layout,
}

/// Checks a program against all rules of [this module](super).
///
/// # Errors
/// The program breaks rules; the error lists all violations.
pub fn validate(program: Program) -> Result<ValidProgram, Vec<Violation>> {
    let violations = violations(&program);
    if !violations.is_empty() {
        return Err(violations);
    }
    let layout = Layout::new(&program);
    Ok(ValidProgram(Arc::new(CheckedProgram { program, layout })))
}

impl ValidProgram {
    /// Returns the positions of the program's variables in a [`State`](crate::State).
    pub fn layout(&self) -> &Layout {
        &self.0.layout
    }

    /// Returns whether both values share the same program in memory. Equal programs are not enough.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the program so that it can be changed. The program is copied if it is shared.
    pub fn into_program(self) -> Program {
        match Arc::try_unwrap(self.0) {
            Ok(checked) => checked.program,
            Err(shared) => shared.program.clone(),
        }
    }
}

impl Deref for ValidProgram {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.0.program
    }
}

/// Compares the programs.
impl PartialEq for ValidProgram {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.0.program == other.0.program
    }
}
