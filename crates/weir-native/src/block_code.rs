//! A block's machine code, made when the block first runs.
//!
//! If all packets take the fast path, as one pipeline, most blocks never run alone. Compiling them
//! would double the time until the first packet.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use weir_exec::Environment;
use weir_ir::Program;

use crate::analysis::{Analysis, Arrays};
use crate::code::Entry;
use crate::compile::{BlockId, Code, CompileInput, NativeError, compile_block};
use crate::options::InjectedBug;

/// The code of a block, once it is compiled. If several threads need the code at the same time,
/// they wait for the thread that compiles it.
#[derive(Default)]
pub(crate) struct BlockCode {
    code: OnceLock<Result<Code<Entry>, NativeError>>,
    /// Whether an environment was warned that there is no code.
    warned: AtomicBool,
}

impl BlockCode {
    /// Returns the block's code. Every call must name the same input and block.
    pub(crate) fn get(&self, input: &CompileInput, block: BlockId) -> Result<&Code<Entry>, &NativeError> {
        let compile = || {
            if input.options.has_bug(InjectedBug::NoCode) {
                return Err(NativeError::Code { what: "a block".into(), problem: "a test".into() });
            }
            compile_block(input, block)
        };
        self.code.get_or_init(compile).as_ref()
    }

    /// Like [`BlockCode::get`], for a run. If there is no code, warns the first environment.
    pub(crate) fn get_or_warn(
        &self,
        input: &CompileInput,
        block: BlockId,
        env: &mut dyn Environment,
    ) -> Option<&Code<Entry>> {
        match self.get(input, block) {
            Ok(code) => Some(code),
            Err(problem) => {
                if !self.warned.swap(true, Ordering::Relaxed) {
                    env.warn(&format!("{problem}; it runs in the interpreter"));
                }
                None
            }
        }
    }
}

/// The [size](crate::analysis::Facts::size) up to which Cranelift refuses no block: a function may
/// have two million values, and a unit of size takes twenty or thirty.
const MAX_SAFE_SIZE: usize = 10_000;

/// The size up to which programs are compiled, which takes some seconds and 600 MB at this size.
/// The time grows faster than the size.
const MAX_SIZE: usize = 100_000;

/// Returns all blocks of a program.
pub(crate) fn block_ids(program: &Program) -> impl Iterator<Item = BlockId> {
    let parsers = program.parsers.iter().map(|(id, _)| BlockId::Parser(id));
    parsers.chain(program.controls.iter().map(|(id, _)| BlockId::Control(id)))
}

/// Returns the blocks that are so large that Cranelift may refuse them.
///
/// # Errors
/// The program is so large that its machine code would take minutes and gigabytes.
pub(crate) fn large_blocks(input: &CompileInput) -> Result<Vec<BlockId>, NativeError> {
    let CompileInput { program, layout, options, .. } = input;
    let arrays = Arrays::new(program, layout, *options);
    let mut analysis = Analysis::new(program, None, arrays, options.inline);
    let mut total = 0_usize;
    let mut large = Vec::new();
    for id in block_ids(&input.program) {
        let size = match id {
            BlockId::Parser(id) => analysis.parser(id).size,
            BlockId::Control(id) => analysis.block(&input.program.controls[id].body).size,
        };
        total = total.saturating_add(size);
        if size > MAX_SAFE_SIZE {
            large.push(id);
        }
    }
    if total > MAX_SIZE {
        return Err(NativeError::Large { size: total, limit: MAX_SIZE });
    }
    Ok(large)
}
