//! Arguments of extern calls.

use weir_ir::{Bits, ExternId};

/// The value of one argument of an extern call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The leaves of a scalar, or of a flattened struct, tuple, list or header. Fields of invalid
    /// headers are left out.
    Bits(Vec<Bits>),
    /// A string.
    Text(String),
    /// An extern object.
    Extern(ExternId),
}

impl Value {
    /// Returns the only value of a scalar argument.
    pub fn scalar(&self) -> Option<&Bits> {
        match self {
            Self::Bits(values) if values.len() == 1 => values.first(),
            _ => None,
        }
    }
}
