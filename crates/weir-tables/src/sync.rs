//! The shared types whose order of access matters: the standard library's, or loom's in the test
//! that tries all interleavings of an owner and its readers (feature `loom`).

#[cfg(feature = "loom")]
pub(crate) use loom::sync::{Arc as TokenArc, atomic::AtomicU64};
#[cfg(not(feature = "loom"))]
pub(crate) use std::sync::{Arc as TokenArc, atomic::AtomicU64};
