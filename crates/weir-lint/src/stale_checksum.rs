//! Headers whose fields the program changes without updating the checksum over them. The checksum
//! field and the fields that it covers are known for two kinds of headers: those with the layout of
//! IPv4, and those whose checksum the program itself verifies (with an extern function whose
//! parameters the architecture annotates `@summed` and `@sum`).

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use weir_syntax::{Diagnostic, Diagnostics, Span};

use super::emitted::EmittedHeaders;
use crate::hir::walk::{self, Visitor};
use crate::hir::{
    ArgValue, Call, Callee, Expr, ExprKind, Param, Program, RecordId, RecordKind, Stmt, StmtKind, Type,
    TypeId,
};

/// Reports headers whose fields the program changes without updating the checksum. Only programs
/// with a `main` are checked.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    if program.main.is_none() {
        return;
    }
    let mut search = Search { program, verified: Vec::new(), uses: FxHashMap::default() };
    walk::program(program, &mut search);
    let Search { verified, uses, .. } = search;
    let mut sums: Vec<(Header, Sum)> = verified;
    let mut headers: Vec<Header> = uses.keys().copied().collect();
    headers.sort_unstable();
    for header in headers {
        if let Some(sum) = header.record(program).and_then(|record| ipv4(program, record))
            && !sums.iter().any(|(known, _)| *known == header)
        {
            sums.push((header, sum));
        }
    }
    let emitted = EmittedHeaders::collect(program);
    let mut reported: Vec<(Header, usize)> = Vec::new();
    for (header, sum) in sums {
        let is_sent = match header {
            Header::Field(record, field) => emitted.emits(program, (record, field)),
            Header::Type(_) => emitted.has_emits(),
        };
        if !is_sent {
            continue;
        }
        let Some(changed) = uses.get(&header) else { continue };
        let updated = |header: &Header| uses.get(header).is_some_and(|uses| uses.writes_field(sum.field));
        // A write under another name of a header of this type may refer to this header.
        let same_type = |other: &&Header| {
            matches!(other, Header::Type(_)) && other.record(program) == header.record(program)
        };
        let is_updated = match header {
            Header::Type(_) => {
                uses.keys().filter(|other| other.record(program) == header.record(program)).any(updated)
            }
            Header::Field(..) => updated(&header) || uses.keys().filter(same_type).any(updated),
        };
        if is_updated || reported.contains(&(header, sum.field)) {
            continue;
        }
        let writes: Vec<&Write> =
            changed.writes.iter().filter(|write| sum.covers.contains(&write.field)).collect();
        if only_swaps(&writes) {
            continue;
        }
        let computed = writes.iter().find(|write| write.from.is_none());
        let Some(first) = computed.or(writes.first()) else { continue };
        reported.push((header, sum.field));
        diagnostics.extend(warning(program, header, &sum, first));
    }
}

/// Makes the warning for a checksum that is not updated after a write.
fn warning(program: &Program, header: Header, sum: &Sum, write: &Write) -> Option<Diagnostic> {
    let record = &program.records[header.record(program)?];
    let (field, checksum) = (&record.fields[write.field].name.text, &record.fields[sum.field].name);
    let message = format!("`{field}` is changed, but the checksum `{}` is never updated", checksum.text);
    let mut diagnostic = Diagnostic::warning("stale-checksum", message)
        .primary(write.span, "the checksum covers this field, so receivers will drop the packet")
        .secondary(checksum.span, "nothing writes this field");
    if let Some(verified) = sum.verified {
        diagnostic = diagnostic.secondary(verified, "verified here");
    }
    Some(diagnostic.note(match computing(program) {
        Some(name) => format!("compute it again before the packet is sent, with `{name}`"),
        None => "compute it again before the packet is sent".to_owned(),
    }))
}

/// Returns the name of the extern with which programs of the architecture compute checksums.
fn computing(program: &Program) -> Option<&str> {
    let functions =
        program.extern_functions.iter().map(|(_, function)| (&function.0.name, &function.0.annotations));
    let types = program.externs.iter().map(|(_, declared)| (&declared.name, &declared.annotations));
    let mut all = functions.chain(types);
    let (name, _) = all.find(|(_, annotations)| annotations.contains("computes_checksums"))?;
    Some(name.text.as_str())
}

/// A header in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Header {
    /// A field of a record, in all values of that type.
    Field(RecordId, usize),
    /// A variable or parameter of this type.
    Type(RecordId),
}

impl Header {
    /// Returns the type of the header.
    fn record(self, program: &Program) -> Option<RecordId> {
        match self {
            Header::Field(record, field) => element(program, program.records[record].fields[field].ty),
            Header::Type(record) => Some(record),
        }
    }
}

/// Returns the header type that a type is, or that the elements of a stack have.
fn element(program: &Program, ty: TypeId) -> Option<RecordId> {
    match program.types[ty] {
        Type::Record { decl, .. } if program.records[decl].kind == RecordKind::Header => Some(decl),
        Type::Stack { element: inner, .. } => element(program, inner),
        _ => None,
    }
}

/// A checksum of a header over fields of the same header.
struct Sum {
    field: usize,
    covers: BTreeSet<usize>,
    verified: Option<Span>,
}

/// The first bit and the end of some fields of an IPv4 header (RFC 791): time to live, protocol,
/// checksum, and the two addresses.
const IPV4_FIELD_BITS: [(u32, u32); 5] = [(64, 72), (72, 80), (80, 96), (96, 128), (128, 160)];

