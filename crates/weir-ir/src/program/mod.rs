//! Programs: variables, headers, blocks, tables, externs, and the package that connects them.

mod block;
mod expr;
mod package;
mod stmt;
mod table;
mod variable;

pub use block::*;
pub use expr::*;
pub use package::*;
pub use stmt::*;
pub use table::*;
pub use variable::*;

use crate::arena::{Arena, Id};
use crate::types::declared::{DataType, DeclaredKind, DeclaredType};
use crate::types::{Enumeration, HeaderType, Type};

/// The handle of a [`Var`].
pub type VarId = Id<Var>;
/// The handle of a [`Header`].
pub type HeaderId = Id<Header>;
/// The handle of a [`Stack`].
pub type StackId = Id<Stack>;
/// The handle of a [`Union`].
pub type UnionId = Id<Union>;
/// The handle of a [`Parser`].
pub type ParserId = Id<Parser>;
/// The handle of a [`Control`].
pub type ControlId = Id<Control>;
/// The handle of a [`Procedure`].
pub type ProcedureId = Id<Procedure>;
/// The handle of an [`Action`].
pub type ActionId = Id<Action>;
/// The handle of a [`Table`].
pub type TableId = Id<Table>;
/// The handle of an [`ExternInstance`].
pub type ExternId = Id<ExternInstance>;
/// The handle of a [`ValueSet`].
pub type ValueSetId = Id<ValueSet>;
/// The handle of a [`ParserState`] within its [`Parser`].
pub type ParserStateId = Id<ParserState>;

/// A P4 program whose names and types are resolved: what executors run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The paths of the source files as the user gave them; [`Loc::file`](crate::Loc::file) points
    /// here.
    pub files: Vec<String>,
    /// The error codes in declaration order; `NoError` is 0.
    pub errors: Vec<String>,
    /// The enumerations without underlying type.
    pub enums: Arena<Enumeration>,
    /// The types that controllers know by name: the types of keys, of action data, of fields of
    /// headers and value sets, and of externs' type arguments, and the types that these types
    /// contain.
    pub declared: Arena<DeclaredType>,
    /// The layouts of headers.
    pub header_types: Arena<HeaderType>,
    /// All storage of a pipeline pass, as one flat set of variables.
    pub vars: Arena<Var>,
    /// The header instances: groups of variables that share a validity bit.
    pub headers: Arena<Header>,
    /// The header stacks: sequences of header instances with a counter.
    pub stacks: Arena<Stack>,
    /// The header unions: sets of header instances.
    pub unions: Arena<Union>,
    /// The extern objects, such as counters and registers.
    pub externs: Arena<ExternInstance>,
    /// The parser value sets.
    pub value_sets: Arena<ValueSet>,
    /// All actions: those of tables, and those that are only called directly.
    pub actions: Arena<Action>,
    /// The functions and applied sub-controls, each with static storage (P4 has no recursion).
    pub procedures: Arena<Procedure>,
    /// The match-action tables.
    pub tables: Arena<Table>,
    /// The parsers, with their sub-parsers expanded.
    pub parsers: Arena<Parser>,
    /// The controls that the package uses.
    pub controls: Arena<Control>,
    /// The package `main`.
    pub main: Option<Package>,
    /// Whether the source marks anything as `@atomic` (P4_16, "Concurrency model"). If so, packets
    /// on other threads see a block's execution as one step, with regard to extern objects whose
    /// methods both read and write.
    pub atomic: bool,
}

impl Program {
    /// Returns the type of the variable for a value that needs a single variable. Newtypes and
    /// enums have the type of their underlying type. Returns `None` for structs, headers, tuples
    /// and similar types.
    pub fn scalar(&self, data_type: &DataType) -> Option<Type> {
        match data_type {
            DataType::Scalar(ty) => Some(*ty),
            DataType::Named(id) => match &self.declared[*id].kind {
                DeclaredKind::New(data_type) => self.scalar(data_type),
                DeclaredKind::Enum(id) => Some(Type::Enum(*id)),
                DeclaredKind::Serializable { underlying, .. } => Some(*underlying),
                DeclaredKind::Struct(_) | DeclaredKind::Header(_) | DeclaredKind::Union(_) => None,
            },
            DataType::Tuple(_) | DataType::Stack { .. } => None,
        }
    }
}
