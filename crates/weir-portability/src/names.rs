//! Queries on parts of the typed tree.

use num_bigint::BigInt;
use weir_compiler::hir::walk::{self, Visitor};
use weir_compiler::hir::{
    Arg, ArgValue, Call, Callee, Expr, ExprKind, Field, Program, RecordKind, Type, TypeId, VarId, VarKind,
};
use weir_compiler::{Value, evaluate};

/// Returns the name of the extern function that a call calls.
pub(crate) fn function<'a>(program: &'a Program, call: &Call) -> Option<&'a str> {
    match call.callee {
        Callee::ExternFunction(id) => Some(&program.extern_functions[id].0.name.text),
        _ => None,
    }
}

/// Returns the names of the extern and of the method that a call calls.
pub(crate) fn method<'a>(program: &'a Program, call: &Call) -> Option<(&'a str, &'a str)> {
    match call.callee {
        Callee::Method { decl, method, .. } => {
            let object = &program.externs[decl];
            Some((&object.name.text, &object.methods[method].name.text))
        }
        _ => None,
    }
}

/// Returns the value of a call's argument.
pub(crate) fn argument(call: &Call, position: usize) -> Option<&Expr> {
    value(call.args.get(position)?)
}

/// Returns the value of an argument.
pub(crate) fn value(arg: &Arg) -> Option<&Expr> {
    match &arg.value {
        ArgValue::Expr(value) => Some(value),
        _ => None,
    }
}

/// Returns the number that an expression always has.
pub(crate) fn number(program: &Program, expr: &Expr) -> Option<BigInt> {
    match evaluate(program, expr)? {
        Value::Int(number) => Some(number),
        _ => None,
    }
}

/// Returns whether an expression reads a variable other than a parameter that is known when its
/// block is instantiated.
pub(crate) fn may_vary(program: &Program, expr: &Expr) -> bool {
    /// Searches for a use.
    struct Search<'a> {
        program: &'a Program,
        found: bool,
    }
    impl Visitor for Search<'_> {
        fn expr(&mut self, expr: &Expr) {
            if let ExprKind::Var(var) = expr.kind {
                self.found |= matches!(self.program.vars[var].kind, VarKind::Local | VarKind::Param(_));
            }
        }
    }
    let mut search = Search { program, found: false };
    walk::expr(expr, &mut search);
    search.found
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

/// Returns the kind of a record's type.
pub(crate) fn record_kind(program: &Program, ty: TypeId) -> Option<RecordKind> {
    match program.types[ty] {
        Type::Record { decl, .. } => Some(program.records[decl].kind),
        _ => None,
    }
}

/// Returns the types of the members of a record or a list; `None` for other types.
pub(crate) fn members(program: &Program, ty: TypeId) -> Option<Vec<TypeId>> {
    match &program.types[ty] {
        Type::Record { decl, .. } => {
            Some(program.records[*decl].fields.iter().map(|field| field.ty).collect())
        }
        Type::AnonymousStruct(fields) => Some(fields.iter().map(|(_, ty)| *ty).collect()),
        Type::Tuple(items) => Some(items.clone()),
        Type::List(item) => Some(vec![*item]),
        _ => None,
    }
}

/// Returns whether a type is a header union.
pub(crate) fn is_union(program: &Program, ty: TypeId) -> bool {
    record_kind(program, ty) == Some(RecordKind::Union)
}

/// Returns whether a type is a stack of header unions.
pub(crate) fn is_union_stack(program: &Program, ty: TypeId) -> bool {
    matches!(program.types[ty], Type::Stack { element, .. } if is_union(program, element))
}

/// Returns whether a value of the type has a varbit somewhere.
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

/// Returns the field of a record that an expression names.
pub(crate) fn field<'a>(program: &'a Program, expr: &Expr) -> Option<(&'a str, &'a Field)> {
    let ExprKind::Field { base, field } = &expr.kind else { return None };
    let Type::Record { decl, .. } = program.types[base.ty] else { return None };
    let record = &program.records[decl];
    Some((&record.name.text, record.fields.get(*field)?))
}

/// Returns the name of the field of `standard_metadata_t` that an expression names.
pub(crate) fn standard_metadata<'a>(program: &'a Program, expr: &Expr) -> Option<&'a str> {
    match field(program, expr)? {
        ("standard_metadata_t", field) => Some(&field.name.text),
        _ => None,
    }
}

/// Returns whether a place is in an element of a stack that is selected by an index that is not a
/// constant.
pub(crate) fn at_runtime_index(program: &Program, place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Index { base, index } => {
            number(program, index).is_none() || at_runtime_index(program, base)
        }
        ExprKind::Field { base, .. } | ExprKind::Slice { base, .. } => at_runtime_index(program, base),
        _ => false,
    }
}

/// Returns the variable that a place is a part of.
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

/// Returns whether two expressions name the same place without indices.
pub(crate) fn same_place(one: &Expr, other: &Expr) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Field { base: a, field: i }, ExprKind::Field { base: b, field: j }) => {
            i == j && same_place(a, b)
        }
        _ => false,
    }
}

/// Returns whether two places can share bits: one is a part of the other. Elements of a stack with
/// different constant indices share none.
pub(crate) fn may_overlap(program: &Program, one: &Expr, other: &Expr) -> bool {
    let (one, other) = (path_to_part(one), path_to_part(other));
    let places = !one.is_empty() && !other.is_empty();
    places
        && one.iter().zip(&other).all(|(one, other)| match (&one.kind, &other.kind) {
            (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
            (ExprKind::Field { field: i, .. }, ExprKind::Field { field: j, .. }) => i == j,
            (ExprKind::Index { index: i, .. }, ExprKind::Index { index: j, .. }) => {
                number(program, i).zip(number(program, j)).is_none_or(|(i, j)| i == j)
            }
            _ => false,
        })
}

/// Returns the expressions from a variable to a part of it; empty if the expression is not a place.
fn path_to_part(expr: &Expr) -> Vec<&Expr> {
    let mut steps = match &expr.kind {
        ExprKind::Var(_) => Vec::new(),
        ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => path_to_part(base),
        ExprKind::Slice { base, .. } => return path_to_part(base),
        _ => return Vec::new(),
    };
    steps.push(expr);
    steps
}
