//! Types of headers, metadata, registers and action data.

use weir_compiler::hir::{
    Constructor, Direction, Param, Program, RecordId, RecordKind, Type, TypeId, TypeVarId, VarKind,
};
use weir_syntax::Span;

use crate::code::{Code, Role};
use crate::model_enums::is_model_enum;
use crate::names::{bits, is_union, number, value};
use crate::report::Report;
use crate::rules::{
    ACTION_DATA_TYPE, ARRAY, EMPTY_REGISTER, HEADER_WIDTH, HEADERS_ONLY, METADATA_UNION, MODEL_ENUM,
    REGISTER_TYPE, TWO_VARBITS,
};

/// Checks the types of the program's data.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    let mut fields = Fields { program, seen: Vec::new(), report };
    for block in &code.blocks {
        let controls = block.controls.iter().map(|&id| &program.controls[id].params);
        let parsers = block.parsers.iter().map(|&id| &program.parsers[id].params);
        for param in controls.chain(parsers).flatten() {
            let var = &program.vars[param.var];
            fields.ty(var.ty, &TypeArguments::default(), var.name.span);
        }
    }
    if let Some(headers) =
        code.control(Role::Deparser).and_then(|control| program.controls[control].params.get(1))
    {
        only_headers(program, program.vars[headers.var].ty, report);
    }
    if let Some(metadata) = code.metadata() {
        unions(program, metadata, report);
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

/// Reports fields of the struct of headers that are not headers. The fields of structs inside it
/// are checked too.
fn only_headers(program: &Program, headers: TypeId, report: &mut Report<'_>) {
    let Type::Record { decl, .. } = program.types[headers] else { return };
    for field in &program.records[decl].fields {
        match program.types[field.ty] {
            Type::Record { decl, .. } if program.records[decl].kind == RecordKind::Struct => {
                only_headers(program, field.ty, report);
            }
            Type::Record { .. } | Type::Stack { .. } | Type::Var(_) => {}
            _ => report.add(&HEADERS_ONLY, field.name.span, ""),
        }
    }
}

/// Reports header unions in metadata.
fn unions(program: &Program, metadata: TypeId, report: &mut Report<'_>) {
    let Type::Record { decl, .. } = program.types[metadata] else { return };
    for field in &program.records[decl].fields {
        if is_union(program, field.ty) {
            report.add(&METADATA_UNION, field.name.span, "");
        }
    }
}

/// The types that the parameters of a generic type stand for.
#[derive(Default)]
struct TypeArguments(Vec<(TypeVarId, TypeId)>);

impl TypeArguments {
    /// Replaces a type parameter by the type that it stands for.
    fn substitute(&self, program: &Program, ty: TypeId) -> TypeId {
        match program.types[ty] {
            Type::Var(var) => self.0.iter().find(|(known, _)| *known == var).map_or(ty, |(_, ty)| *ty),
            _ => ty,
        }
    }

    /// Returns the types that the type parameters of a record stand for in its fields.
    fn arguments_in_record(&self, program: &Program, record: RecordId, args: &[TypeId]) -> Self {
        let params = program.records[record].type_params.iter().copied();
        Self(params.zip(args.iter().map(|&arg| self.substitute(program, arg))).collect())
    }
}

/// Checks the headers, arrays and enums in the headers and the metadata of a program.
struct Fields<'a, 'b> {
    program: &'a Program,
    seen: Vec<TypeId>,
    report: &'a mut Report<'b>,
}

impl Fields<'_, '_> {
    /// Checks a type and the types that it contains.
    fn ty(&mut self, id: TypeId, known: &TypeArguments, span: Span) {
        let program = self.program;
        let id = known.substitute(program, id);
        match &program.types[id] {
            Type::Record { decl, args } if !self.seen.contains(&id) => {
                self.seen.push(id);
                let record = &program.records[*decl];
                let known = known.arguments_in_record(program, *decl, args);
                if record.kind == RecordKind::Header {
                    self.header(*decl, &known);
                }
                for field in &record.fields {
                    self.ty(field.ty, &known, field.name.span);
                }
            }
            Type::Stack { element, .. } => {
                let element = known.substitute(program, *element);
                let kind = crate::names::record_kind(program, element);
                if !matches!(kind, Some(RecordKind::Header | RecordKind::Union)) {
                    self.report.add(&ARRAY, span, "an array");
                }
                self.ty(element, known, span);
            }
            _ if is_model_enum(program, id) => {
                self.report.add(&MODEL_ENUM, span, "a variable of such a type");
            }
            _ => {}
        }
    }

    /// Checks a header's fields.
    fn header(&mut self, id: RecordId, known: &TypeArguments) {
        let record = &self.program.records[id];
        let Some((width, varbits)) = self.fields(id, known) else { return };
        if width % 8 != 0 {
            self.report.add(&HEADER_WIDTH, record.name.span, format!("{width} bits long"));
        }
        if varbits > 1 {
            self.report.add(&TWO_VARBITS, record.name.span, format!("{varbits} varbit fields"));
        }
    }

    /// Returns the width of a record's fields with their varbits at maximum length, and the number
    /// of varbits.
    fn fields(&self, record: RecordId, known: &TypeArguments) -> Option<(u64, u32)> {
        self.program.records[record].fields.iter().try_fold((0, 0), |sum, field| {
            let (width, varbits) = self.size(field.ty, known)?;
            Some((sum.0 + width, sum.1 + varbits))
        })
    }

    /// Returns the width of a field with its varbits at their maximum length, and the number of
    /// varbits; `None` if a type is not known.
    fn size(&self, ty: TypeId, known: &TypeArguments) -> Option<(u64, u32)> {
        let program = self.program;
        let ty = known.substitute(program, ty);
        match &program.types[ty] {
            Type::Bool => Some((1, 0)),
            Type::Varbit { max_width } => Some((u64::from(*max_width), 1)),
            Type::Record { decl, args } => {
                self.fields(*decl, &known.arguments_in_record(program, *decl, args))
            }
            Type::Stack { element, size } => {
                let (width, varbits) = self.size(*element, known)?;
                Some((width * u64::from(*size), varbits * size))
            }
            _ => bits(program, ty).map(|(_, width)| (u64::from(width), 0)),
        }
    }
}

/// Checks the types of the registers' cells.
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
        let zero_wide =
            args.first().is_some_and(|&cell| bits(program, cell).is_some_and(|(_, width)| width == 0));
        let size = instance.construct.args.first().and_then(value).and_then(|size| number(program, size));
        if zero_wide || size.is_some_and(|size| size == num_bigint::BigInt::ZERO) {
            report.add(&EMPTY_REGISTER, span, "");
        }
    }
}

fn action_data(program: &Program, param: &Param, report: &mut Report<'_>) {
    let var = &program.vars[param.var];
    let taken =
        matches!(program.types[var.ty], Type::Bits { .. } | Type::Enum(_) | Type::Newtype(_) | Type::Var(_));
    if !taken && matches!(var.kind, VarKind::Param(_)) {
        report.add(&ACTION_DATA_TYPE, var.name.span, "");
    }
}
