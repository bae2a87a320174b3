//! Chooses the executor that runs a program.

use std::sync::Arc;

use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_ir::ValidProgram;
use weir_native::{Native, NativeError};
use weir_syntax::with_stack;

/// The executors of a program.
pub struct Executors {
    /// The executor for switches, in which the interpreter runs traced packets.
    pub traced: Arc<dyn Executor>,
    /// The executor for all packets, whether traced or not.
    pub untraced: Arc<dyn Executor>,
    /// Why there is no machine code. Set only if this processor is supported and machine code was
    /// not excluded.
    pub refusal: Option<String>,
}

/// Why no executor was chosen.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// No executor has the name.
    #[error("there is no executor \"{0}\"")]
    Unknown(String),
    /// There is no machine code for the program.
    #[error("{0}")]
    Native(NativeError),
    /// The program is too large for machine code.
    #[error("{0}: run it with the executor `interp`")]
    Large(NativeError),
}

/// Returns the executors with the given name, `native` or `interp`. Without a name, returns the
/// fastest executor that this processor supports.
///
/// # Errors
/// No executor has the name, or it cannot run the program.
pub fn executors(program: ValidProgram, name: Option<&str>) -> Result<Executors, ChoiceError> {
    let interpreter: Arc<dyn Executor> = Arc::new(Interpreter::new(program.clone()));
    let interp =
        |refusal| Executors { traced: Arc::clone(&interpreter), untraced: Arc::clone(&interpreter), refusal };
    match name {
        Some("interp") => return Ok(interp(None)),
        Some("native") | None => {}
        Some(other) => return Err(ChoiceError::Unknown(other.to_owned())),
    }
    match with_stack(|| Native::new(program)) {
        Ok(native) => {
            let traced = native.with_tracer(Arc::clone(&interpreter));
            Ok(Executors { untraced: traced.native(), traced: Arc::new(traced), refusal: None })
        }
        Err(error @ NativeError::Large { .. }) if name.is_some() => Err(ChoiceError::Large(error)),
        Err(error) if name.is_some() => Err(ChoiceError::Native(error)),
        Err(NativeError::Host(_)) => Ok(interp(None)),
        Err(error) => Ok(interp(Some(error.to_string()))),
    }
}
