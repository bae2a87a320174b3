//! The types that a value of a running program can have.

pub mod declared;

use crate::annotation::Annotation;
use crate::arena::Id;
use declared::DeclaredTypeId;

/// The maximum width of `bit` and `int`, in bits.
pub const MAX_WIDTH: u32 = 2048;

/// The maximum size of a `varbit`, in bits: 16 KiB, more than a jumbo frame.
pub const MAX_VARBIT: u32 = 1 << 17;

/// The maximum size of all variables of a program together, in words of 64 bits. The maximum is 128
/// MiB for each packet in a pipeline.
pub const MAX_STATE_WORDS: u64 = 1 << 24;

/// The type of a variable or an expression. Structs, headers, stacks and tuples are sets of
/// variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// True or false; stored as one bit.
    Bool,
    /// A number: `bit<width>` (unsigned) or `int<width>` (two's complement), 1 ≤ width ≤ 2048;
    /// `bit<0>` is allowed, as in P4.
    Bits {
        /// The number of bits.
        width: u32,
        /// Whether the number is in two's complement.
        signed: bool,
    },
    /// A `varbit<max>` with between 0 and `max` bits; its length is part of the value.
    Varbit {
        /// The largest number of bits, at most 131 072.
        max: u32,
    },
    /// An error: an index into [`crate::Program::errors`], 32 bits wide.
    Error,
    /// An ordinal of an enumeration without underlying type, 32 bits wide.
    /// (Serializable enumerations are plain `Bits`.)
    Enum(Id<Enumeration>),
}

impl Type {
    /// Makes the type `bit<width>`.
    pub const fn bit(width: u32) -> Self {
        Self::Bits { width, signed: false }
    }

    /// Makes the type `int<width>`.
    pub const fn int(width: u32) -> Self {
        Self::Bits { width, signed: true }
    }

    /// Returns the width of a value in bits; for a varbit, the maximum width.
    pub const fn width(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Bits { width, .. } => width,
            Self::Varbit { max } => max,
            Self::Error | Self::Enum(_) => 32,
        }
    }

    /// Returns the words of 64 bits that a value takes in a packet's state. A varbit has a word for
    /// its length.
    pub const fn state_words(self) -> u32 {
        let words = self.width().div_ceil(64);
        if let Self::Varbit { .. } = self { 1 + words } else { words }
    }

    /// Returns the maximum width of types of this kind, in bits.
    pub const fn max_width(self) -> u32 {
        if let Self::Varbit { .. } = self { MAX_VARBIT } else { MAX_WIDTH }
    }

    /// Returns whether values of the type are two's complement.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::Bits { signed: true, .. })
    }
}

/// An enumeration without underlying type, such as `HashAlgorithm`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// The P4 name.
    pub name: String,
    /// The members in declaration order; the position is the value.
    pub members: Vec<String>,
}

/// The layout that header instances of one P4 type share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderType {
    /// The P4 name.
    pub name: String,
    /// The fields in wire order, most significant bit first. `Extract` reads only headers with at
    /// most one varbit.
    pub fields: Vec<HeaderField>,
    /// The annotations on the type.
    pub annotations: Vec<Annotation>,
}

impl HeaderType {
    /// Returns the number of varbit fields.
    pub fn varbits(&self) -> usize {
        self.fields.iter().filter(|field| matches!(field.ty, Type::Varbit { .. })).count()
    }

    /// Returns the number of bits on the wire without varbit fields.
    pub fn fixed_width(&self) -> u32 {
        self.fields.iter().filter(|f| !matches!(f.ty, Type::Varbit { .. })).map(|f| f.ty.width()).sum()
    }
}

/// One field of a [`HeaderType`], with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderField {
    /// The P4 name, dotted for fields of nested structs.
    pub name: String,
    /// `Bool`, `Bits`, or `Varbit`; never `Error` or `Enum`.
    pub ty: Type,
    /// The newtype or enum that it is declared with.
    pub declared: Option<DeclaredTypeId>,
    /// The annotations on the field.
    pub annotations: Vec<Annotation>,
}
