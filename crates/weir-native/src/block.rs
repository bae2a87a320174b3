//! A block's machine code, made when the block first runs.
//!
//! Where packets go straight through all blocks as one pipeline, most blocks never run by themselves; making them would double the time from program to first packet.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use weir_exec::Environment;
use weir_ir::Program;

use crate::analysis::Analysis;
use crate::compile::{BlockId, Broken, Code, NativeError, Policy, Sites, compile_block};
use crate::{Entry, Memory, Native};

/// The code of a block, once it is made. Threads that need it at the same time wait for the one that makes it.
#[derive(Default)]
pub(crate) struct Block {
    code: OnceLock<Result<Made, NativeError>>,
    /// Whether an environment was told that there is none.
    told: AtomicBool,
}

pub(crate) struct Made {
    pub entry: Entry,
    pub sites: Sites,
    pub memory: Memory,
    /// Words whose addresses stand in the code.
    _constants: Vec<Box<[u64]>>,
}

impl Block {
    /// The block's code, which must be asked for by the same executor and number each time.
    pub(crate) fn code(&self, native: &Native, id: BlockId) -> Result<&Made, &NativeError> {
        let make = || {
            if native.policy.broken(Broken::NoCode) {
                return Err(NativeError::Code { what: "a block".into(), problem: "a test".into() });
            }
            let code = compile_block(&native.program, &native.layout, native.policy, id)?;
            let Code { module, functions: address, sites, constants, .. } = code;
            let entry = Entry::of(address);
            Ok(Made { entry, sites, memory: Memory(Some(module)), _constants: constants })
        };
        self.code.get_or_init(make).as_ref()
    }

    /// The same for a run; if there is no code, the first environment that it runs in is told.
    pub(crate) fn code_to_run(
        &self,
        native: &Native,
        id: BlockId,
        env: &mut dyn Environment,
    ) -> Option<&Made> {
        match self.code(native, id) {
            Ok(made) => Some(made),
            Err(problem) => {
                if !self.told.swap(true, Ordering::Relaxed) {
                    env.warn(&format!("{problem}; it runs in the interpreter"));
                }
                None
            }
        }
    }
}

/// Sizes of blocks ([`Facts::size`](crate::analysis::Facts::size)) up to which Cranelift refuses nothing: it takes two million values in a function, and a unit of
/// size makes twenty or thirty.
const SURE: usize = 10_000;

/// The blocks that are too large to be sure that they become code.
pub(crate) fn large(program: &Program, policy: Policy) -> Vec<BlockId> {
    let mut analysis = Analysis::new(program, None, policy.limits);
    let mut large = Vec::new();
    for (id, _) in program.parsers.iter() {
        if analysis.parser(id).size > SURE {
            large.push(BlockId::Parser(id));
        }
    }
    for (id, control) in program.controls.iter() {
        if analysis.block(&control.body).size > SURE {
            large.push(BlockId::Control(id));
        }
    }
    large
}
