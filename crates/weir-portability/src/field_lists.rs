//! Fields of metadata that are in several field lists.

use weir_compiler::hir::{Field, Program, Type};

use crate::code::{Code, Role};
use crate::report::Report;
use crate::rules::{FIELD_LIST_INSIDE, FIELD_LIST_TWICE};

const FIELD_LIST: &str = "field_list";

/// Checks the lists of fields that are preserved.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    let parser = code.blocks.iter().find(|block| block.role == Role::Parser);
    let Some(parser) = parser.and_then(|block| block.parsers.first()) else { return };
    for param in &program.parsers[*parser].params {
        fields(program, program.vars[param.var].ty, None, report);
    }
}

/// Checks the fields of a struct. `outer` is the field that contains the struct, if that field is
/// in a list.
fn fields(program: &Program, ty: weir_compiler::hir::TypeId, outer: Option<&Field>, report: &mut Report<'_>) {
    let Type::Record { decl, .. } = program.types[ty] else { return };
    for field in &program.records[decl].fields {
        let lists: Vec<_> = field.annotations.0.iter().filter(|found| found.name == FIELD_LIST).collect();
        if let Some(second) = lists.get(1) {
            report.add(&FIELD_LIST_TWICE, second.span, "");
        }
        if let (Some(first), Some(outer)) = (lists.first(), outer)
            && outer
                .annotations
                .0
                .iter()
                .filter(|found| found.name == FIELD_LIST)
                .map(|found| found.values())
                .ne(lists.iter().map(|found| found.values()))
        {
            report.add(&FIELD_LIST_INSIDE, first.span, format!("inside `{}`", outer.name.text));
        }
        fields(program, field.ty, if lists.is_empty() { outer } else { Some(field) }, report);
    }
}
