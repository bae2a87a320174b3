//! Helpers for the tests of PSA and PNA.

use std::sync::Arc;

use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_ir::ValidProgram;
use weir_native::Native;
use weir_switch::{LoadError, arch};
use weir_syntax::preprocess::MemoryLoader;

/// Compiles `program.p4`, which the loader has, and binds it to its architecture.
pub fn compile_and_bind(loader: &MemoryLoader) -> Result<ValidProgram, LoadError> {
    let result = weir_compiler::compile("program.p4", loader, &[]);
    let Some(program) = result.program else {
        panic!("{}", result.diagnostics.render(&result.source_map, false))
    };
    arch::bind(program)
}

/// Returns both executors of a program.
pub fn both_executors(program: ValidProgram) -> [Arc<dyn Executor>; 2] {
    [
        Arc::new(Interpreter::new(program.clone())),
        Arc::new(Native::new(program).expect("there is machine code")),
    ]
}

/// Returns the errors that keep a program from loading, each with its help.
pub fn load_errors(bound: Result<ValidProgram, LoadError>) -> String {
    match bound {
        Ok(program) => {
            let errors = arch::check(&program);
            let texts =
                errors.iter().map(|error| format!("{error} ({})", error.help.clone().unwrap_or_default()));
            texts.collect::<Vec<_>>().join("; ")
        }
        Err(error) => error.to_string(),
    }
}
