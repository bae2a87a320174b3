//! Headers whose fields do not fill whole bytes.

use weir_syntax::{Diagnostic, Diagnostics};

use crate::hir::{Field, Program, RecordKind, Type, TypeId};

/// Reports headers whose fields do not fill whole bytes, unless a `varbit` makes their size
/// variable, or the target chooses the layout of a field that is marked `@flexible`.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, record) in program.records.iter() {
        if record.kind != RecordKind::Header || !record.type_params.is_empty() {
            continue;
        }
        if record.fields.iter().any(|field| is_flexible(program, field)) {
            continue;
        }
        let fields = record.fields.iter().map(|field| bits(program, field.ty));
        let Some(total) = fields.sum::<Option<u64>>().filter(|total| total % 8 != 0) else { continue };
        let name = &record.name;
        let message =
            format!("header `{}` has {total} bits, which is not a whole number of bytes", name.text);
        let missing = 8 - total % 8;
        let diagnostic = Diagnostic::warning("unaligned-header", message)
            .primary(name.span, format!("{missing} too few, or {} too many", total % 8))
            .note("the rest of the packet is shifted by these bits; `p4c` refuses such headers for `simple_switch`")
            .note("compare the widths of its fields with the protocol, or fill the last byte with a field");
        diagnostics.push(diagnostic);
    }
}

/// Returns whether a field, or a field of its structure, is marked `@flexible`.
fn is_flexible(program: &Program, field: &Field) -> bool {
    let of_type = match &program.types[field.ty] {
        Type::Record { decl, .. } => &program.records[*decl].fields[..],
        _ => &[],
    };
    field.annotations.contains("flexible") || of_type.iter().any(|field| is_flexible(program, field))
}

/// Returns the width of a type in bits; `None` if it varies.
pub(super) fn bits(program: &Program, ty: TypeId) -> Option<u64> {
    match &program.types[ty] {
        Type::Bits { width, .. } => Some(u64::from(*width)),
        Type::Bool => Some(1),
        Type::Enum(id) => bits(program, program.enums[*id].underlying?),
        Type::Newtype(id) => bits(program, program.newtypes[*id].underlying),
        Type::Stack { element, size } => bits(program, *element)?.checked_mul(u64::from(*size)),
        Type::Record { decl, .. } if program.records[*decl].type_params.is_empty() => {
            program.records[*decl].fields.iter().map(|field| bits(program, field.ty)).sum()
        }
        _ => None,
    }
}
