//! State shared by the functions of one compilation.

use cranelift_codegen::ir::{AbiParam, Signature, types::I64};
use cranelift_codegen::isa::CallConv;
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};
use rustc_hash::FxHashMap;
use weir_exec::Pipeline;
use weir_ir::{CoreErrors, Layout, Program, UnionId, Work};

use crate::abi::CallSites;
use crate::analysis::{Arrays, Body};
use crate::lookup_cache::Region;
use crate::options::Options;

/// The program that is compiled, and what is known about it.
pub(crate) struct Unit<'p> {
    pub program: &'p Program,
    pub layout: &'p Layout,
    pub errors: CoreErrors,
    pub work: Work,
    pub options: Options,
    /// The pipeline that is compiled, if it is one; it knows the semantics of externs.
    pub pipeline: Option<&'p Pipeline>,
}

impl<'p> Unit<'p> {
    /// Returns which variables are arrays in the state.
    pub(super) fn arrays(&self) -> Arrays<'p> {
        Arrays::new(self.program, self.layout, self.options)
    }
}

/// The output of a compilation, which grows with each function.
#[derive(Default)]
pub(crate) struct Output {
    pub sites: CallSites,
    /// The words whose addresses are in the code.
    pub constants: Vec<Box<[u64]>>,
    /// The tables whose results the code looks for in the cache.
    pub regions: Vec<Region>,
    /// The addresses of the lists of validity bits, see [`Output::validity_positions`].
    validity_lists: FxHashMap<UnionId, u64>,
    functions: FxHashMap<Body, FuncId>,
    pending: Vec<(Body, FuncId)>,
}

impl Output {
    pub(crate) fn new(regions: Vec<Region>) -> Self {
        Self { regions, ..Self::default() }
    }

    /// Returns the address of words that are kept with the code.
    pub(super) fn constant(&mut self, words: Box<[u64]>) -> u64 {
        let address = words.as_ptr() as usize as u64;
        self.constants.push(words);
        address
    }

    /// Returns the address of the list of a union's validity bits, which is made at its first use.
    pub(super) fn validity_positions(&mut self, union: UnionId, list: impl FnOnce() -> Box<[u64]>) -> u64 {
        if let Some(address) = self.validity_lists.get(&union) {
            return *address;
        }
        let address = self.constant(list());
        self.validity_lists.insert(union, address);
        address
    }

    /// Returns the function of a body; it is compiled later.
    pub(super) fn function(&mut self, module: &mut JITModule, body: Body) -> FuncId {
        *self.functions.entry(body).or_insert_with(|| {
            let signature = entry_signature(module.isa().default_call_conv());
            let id = module.declare_anonymous_function(&signature);
            let id = id.expect("an anonymous function has no name that could be taken");
            self.pending.push((body, id));
            id
        })
    }

    /// Returns a function that is called, but not compiled yet.
    pub(crate) fn next_function(&mut self) -> Option<(Body, FuncId)> {
        self.pending.pop()
    }
}

/// Returns a function's signature: `count` words as parameters, and a word as result if `result` is
/// true.
pub(super) fn signature(convention: CallConv, count: usize, result: bool) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend(std::iter::repeat_n(AbiParam::new(I64), count));
    if result {
        signature.returns.push(AbiParam::new(I64));
    }
    signature
}

/// Returns the signature of all functions of machine code, which take a context and return a
/// status.
pub(crate) fn entry_signature(convention: CallConv) -> Signature {
    signature(convention, 1, true)
}
