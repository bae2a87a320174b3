//! The types whose order of access matters between threads: the types of the standard library or,
//! under the feature `loom`, the types of the test that tries all interleavings of an owner and its
//! readers.

#[cfg(not(feature = "loom"))]
pub(crate) use std::sync::{Arc as TokenArc, atomic::AtomicU64};

#[cfg(feature = "loom")]
pub(crate) use loom::sync::Arc as TokenArc;
#[cfg(feature = "loom")]
pub(crate) use plain::AtomicU64;

#[cfg(feature = "loom")]
pub(crate) mod plain {
    use std::fmt;
    use std::sync::atomic::Ordering;

    /// A word that loom treats as plain memory instead of an atomic. The test fails if nothing
    /// orders a read and a write of the word. So the test shows that machine code with a snapshot
    /// may read the words with plain loads.
    #[derive(Default)]
    pub struct AtomicU64(loom::cell::Cell<u64>);

    // SAFETY: only tests under loom use this. Loom runs one thread at a time and panics when two
    // threads access a cell without synchronization, before the access is made.
    #[allow(unsafe_code, reason = "loom's cells are shared on purpose, to find accesses without order")]
    unsafe impl Sync for AtomicU64 {}

    impl AtomicU64 {
        pub(crate) fn new(value: u64) -> Self {
            Self(loom::cell::Cell::new(value))
        }

        /// Reads the value.
        pub(crate) fn load(&self, _: Ordering) -> u64 {
            self.0.get()
        }

        /// Writes the value.
        pub(crate) fn store(&self, value: u64, _: Ordering) {
            self.0.set(value);
        }
    }

    impl fmt::Debug for AtomicU64 {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("AtomicU64")
        }
    }
}
