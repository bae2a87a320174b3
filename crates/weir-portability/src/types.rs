//! Types of headers, metadata, registers and action data.

use weir_compiler::hir::{
    Constructor, Direction, Param, Program, RecordId, RecordKind, Type, TypeId, VarKind,
};
use weir_syntax::Span;

use crate::code::Code;
use crate::names::{number, value};
use crate::report::Report;
use crate::rules::{ACTION_DATA_TYPE, ARRAY, EMPTY_REGISTER, HEADER_WIDTH, REGISTER_TYPE, TWO_VARBITS};

pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    let mut seen = Vec::new();
    for block in &code.blocks {
        let controls = block.controls.iter().map(|&id| &program.controls[id].params);
        let parsers = block.parsers.iter().map(|&id| &program.parsers[id].params);
        for param in controls.chain(parsers).flatten() {
            let var = &program.vars[param.var];
            ty(program, var.ty, var.name.span, &mut seen, report);
        }
    }
    registers(program, report);
    // The compiler passes the arguments of actions that no table lists.
    let tables = code.tables();
    for listed in tables.iter().flat_map(|&id| &program.tables[id].actions) {
        let action = &program.actions[listed.action];
        for param in action.params.iter().filter(|param| param.direction == Direction::None) {
            action_data(program, param, report);
        }
    }
}

/// Headers and arrays in the headers and the metadata of a program.
fn ty(program: &Program, id: TypeId, span: Span, seen: &mut Vec<RecordId>, report: &mut Report<'_>) {
    match &program.types[id] {
        Type::Record { decl, .. } if !seen.contains(decl) => {
            seen.push(*decl);
            let record = &program.records[*decl];
            if record.kind == RecordKind::Header {
                header(program, *decl, report);
            }
            for field in &record.fields {
                ty(program, field.ty, field.name.span, seen, report);
            }
        }
        Type::Stack { element, .. } => {
            if !matches!(
                crate::names::record(program, *element),
                Some(RecordKind::Header | RecordKind::Union)
            ) {
                report.add(&ARRAY, span, "an array");
            }
            ty(program, *element, span, seen, report);
        }
        _ => {}
    }
}

fn header(program: &Program, id: RecordId, report: &mut Report<'_>) {
    let record = &program.records[id];
    let (mut width, mut varbits) = (0u64, 0);
    for field in &record.fields {
        match program.types[field.ty] {
            Type::Bool => width += 1,
            Type::Varbit { max_width } => {
                width += u64::from(max_width);
                varbits += 1;
            }
            _ => match crate::names::bits(program, field.ty) {
                Some((_, bits)) => width += u64::from(bits),
                // Structs in headers count with their fields, which this does not follow.
                None => return,
            },
        }
    }
    if width % 8 != 0 {
        report.add(&HEADER_WIDTH, record.name.span, format!("{width} bits long"));
    }
    if varbits > 1 {
        report.add(&TWO_VARBITS, record.name.span, format!("{varbits} varbit fields"));
    }
}

fn registers(program: &Program, report: &mut Report<'_>) {
    for (_, instance) in program.instances.iter() {
        let Constructor::Extern { decl, .. } = instance.construct.constructor else { continue };
        if program.externs[decl].name.text != "register" {
            continue;
        }
        let Type::Extern { args, .. } = &program.types[instance.ty] else { continue };
        let span = instance.name.span;
        if args.first().is_some_and(|&cell| {
            !matches!(
                program.types[cell],
                Type::Bits { .. } | Type::Var(_) | Type::Newtype(_) | Type::Enum(_)
            )
        }) {
            report.add(&REGISTER_TYPE, span, "");
        }
        let size = instance.construct.args.first().and_then(value).and_then(|size| number(program, size));
        if size.is_some_and(|size| size == num_bigint::BigInt::ZERO) {
            report.add(&EMPTY_REGISTER, span, "");
        }
    }
}

fn action_data(program: &Program, param: &Param, report: &mut Report<'_>) {
    let var = &program.vars[param.var];
    let wrong = match program.types[var.ty] {
        Type::Bool | Type::Stack { .. } | Type::Tuple(_) => true,
        Type::Record { decl, .. } => program.records[decl].kind == RecordKind::Struct,
        _ => false,
    };
    if wrong && matches!(var.kind, VarKind::Param(_)) {
        report.add(&ACTION_DATA_TYPE, var.name.span, "");
    }
}
