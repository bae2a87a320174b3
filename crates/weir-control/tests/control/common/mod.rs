//! The switch on which tests run requests.

use std::sync::Arc;

use weir_interp::Interpreter;
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

/// Returns a switch that runs a v1model program, given as its text.
pub fn switch(program: &str, config: SwitchConfig) -> Switch {
    let loader = MemoryLoader::new()
        .with("program.p4", program)
        .with("core.p4", include_str!("../../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../../p4include/v1model.p4"));
    let program = weir_compiler::compile("program.p4", &loader, &[]).program.expect("it compiles");
    let program = arch::bind(program).expect("it is a v1model program");
    Switch::new(Arc::new(Interpreter::new(program)), config).expect("it loads")
}
