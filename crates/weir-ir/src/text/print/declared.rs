//! Declared types and annotations as text.

use std::fmt::Write;

use crate::annotation::{Annotation, AnnotationArg, AnnotationForm, AnnotationValue};
use crate::program::Program;
use crate::types::declared::{DeclaredKind, DeclaredMember, DeclaredType, DeclaredTypeId};

use super::super::spelling::{name, text};
use super::code::{data_type, declared_name, list, ty};

/// Returns the text `type NAME { … }` of a declared type.
pub(super) fn declaration(program: &Program, of: &DeclaredType) -> String {
    let members = |members: &[DeclaredMember]| {
        list(members, |member| format!("{}: {}", name(&member.name), data_type(program, &member.ty)))
    };
    let kind = match &of.kind {
        DeclaredKind::New(of) => format!("new {}", data_type(program, of)),
        DeclaredKind::Enum(id) => {
            format!(
                "enum {}",
                program.enums.get(*id).map_or_else(|| "`?`".into(), |declared| name(&declared.name))
            )
        }
        DeclaredKind::Serializable { underlying, members } => {
            let members = list(members, |(member, value)| format!("{} = {}", name(member), value));
            format!("enum {} {{ {members} }}", ty(program, *underlying))
        }
        DeclaredKind::Struct(of) => format!("struct {{ {} }}", members(of)),
        DeclaredKind::Header(of) => format!("header {{ {} }}", members(of)),
        DeclaredKind::Union(of) => format!("union {{ {} }}", members(of)),
    };
    format!("type {} {{ {kind} }}{}", name(&of.name), annotations(&of.annotations))
}

/// Returns the text ` as NAME`, if there is a declared type.
pub(super) fn declared(program: &Program, of: Option<DeclaredTypeId>) -> String {
    of.map_or_else(String::new, |id| format!(" as {}", declared_name(program, id)))
}

/// Returns the text ` @name`, ` @name(args)` or ` @name[args]` for each annotation. The tokens of a
/// body follow if they differ from the usual spelling of the arguments.
pub(super) fn annotations(annotations: &[Annotation]) -> String {
    let mut out = String::new();
    for annotation in annotations {
        let _ = write!(out, " @{}", name(&annotation.name));
        let args = list(&annotation.args, arg);
        let _ = match &annotation.form {
            AnnotationForm::Bare => Ok(()),
            form if *form == AnnotationForm::usual(&annotation.args) => write!(out, "({args})"),
            AnnotationForm::Structured => write!(out, "[{args}]"),
            // A body that is not a list of constants also stands for its only argument.
            AnnotationForm::Unstructured(body) if is_text(&annotation.args, body) => {
                write!(out, "(; {})", text(body))
            }
            AnnotationForm::Unstructured(body) => write!(out, "({args}; {})", text(body)),
        };
    }
    out
}

fn is_text(args: &[AnnotationArg], body: &str) -> bool {
    matches!(args, [AnnotationArg { key: None, value: AnnotationValue::Text(text) }] if text == body)
}

/// Formats an argument of an annotation.
fn arg(arg: &AnnotationArg) -> String {
    let value = match &arg.value {
        AnnotationValue::Text(value) => text(value),
        AnnotationValue::Int(value) => value.to_string(),
        AnnotationValue::Bool(value) => value.to_string(),
    };
    arg.key.as_ref().map_or(value.clone(), |key| format!("{} = {value}", name(key)))
}
