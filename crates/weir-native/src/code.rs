//! Finished machine code.

use cranelift_jit::JITModule;
use cranelift_module::FuncId;

use crate::runtime::Context;

/// The address of a function of machine code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry(unsafe extern "C" fn(*mut Context<'_>) -> u64);

impl Entry {
    /// Makes callable code of a function of a module; the function must be finished and have the
    /// signature of an entry.
    pub(crate) fn from_function(module: &JITModule, function: FuncId) -> Self {
        let address = module.get_finalized_function(function);
        // SAFETY: all functions in the modules of this crate take a context and return a status.
        Self(unsafe {
            std::mem::transmute::<*const u8, unsafe extern "C" fn(*mut Context<'_>) -> u64>(address)
        })
    }

    /// Runs the function.
    ///
    /// # Safety
    /// The function's [`CodeMemory`] is alive, and the context has everything that the function
    /// needs: see [`Context`].
    pub(crate) unsafe fn call(self, context: *mut Context<'_>) -> u64 {
        // SAFETY: by this function's contract.
        unsafe { (self.0)(context) }
    }
}

/// The memory of machine code, and the constants whose addresses are in the code.
pub(crate) struct CodeMemory {
    /// The module; none only while it is dropped.
    module: Option<JITModule>,
    _constants: Vec<Box<[u64]>>,
}

impl CodeMemory {
    pub(crate) fn new(module: JITModule, constants: Vec<Box<[u64]>>) -> Self {
        Self { module: Some(module), _constants: constants }
    }
}

// SAFETY: the module is complete. It is kept only for the memory that it owns, and is not used
// through a shared reference.
unsafe impl Send for CodeMemory {}
// SAFETY: as above.
unsafe impl Sync for CodeMemory {}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: code runs only while its owner is borrowed, and the owner is being dropped.
            unsafe { module.free_memory() };
        }
    }
}
