//! Helpers for the tests of architectures.

use std::sync::Arc;

use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_ir::ValidProgram;
use weir_native::Native;
use weir_stf::{Program, run};
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

/// Runs a test file on the interpreter, then on native code. The outcomes must be as expected, and
/// the file must have at least these numbers of packets and checks.
pub fn run_test(
    name: &str,
    [traced, native]: [Arc<dyn Executor>; 2],
    test: &str,
    (packets, checks): (usize, usize),
) {
    for untraced in [Arc::clone(&traced), native] {
        let (traced, source) = (Arc::clone(&traced), |_: &_| String::new());
        let kind = untraced.name();
        let program = Program { file: name, untraced, traced, source: &source, interrupt: &|| false };
        let outcome = run(&program, test).map_err(|mistake| mistake.error.to_string());
        let outcome = outcome.expect("the lines are right").expect("it was not interrupted");
        assert_eq!(outcome.failures, [], "{name} with {kind}");
        assert!(outcome.packets >= packets && outcome.checks >= checks, "{name}");
    }
}
