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
}

/// Creates the executors with the given name. Without a name, chooses the fastest that this
/// processor supports.
pub fn make(program: ValidProgram, name: Option<&str>) -> PyResult<Executors> {
    let interpreter: Arc<dyn Executor> = Arc::new(Interpreter::new(program.clone()));
    let interp = || Executors { traced: Arc::clone(&interpreter), untraced: Arc::clone(&interpreter) };
    match name {
        Some("interp") => return Ok(interp()),
        Some("native") | None => {}
        Some(other) => return Err(errors::network(format!("there is no executor \"{other}\""))),
    }
    match Native::new(program) {
        Ok(native) => {
            let traced = native.with_tracer(Arc::clone(&interpreter));
            Ok(Executors { untraced: traced.native(), traced: Arc::new(traced) })
        }
        Err(NativeError::Host(_)) if name.is_none() => Ok(interp()),
        Err(error) => Err(errors::network(error)),
    }
}
