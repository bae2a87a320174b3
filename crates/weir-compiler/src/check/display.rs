//! Formats types as in the user's program.

use crate::hir::{self, Type, TypeId};

/// Formats `ty` as a user would write it.
pub(super) fn type_name(program: &hir::Program, ty: TypeId) -> String {
    let list = |items: &[TypeId]| -> String {
        items.iter().map(|&item| type_name(program, item)).collect::<Vec<_>>().join(", ")
    };
    let applied = |name: &str, args: &[TypeId]| -> String {
        if args.is_empty() { name.to_owned() } else { format!("{name}<{}>", list(args)) }
    };
    match &program.types[ty] {
        Type::Poison => "?".to_owned(),
        Type::Void => "void".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Error => "error".to_owned(),
        Type::MatchKind => "match_kind".to_owned(),
        Type::String => "string".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Bits { signed, width } => format!("{}<{width}>", if *signed { "int" } else { "bit" }),
        Type::Varbit { max_width } => format!("varbit<{max_width}>"),
        Type::Enum(decl) => program.enums[*decl].name.text.clone(),
        Type::Record { decl, args } => applied(&program.records[*decl].name.text, args),
        Type::Stack { element, size } => format!("{}[{size}]", type_name(program, *element)),
        Type::Tuple(items) => format!("tuple<{}>", list(items)),
        Type::AnonymousStruct(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, ty)| format!("{} {name};", type_name(program, *ty))).collect();
            format!("struct {{ {} }}", fields.join(" "))
        }
        Type::List(element) => format!("list<{}>", type_name(program, *element)),
        Type::Newtype(decl) => program.newtypes[*decl].name.text.clone(),
        Type::Var(var) => program.type_vars[*var].name.text.clone(),
        Type::Extern { decl, args } => applied(&program.externs[*decl].name.text, args),
        Type::BlockType { decl, args } => applied(&program.block_types[*decl].name.text, args),
        Type::Parser { decl, args } => applied(&program.parsers[*decl].name.text, args),
        Type::Control { decl, args } => applied(&program.controls[*decl].name.text, args),
        Type::Package { decl, args } => applied(&program.packages[*decl].name.text, args),
        Type::Table(table) => format!("table {}", program.tables[*table].name.text),
        Type::ApplyResult(table) => format!("result of {}.apply()", program.tables[*table].name.text),
        Type::ActionRun(table) => format!("actions of {}", program.tables[*table].name.text),
    }
}

/// Returns a direction as written, followed by a space; empty for none.
pub(super) fn direction_prefix(direction: hir::Direction) -> &'static str {
    match direction {
        hir::Direction::None => "",
        hir::Direction::In => "in ",
        hir::Direction::Out => "out ",
        hir::Direction::InOut => "inout ",
    }
}