/// Returns the checksum of a header with the layout of IPv4.
fn ipv4(program: &Program, record: RecordId) -> Option<Sum> {
    let (mut offset, mut ranges) = (0, Vec::new());
    for field in &program.records[record].fields {
        let width = match program.types[field.ty] {
            Type::Varbit { .. } => 0,
            Type::Bits { width, .. } => width,
            Type::Enum(decl) => match program.types[program.enums[decl].underlying?] {
                Type::Bits { width, .. } => width,
                _ => return None,
            },
            Type::Newtype(_) => crate::check::constant::representation(program, field.ty)?.1,
            _ => return None,
        };
        ranges.push((offset, offset + width));
        offset += width;
    }
    if offset != 160
        || !ranges.starts_with(&[(0, 4), (4, 8)])
        || !IPV4_FIELD_BITS.iter().all(|part| ranges.contains(part))
    {
        return None;
    }
    let field = ranges.iter().position(|range| *range == IPV4_FIELD_BITS[2])?;
    let covers = (0..ranges.len()).filter(|&index| index != field).collect();
    Some(Sum { field, covers, verified: None })
}

/// A write of a field, and where its value comes from.
struct Write {
    field: usize,
    span: Span,
    /// The header and field whose value is written, if it is a copy.
    from: Option<Source>,
}

/// The source of a copied value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Another field of the same header.
    SameHeader(usize),
    Variable,
}

/// Returns whether the writes only exchange the values of fields, which does not change their sum.
/// This is the case if all writes are copies between two fields, directly or through a variable.
fn only_swaps(writes: &[&Write]) -> bool {
    let fields: BTreeSet<usize> = writes.iter().map(|write| write.field).collect();
    fields.len() == 2
        && writes.iter().all(|write| match write.from {
            Some(Source::SameHeader(from)) => from != write.field && fields.contains(&from),
            Some(Source::Variable) => true,
            None => false,
        })
        && writes.iter().any(|write| matches!(write.from, Some(Source::SameHeader(_))))
}

/// The writes of a header's fields in the program.
#[derive(Default)]
struct Uses {
    writes: Vec<Write>,
}

impl Uses {
    fn writes_field(&self, field: usize) -> bool {
        self.writes.iter().any(|write| write.field == field)
    }
}

/// The state of searching for checksums and writes.
struct Search<'a> {
    program: &'a Program,
    verified: Vec<(Header, Sum)>,
    uses: FxHashMap<Header, Uses>,
}

impl Search<'_> {
    /// Returns the header and the field that a place denotes.
    fn field(&self, place: &Expr) -> Option<(Header, usize)> {
        match &place.kind {
            ExprKind::Slice { base, .. } | ExprKind::IndexedSlice { base, .. } => self.field(base),
            ExprKind::Field { base, field } => Some((self.header(base)?, *field)),
            _ => None,
        }
    }

    /// Returns the header that a place is or belongs to.
    fn header(&self, place: &Expr) -> Option<Header> {
        let record = element(self.program, place.ty)?;
        match &place.kind {
            ExprKind::Index { base, .. } | ExprKind::StackLast(base) | ExprKind::StackNext(base) => {
                self.header(base)
            }
            ExprKind::Field { base, field } => match self.program.types[base.ty] {
                Type::Record { decl, .. } => Some(Header::Field(decl, *field)),
                _ => None,
            },
            _ => Some(Header::Type(record)),
        }
    }

    /// Notes that a header or a field is written.
    fn write(&mut self, target: &Expr, value: Option<&Expr>) {
        if let Some((header, field)) = self.field(target) {
            let from = value.and_then(|value| match self.field(value) {
                Some((source, field)) if source == header => Some(Source::SameHeader(field)),
                None if value.is_place() => Some(Source::Variable),
                _ => None,
            });
            let write = Write { field, span: target.span, from };
            self.uses.entry(header).or_default().writes.push(write);
        } else if let Some(header) = self.header(target)
            && let Some(record) = header.record(self.program)
        {
            // A write of a whole header also writes its checksum, unless the value is a copy of a
            // header.
            if value.is_some_and(|value| value.is_place()) {
                return;
            }
            for field in 0..self.program.records[record].fields.len() {
                let write = Write { field, span: target.span, from: None };
                self.uses.entry(header).or_default().writes.push(write);
            }
        }
    }

    /// Records which checksum an extern function verifies.
    fn record_verification(&mut self, params: &[Param], call: &Call) {
        let argument = |annotation: &str| {
            let position = params
                .iter()
                .position(|param| self.program.vars[param.var].annotations.contains(annotation))?;
            match &call.args[position].value {
                ArgValue::Expr(value) => Some(value),
                _ => None,
            }
        };
        let (Some(data), Some(sum)) = (argument("summed"), argument("sum")) else { return };
        let Some((header, field)) = self.field(sum) else { return };
        let mut covers = BTreeSet::new();
        self.add_covered(data, header, &mut covers);
        covers.remove(&field);
        self.verified.push((header, Sum { field, covers, verified: Some(call.span) }));
    }

    /// Adds the fields of the header that `data` contains.
    fn add_covered(&self, data: &Expr, header: Header, covers: &mut BTreeSet<usize>) {
        match self.field(data) {
            Some((other, field)) if other == header => {
                covers.insert(field);
            }
            _ => data.operands(|operand| self.add_covered(operand, header, covers)),
        }
    }
}

impl Visitor for Search<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign { target, value } = &stmt.kind {
            self.write(target, Some(value));
        }
    }

    fn call(&mut self, call: &Call) {
        for place in call.written_places(self.program) {
            if self.field(place).is_some() {
                self.write(place, None);
            }
        }
        if let Callee::ExternFunction(id) = &call.callee {
            self.record_verification(&self.program.extern_functions[*id].0.params, call);
        }
    }
}
