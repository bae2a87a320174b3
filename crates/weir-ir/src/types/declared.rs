//! The types that the source declares. Controllers see these types (P4Runtime specification 1.5,
//! section 8); executors do not need them.

use num_bigint::BigUint;

use super::{Enumeration, Type};
use crate::annotation::Annotation;
use crate::arena::Id;
use crate::loc::Loc;

/// The handle of a [`DeclaredType`].
pub type DeclaredTypeId = Id<DeclaredType>;

/// A type that the program declares with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredType {
    /// The P4 name, with type arguments if it is generic.
    pub name: String,
    /// The kind of type.
    pub kind: DeclaredKind,
    /// The annotations, such as `@p4runtime_translation`.
    pub annotations: Vec<Annotation>,
    /// The place of its declaration.
    pub loc: Loc,
}

/// The kind of a [`DeclaredType`].
#[derive(Clone, Debug, PartialEq)]
pub enum DeclaredKind {
    /// A new type `type T N`, with the values of the type `T`.
    New(DataType),
    /// An enum without underlying type.
    Enum(Id<Enumeration>),
    /// An enum with an underlying type.
    Serializable {
        /// The underlying type, which is `Bits`.
        underlying: Type,
        /// The members with their values, in declaration order.
        members: Vec<(String, BigUint)>,
    },
    /// A struct with its members.
    Struct(Vec<DeclaredMember>),
    /// A header with its fields.
    Header(Vec<DeclaredMember>),
    /// A header union with its headers.
    Union(Vec<DeclaredMember>),
}

/// A member of a struct, header or header union.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredMember {
    /// The P4 name.
    pub name: String,
    /// The type of the member's values.
    pub ty: DataType,
}

/// A type of data. Equal names are equal types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// `bool`, `error`, `bit`, `int` or `varbit`.
    Scalar(Type),
    /// A declared type, which the program lists before the type that contains it.
    Named(DeclaredTypeId),
    /// A tuple or a list.
    Tuple(Vec<DataType>),
    /// A header stack or an array.
    Stack {
        /// The elements' type.
        element: Box<DataType>,
        /// The number of elements.
        size: u32,
    },
}

/// Returns the data types of type arguments: the declared ones, or the scalars if none are
/// declared.
pub fn data_types(declared: &[DataType], scalars: &[Type]) -> Vec<DataType> {
    if declared.is_empty() {
        scalars.iter().copied().map(DataType::Scalar).collect()
    } else {
        declared.to_vec()
    }
}
