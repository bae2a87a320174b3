//! Finds types whose numbers controllers see with fewer bits (`@p4runtime_translation`).

use weir_syntax::{Diagnostic, Diagnostics};

use crate::hir::{Annotation, AnnotationBody, Program, Type, TypeId};

/// The identifier of the warning.
const ID: &str = "narrow-translation";

/// Reports translations to fewer bits than the type has, and to 0 bits.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, ty) in program.newtypes.iter() {
        let Some(annotation) = ty.annotations.get("p4runtime_translation") else { continue };
        let (Some(seen), Some(has)) = (width(annotation), underlying(program, ty.underlying)) else {
            continue;
        };
        if seen >= has {
            continue;
        }
        let name = &ty.name.text;
        let diagnostic = match seen {
            0 => Diagnostic::warning(ID, format!("controllers see `{name}` with 0 bits"))
                .primary(annotation.span, "it has no effect"),
            _ => {
                let message = format!("controllers see `{name}` with fewer bits than it has");
                Diagnostic::warning(ID, message)
                    .primary(annotation.span, format!("{} here, {has} in the type", bits(seen)))
                    .note(format!("values from 2**{seen} on do not fit into the width that controllers use"))
            }
        };
        diagnostics.push(diagnostic);
    }
}

/// Formats a number of bits.
fn bits(width: u32) -> String {
    if width == 1 { "1 bit".to_owned() } else { format!("{width} bits") }
}

/// Returns the width in the annotation's second argument: `32`, `bit<32>` or `bit`; `None` for
/// `string`.
fn width(annotation: &Annotation) -> Option<u32> {
    let AnnotationBody::Unstructured { tokens, .. } = &annotation.body else { return None };
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    match tokens.as_slice() {
        [_, ",", "bit"] => Some(1),
        [_, ",", width] | [_, ",", "bit", "<", width, ">"] => width.parse().ok(),
        _ => None,
    }
}

/// Returns the width of the underlying type.
fn underlying(program: &Program, ty: TypeId) -> Option<u32> {
    match program.types[ty] {
        Type::Bits { width, .. } => Some(width),
        Type::Newtype(decl) => underlying(program, program.newtypes[decl].underlying),
        _ => None,
    }
}
