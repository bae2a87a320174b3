//! Storage: variables, and the headers, stacks and parameters that consist of them.

use crate::annotation::Annotation;
use crate::arena::Id;
use crate::loc::Loc;
use crate::types::{HeaderType, Type};

use super::{HeaderId, StackId, UnionId, VarId};

/// A variable. It lives for one pipeline pass of one packet, and is zero at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// The unique name: `ingress.hdr.ipv4.ttl`; after binding, the name that the user wrote:
    /// `hdr.ipv4.ttl`.
    pub name: String,
    /// The type of the variable's values.
    pub ty: Type,
    /// The part of the storage that the variable is; it determines the meaning of reads and writes.
    pub role: VarRole,
    /// The annotations on the declaration or the struct field (`@field_list(1)` for instance), and
    /// on the fields around it.
    pub annotations: Vec<Annotation>,
    /// The place of its declaration.
    pub loc: Loc,
}

/// The purpose of a variable, which decides who may write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarRole {
    /// A variable that is not part of a header or stack: a local variable, a parameter, or a field
    /// of a struct.
    Plain,
    /// A field of a header. While the header is invalid, the field reads as 0, and writes have no
    /// effect.
    Field(HeaderId),
    /// The validity bit of a header; changed only by `SetValid`, `SetInvalid`, `InvalidateOthers`,
    /// `Copy`, `Extract`, pushes and pops.
    Validity(HeaderId),
    /// The counter (`nextIndex`) of a stack, `bit<32>`; changed only by `Extract` to `Next`,
    /// pushes, pops and whole-stack copies.
    NextIndex(StackId),
}

/// A header instance with the variables of its fields and its validity.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The header's name, such as `hdr.ipv4` or `hdr.mpls[2]`.
    pub name: String,
    /// The layout of the header's fields.
    pub ty: Id<HeaderType>,
    /// The variable that says whether the header is valid.
    pub valid: VarId,
    /// One variable for each field, in the layout's order.
    pub fields: Vec<VarId>,
    /// The union that it is a member of, if there is one.
    pub union: Option<UnionId>,
}

/// A header stack with its elements and its counter.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// The stack's name, such as `hdr.mpls`.
    pub name: String,
    /// The elements, all of one header type.
    pub elements: Vec<HeaderId>,
    /// `nextIndex`: the number of elements that `extract(stack.next)` has filled.
    pub next_index: VarId,
}

/// A header union. At most one of its headers is valid, which only the program's statements ensure,
/// mainly `InvalidateOthers`.
#[derive(Clone, Debug, PartialEq)]
pub struct Union {
    /// The headers of the union. None of them is in another union.
    pub members: Vec<HeaderId>,
}

/// The direction of a parameter: in, out or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The callee only reads the argument.
    In,
    /// The callee only writes the argument.
    Out,
    /// The callee reads and writes the argument.
    InOut,
}

/// A run-time parameter of a parser or control that the package uses. The architecture accesses the
/// block's data through it.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The name in the user's declaration (`hdr`, `meta`, `standard_metadata`).
    pub name: String,
    /// The direction of the parameter.
    pub direction: Direction,
    /// The P4 type's name, for messages (`headers_t`).
    pub type_name: String,
    /// The storage of the parameter. Two parameters of the same P4 type list their storage in the
    /// same order.
    pub storage: Storage,
}

/// All storage of a value of any P4 type, flattened depth first in declaration order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Storage {
    /// All variables, including fields, validity bits and stack counters.
    pub vars: Vec<VarId>,
    /// All headers, including elements of stacks.
    pub headers: Vec<HeaderId>,
    /// All stacks.
    pub stacks: Vec<StackId>,
    /// For each of `vars`, its path below the parameter: `ipv4.ttl`; empty for a scalar parameter.
    pub paths: Vec<String>,
}
