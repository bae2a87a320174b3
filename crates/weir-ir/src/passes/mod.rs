//! Passes: each turns a valid program into another with the same meaning, and validates the result.

mod bind;
mod fold;
mod remap;
mod sweep;
#[cfg(test)]
mod tests;

pub use bind::{BindError, BindGroup, ParamName, bind};
pub use fold::fold;
pub use sweep::sweep;

use crate::program::Program;
use crate::validate::{ValidProgram, validate};

/// A pass with what it needs besides the program.
#[derive(Clone, Copy, Debug)]
pub enum Pass<'a> {
    /// [`bind()`].
    Bind(&'a [BindGroup]),
    /// [`fold()`].
    Fold,
    /// [`sweep()`].
    Sweep,
}

impl Pass<'_> {
    /// What it is called in listings.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bind(_) => "bind",
            Self::Fold => "fold",
            Self::Sweep => "sweep",
        }
    }
}

/// Runs passes in order and shows the program after each to `observe`.
///
/// # Errors
/// What [`bind()`] cannot bind.
///
/// # Panics
/// If a pass leaves an invalid program: a bug of that pass.
pub fn run(
    mut program: ValidProgram,
    passes: &[Pass<'_>],
    mut observe: impl FnMut(&'static str, &ValidProgram),
) -> Result<ValidProgram, BindError> {
    for pass in passes {
        program = match pass {
            Pass::Bind(groups) => bind(program, groups)?,
            Pass::Fold => fold(program),
            Pass::Sweep => sweep(program),
        };
        observe(pass.name(), &program);
    }
    Ok(program)
}

/// Validates what a pass leaves.
fn validated(program: Program, pass: Pass<'_>) -> ValidProgram {
    validate(program).unwrap_or_else(|violations| {
        let list: Vec<_> = violations.iter().map(ToString::to_string).collect();
        panic!("the program is invalid after `{}`:\n{}", pass.name(), list.join("\n"))
    })
}
