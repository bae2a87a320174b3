//! Visitors that change what they visit.

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

super::walk::visitor!(VisitorMut, iter_mut, values_mut, mut);
