//! Resolves the document's names of headers, metadata, stacks and unions.

use std::collections::BTreeMap;

use weir_ir::program::{HeaderId, StackId, VarId};

/// The name of the header instance of v1model's own metadata.
pub(crate) const STANDARD: &str = "standard_metadata";

/// A header or a metadata instance, with the variables of its fields.
pub(crate) struct Instance {
    /// The header; `None` for metadata, which is always valid.
    pub header: Option<HeaderId>,
    /// The fields in the order of the type.
    pub fields: Vec<(String, VarId)>,
}

/// A header union with its members.
#[derive(Clone)]
pub(crate) struct Union {
    pub members: Vec<HeaderId>,
}

/// A stack of header unions: for each member of the union, a stack of its headers.
#[derive(Clone)]
pub(crate) struct UnionStack {
    /// The members' names and stacks.
    pub members: Vec<(String, StackId)>,
}

/// The program's headers, metadata and stacks by their names in the document.
#[derive(Default)]
pub(crate) struct Storage {
    pub instances: BTreeMap<String, Instance>,
    pub stacks: BTreeMap<String, StackId>,
    pub unions: BTreeMap<String, Union>,
    pub union_stacks: BTreeMap<String, UnionStack>,
    /// For each stack of a union stack, all of its stacks.
    pub stack_siblings: BTreeMap<usize, Vec<StackId>>,
    /// The names of standard metadata that the document gives to other fields.
    pub aliases: BTreeMap<String, VarId>,
}
