//! Fields of the architecture's metadata, and the effects on packets that their annotations
//! describe.

use num_bigint::BigInt;

use crate::check::constant::{Value, evaluate};
use crate::hir::{AnnotationValue, Expr, ExprKind, Field, Program, RecordId, Type};

/// Returns the field of a record that a place is, or is a part of.
pub(super) fn field<'a>(program: &'a Program, place: &Expr) -> Option<(&'a Field, RecordId, usize)> {
    match &place.kind {
        ExprKind::Slice { base, .. } | ExprKind::IndexedSlice { base, .. } => field(program, base),
        ExprKind::Field { base, field } => match program.types[base.ty] {
            Type::Record { decl, .. } => Some((program.records[decl].fields.get(*field)?, decl, *field)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the value for which the packet is not sent, for a field that controls sending.
pub(super) fn value_without_effect(field: &Field) -> Option<&BigInt> {
    match field.annotations.get("sends_unless")?.values() {
        [AnnotationValue::Int(value)] => Some(value),
        _ => None,
    }
}

/// Returns whether `value` is known not to send the packet when it is written to `field`.
pub(super) fn is_neutral(program: &Program, field: &Field, value: Option<&Expr>) -> bool {
    let value = value.and_then(|value| evaluate(program, value));
    match (value_without_effect(field), value) {
        (Some(neutral), Some(Value::Int(value))) => *neutral == value,
        _ => false,
    }
}

/// Returns the names of a record's fields that send packets.
pub(super) fn senders(program: &Program, record: RecordId) -> Vec<&str> {
    let fields = program.records[record].fields.iter();
    fields
        .filter(|field| value_without_effect(field).is_some())
        .map(|field| field.name.text.as_str())
        .collect()
}
