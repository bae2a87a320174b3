//! Chooses the executor that runs a program.

use std::sync::Arc;

use pyo3::prelude::*;
use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_ir::ValidProgram;
use weir_native::{Native, NativeError};

use crate::errors;

/// The executors of a program.
pub struct Executors {
    /// For switches: the interpreter runs traced packets.
    pub traced: Arc<dyn Executor>,
    /// For all packets, whether traced or not.
    pub untraced: Arc<dyn Executor>,
    /// Why there is no machine code although the processor has some and none was excluded.
    pub refusal: Option<String>,
}

/// Creates the executors with the given name. Without a name, chooses the fastest that this
/// processor supports.
pub fn make(program: ValidProgram, name: Option<&str>) -> PyResult<Executors> {
    let interpreter: Arc<dyn Executor> = Arc::new(Interpreter::new(program.clone()));
    let interp =
        |refusal| Executors { traced: Arc::clone(&interpreter), untraced: Arc::clone(&interpreter), refusal };
    match name {
        Some("interp") => return Ok(interp(None)),
        Some("native") | None => {}
        Some(other) => return Err(errors::network(format!("there is no executor \"{other}\""))),
    }
    match Native::new(program) {
        Ok(native) => {
            let traced = native.with_tracer(Arc::clone(&interpreter));
            Ok(Executors { untraced: traced.native(), traced: Arc::new(traced), refusal: None })
        }
        Err(error @ NativeError::Large { .. }) if name.is_some() => {
            Err(errors::network(format!("{error}: run it with the executor `interp`")))
        }
        Err(error) if name.is_some() => Err(errors::network(error)),
        Err(NativeError::Host(_)) => Ok(interp(None)),
        Err(error) => Ok(interp(Some(error.to_string()))),
    }
}
