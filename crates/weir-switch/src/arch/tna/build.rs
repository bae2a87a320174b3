//! Adds variables, headers, statements and controls to a program.
//!
//! Their names begin with `$`, which no name of a P4 program does. The architecture finds them by
//! these names when it loads the program.

use weir_ir::{
    BinaryOp, Bits, Block, Control, ControlId, Expr, ExprKind, Header, HeaderField, HeaderId, HeaderRef,
    HeaderType, Id, Loc, Place, Program, Stmt, StmtKind, Type, UnaryOp, Var, VarId, VarRole,
};

use crate::arch::hidden::find;

/// Adds a plain variable of this width, unless it is there.
pub(super) fn add_var(program: &mut Program, name: &str, ty: Type) -> VarId {
    find(program, name).unwrap_or_else(|| push_var(program, name, ty, VarRole::Plain))
}

fn push_var(program: &mut Program, name: &str, ty: Type, role: VarRole) -> VarId {
    program.vars.push(Var { name: name.to_owned(), ty, role, annotations: Vec::new(), loc: Loc::NONE })
}

/// Returns the control with this name.
pub(super) fn find_control(program: &Program, name: &str) -> Option<ControlId> {
    program.controls.iter().find(|(_, control)| control.name == name).map(|(id, _)| id)
}

/// Adds a control with these statements.
pub(super) fn add_control(program: &mut Program, name: &str, stmts: Vec<Stmt>) -> ControlId {
    let body = Block(stmts);
    program.controls.push(Control { name: name.to_owned(), params: Vec::new(), body, loc: Loc::NONE })
}

/// Adds a header whose fields have these names and types, in the order of the wire.
pub(super) fn add_header(program: &mut Program, name: &str, fields: &[(String, Type)]) -> HeaderId {
    let of_type = |(name, ty): &(String, Type)| HeaderField {
        name: name.clone(),
        ty: *ty,
        declared: None,
        annotations: Vec::new(),
    };
    let ty = program.header_types.push(HeaderType {
        name: name.to_owned(),
        fields: fields.iter().map(of_type).collect(),
        annotations: Vec::new(),
    });
    let id = Id::new(program.headers.len());
    let valid = push_var(program, &format!("{name}.$valid$"), Type::Bool, VarRole::Validity(id));
    let fields = fields
        .iter()
        .map(|(field, ty)| push_var(program, &format!("{name}.{field}"), *ty, VarRole::Field(id)))
        .collect();
    program.headers.push(Header { name: name.to_owned(), ty, valid, fields, union: None })
}

/// Builds a statement that has no place in the source.
pub(super) fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, loc: Loc::NONE }
}

/// Assigns a value to a variable. A value of another width is cut or extended.
pub(super) fn assign(program: &Program, to: VarId, value: Expr) -> Stmt {
    stmt(StmtKind::Assign(Place::Var(to), cast(value, program.vars[to].ty)))
}

pub(super) fn emit(header: HeaderId) -> Stmt {
    stmt(StmtKind::Emit(HeaderRef::Header(header)))
}

pub(super) fn set_valid(header: HeaderId) -> Stmt {
    stmt(StmtKind::SetValid(HeaderRef::Header(header)))
}

/// Builds an expression that reads a variable.
pub(super) fn value(program: &Program, var: VarId) -> Expr {
    Expr { kind: ExprKind::Var(var), ty: program.vars[var].ty }
}

/// Builds a constant of a type.
pub(super) fn number(ty: Type, value: u128) -> Expr {
    Expr { kind: ExprKind::Const(Bits::new(ty.width(), value)), ty }
}

/// Converts a value to a type.
pub(super) fn cast(value: Expr, ty: Type) -> Expr {
    if value.ty == ty {
        return value;
    }
    match (value.ty, ty) {
        (Type::Bool, _) => choose(value, number(ty, 1), number(ty, 0)),
        (_, Type::Bool) => equals(value, 1),
        _ => Expr { kind: ExprKind::Cast(Box::new(value)), ty },
    }
}

/// Builds the comparison of a value with a number.
pub(super) fn equals(value: Expr, number_: u128) -> Expr {
    let number = number(value.ty, number_);
    binary(BinaryOp::Eq, value, number, Type::Bool)
}

pub(super) fn not(value: Expr) -> Expr {
    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(value)), ty: Type::Bool }
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
}

/// Builds the choice between two values.
pub(super) fn choose(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let ty = then.ty;
    Expr { kind: ExprKind::Mux(Box::new(condition), Box::new(then), Box::new(otherwise)), ty }
}

/// Builds the test whether a bit of a number is 1.
pub(super) fn has_bit(value: Expr, bit: u32) -> Expr {
    let operand = Box::new(value);
    equals(Expr { kind: ExprKind::Slice { operand, high: bit, low: bit }, ty: Type::bit(1) }, 1)
}

/// Builds the concatenation of two values, `left` in the upper bits.
pub(super) fn concat(left: Expr, right: Expr) -> Expr {
    let ty = Type::bit(left.ty.width() + right.ty.width());
    binary(BinaryOp::Concat, left, right, ty)
}
