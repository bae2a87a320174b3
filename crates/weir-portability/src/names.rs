//! Queries on parts of the tree.

use num_bigint::BigInt;
use weir_compiler::hir::{
    Arg, ArgValue, Call, Callee, Expr, ExprKind, Field, Program, RecordKind, Type, TypeId, VarId,
};
use weir_compiler::{Value, evaluate};

/// The name of the extern function that is called.
pub(crate) fn function<'a>(program: &'a Program, call: &Call) -> Option<&'a str> {
    match call.callee {
        Callee::ExternFunction(id) => Some(&program.extern_functions[id].0.name.text),
        _ => None,
    }
}

/// The names of the extern and of its method that is called.
pub(crate) fn method<'a>(program: &'a Program, call: &Call) -> Option<(&'a str, &'a str)> {
    match call.callee {
        Callee::Method { decl, method, .. } => {
            let object = &program.externs[decl];
            Some((&object.name.text, &object.methods[method].name.text))
        }
        _ => None,
    }
}

/// The value of a call's argument.
pub(crate) fn argument(call: &Call, position: usize) -> Option<&Expr> {
    value(call.args.get(position)?)
}

/// The value of an argument.
pub(crate) fn value(arg: &Arg) -> Option<&Expr> {
    match &arg.value {
        ArgValue::Expr(value) => Some(value),
        _ => None,
    }
}

/// The number that an expression always has.
pub(crate) fn number(program: &Program, expr: &Expr) -> Option<BigInt> {
    match evaluate(program, expr)? {
        Value::Int(number) => Some(number),
        _ => None,
    }
}

/// Signedness and width of a number's type.
pub(crate) fn bits(program: &Program, ty: TypeId) -> Option<(bool, u32)> {
    match program.types[ty] {
        Type::Bits { signed, width } => Some((signed, width)),
        Type::Enum(decl) => bits(program, program.enums[decl].underlying?),
        Type::Newtype(decl) => bits(program, program.newtypes[decl].underlying),
        _ => None,
    }
}

/// The kind of a record's type.
pub(crate) fn record(program: &Program, ty: TypeId) -> Option<RecordKind> {
    match program.types[ty] {
        Type::Record { decl, .. } => Some(program.records[decl].kind),
        _ => None,
    }
}

/// Whether a type is a header union.
pub(crate) fn is_union(program: &Program, ty: TypeId) -> bool {
    record(program, ty) == Some(RecordKind::Union)
}

/// Whether a type is a stack of header unions.
pub(crate) fn is_union_stack(program: &Program, ty: TypeId) -> bool {
    matches!(program.types[ty], Type::Stack { element, .. } if is_union(program, element))
}

/// Whether a value of the type has a varbit somewhere.
pub(crate) fn has_varbit(program: &Program, ty: TypeId) -> bool {
    match &program.types[ty] {
        Type::Varbit { .. } => true,
        Type::Record { decl, .. } => {
            program.records[*decl].fields.iter().any(|field| has_varbit(program, field.ty))
        }
        Type::Stack { element, .. } => has_varbit(program, *element),
        Type::Tuple(items) => items.iter().any(|&item| has_varbit(program, item)),
        _ => false,
    }
}

/// The field of a record that an expression names.
pub(crate) fn field<'a>(program: &'a Program, expr: &Expr) -> Option<(&'a str, &'a Field)> {
    let ExprKind::Field { base, field } = &expr.kind else { return None };
    let Type::Record { decl, .. } = program.types[base.ty] else { return None };
    let record = &program.records[decl];
    Some((&record.name.text, record.fields.get(*field)?))
}

/// The name of the field of `standard_metadata_t` that an expression names.
pub(crate) fn standard_metadata<'a>(program: &'a Program, expr: &Expr) -> Option<&'a str> {
    match field(program, expr)? {
        ("standard_metadata_t", field) => Some(&field.name.text),
        _ => None,
    }
}

/// The variable that a place is a part of.
pub(crate) fn variable(expr: &Expr) -> Option<VarId> {
    match &expr.kind {
        ExprKind::Var(var) => Some(*var),
        ExprKind::Field { base, .. }
        | ExprKind::TupleElement { base, .. }
        | ExprKind::Index { base, .. }
        | ExprKind::StackNext(base)
        | ExprKind::StackLast(base)
        | ExprKind::Slice { base, .. }
        | ExprKind::IndexedSlice { base, .. } => variable(base),
        _ => None,
    }
}

/// Whether two expressions name the same place without indices.
pub(crate) fn same_place(one: &Expr, other: &Expr) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Field { base: a, field: i }, ExprKind::Field { base: b, field: j }) => {
            i == j && same_place(a, b)
        }
        _ => false,
    }
}
