//! What makes one program of another with the same meaning.
//!
//! Each pass needs a valid program and leaves one; [`run`] checks that in debug builds.

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
use crate::validate;

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
/// In debug builds, if a pass leaves an invalid program: a bug of that pass.
pub fn run(
    mut program: Program,
    passes: &[Pass<'_>],
    mut observe: impl FnMut(&'static str, &Program),
) -> Result<Program, BindError> {
    for pass in passes {
        match pass {
            Pass::Bind(groups) => program = bind(program, groups)?,
            Pass::Fold => fold(&mut program),
            Pass::Sweep => sweep(&mut program),
        }
        if cfg!(debug_assertions)
            && let Err(violations) = validate(&program)
        {
            let list: Vec<_> = violations.iter().map(ToString::to_string).collect();
            panic!("the program is invalid after `{}`:\n{}", pass.name(), list.join("\n"));
        }
        observe(pass.name(), &program);
    }
    Ok(program)
}
