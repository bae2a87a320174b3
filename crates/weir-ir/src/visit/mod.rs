//! Walks over everything in a program. A [`Visitor`] reads the program, and a
//! [`mutable::VisitorMut`] changes it, so that the code of a pass contains only its own changes.

pub mod mutable;
mod reach;
mod walk;

use crate::arena::Id;
use crate::loc::Loc;
use crate::program::{
    Action, ActionCall, ActionId, ArgValue, Block, ConstArg, ControlId, Expr, ExprKind, ExternCall, ExternId,
    HeaderId, HeaderRef, Keyset, Leaf, Package, PackageArg, Param, Parser, ParserId, ParserStateId, Place,
    ProcedureId, Program, PropertyValue, StackId, Stmt, StmtKind, Table, TableId, Target, Transition,
    UnionId, ValueSetId, VarId, VarRole,
};
use crate::types::declared::{DataType, DeclaredKind, DeclaredType, DeclaredTypeId};
use crate::types::{Enumeration, HeaderType, Type};

pub use reach::{extern_calls, reached_from_actions, reached_statements, statements};

walk::visitor!(Visitor, iter, values);
