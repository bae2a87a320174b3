//! The intermediate representation: the form of a P4 program between the compiler and the
//! executors.
//!
//! - **Input:** programs built by `weir-compiler`, or parsed from the IR's text form.
//! - **Output:** [`ValidProgram`]s for the executors and the switch, and programs in the text form.
//! - **Contents:** the definition of the IR, the text form, the validator, the pass that binds
//!   blocks to an architecture, and the packet's state.
//! - **Independent of:** P4 syntax, architectures, tables' contents, packets on ports, time.
//!
//! In the IR, everything is resolved: generics are instantiated, packages are evaluated,
//! sub-parsers and sub-controls are expanded, names are final, and widths are explicit. A packet's
//! parsed state is flat: it consists only of variables of fixed types. `docs/explanation/ir.md`
//! defines what each construct means; the interpreter (`weir-interp`) implements it.

mod annotation;
pub mod arena;
pub mod bits;
mod core_errors;
pub mod eval;
pub mod loc;
pub mod passes;
pub mod program;
pub mod state;
pub mod storage;
pub mod text;
pub mod types;
pub mod validate;
pub mod visit;
pub mod wire;
pub mod work;

pub use annotation::{Annotation, AnnotationArg, AnnotationForm, AnnotationValue};
pub use arena::{Arena, Id};
pub use bits::Bits;
pub use core_errors::CoreErrors;
pub use loc::Loc;
pub use program::*;
pub use state::{Layout, Slot, State};
pub use types::declared::{self, DataType, DeclaredKind, DeclaredMember, DeclaredType, DeclaredTypeId};
pub use types::{Enumeration, HeaderField, HeaderType, MAX_STATE_WORDS, MAX_VARBIT, MAX_WIDTH, Type};
pub use validate::{ValidProgram, Violation, validate, violations};
pub use work::Work;
