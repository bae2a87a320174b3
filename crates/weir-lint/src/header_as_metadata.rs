//! Headers that never become valid, but whose fields the program writes and reads.
//!
//! A header is a field of a struct or union, in all values of that type. It may become valid
//! wherever it is used as a whole other than by `isValid()`, `setInvalid()` and `emit`, and
//! wherever a value of its struct does not come from another variable.

use rustc_hash::{FxHashMap, FxHashSet};
use weir_syntax::{Diagnostic, Diagnostics, Span};

use crate::hir::walk::{self, Visitor};
use crate::hir::{Call, Callee, Expr, ExprKind, Program, RecordId, RecordKind, Stmt, StmtKind, Type, TypeId};

/// A header: a field of a record.
pub(super) type Header = (RecordId, usize);

/// The results of this analysis about headers.
#[derive(Default)]
pub(super) struct Headers {
    /// The headers that are reported.
    pub reported: FxHashSet<Header>,
    /// The headers that may become valid.
    pub valid: FxHashSet<Header>,
}

/// Reports headers that never become valid although a program with a `main` writes and reads their
/// fields.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) -> Headers {
    if program.main.is_none() {
        return Headers::default();
    }
    let mut search = Search { program, valid: FxHashSet::default(), uses: FxHashMap::default() };
    walk::program(program, &mut search);
    let Search { valid, uses, .. } = search;
    let scratch = |header: &Header, uses: &Uses| !valid.contains(header) && uses.is_read_back();
    let mut scratch_headers: Vec<_> =
        uses.into_iter().filter(|(header, uses)| scratch(header, uses)).collect();
    scratch_headers.sort_unstable_by_key(|(header, _)| (header.0.index(), header.1));
    diagnostics.extend(scratch_headers.iter().map(|(header, uses)| warning(program, *header, uses)));
    Headers { reported: scratch_headers.into_iter().map(|(header, _)| header).collect(), valid }
}

/// Makes the warning for a header that is used like metadata.
fn warning(program: &Program, (record, field): Header, uses: &Uses) -> Diagnostic {
    let field = &program.records[record].fields[field];
    let name = &field.name.text;
    let message = format!("header `{name}` never becomes valid, but is used to keep values");
    let mut diagnostic = Diagnostic::warning("header-as-metadata", message).primary(field.name.span, "");
    if let Some(written) = uses.written {
        diagnostic = diagnostic.secondary(written, "a field is written here");
    }
    diagnostic
        .note("as in `simple_switch`, a packet can read the value that it wrote here; another target might give another value")
        .note(format!("to store values, declare `{name}` with a struct type; to send the header, call `setValid()`"))
}

/// The uses of the fields of a header.
#[derive(Default)]
struct Uses {
    /// The first write.
    written: Option<Span>,
    writes: usize,
    /// The number of reads and writes.
    all: usize,
}

impl Uses {
    fn is_read_back(&self) -> bool {
        self.writes > 0 && self.all > self.writes
    }
}

/// The state of searching for headers that are used like metadata.
struct Search<'a> {
    program: &'a Program,
    /// The headers that may become valid.
    valid: FxHashSet<Header>,
    uses: FxHashMap<Header, Uses>,
}

impl Search<'_> {
    fn is_header(&self, ty: TypeId) -> bool {
        matches!(self.program.types[ty], Type::Record { decl, .. }
            if self.program.records[decl].kind == RecordKind::Header)
    }

    /// Returns the header that an expression names.
    fn header(&self, expr: &Expr) -> Option<Header> {
        let ExprKind::Field { base, field } = &expr.kind else { return None };
        match self.program.types[base.ty] {
            Type::Record { decl, .. } if self.is_header(expr.ty) => Some((decl, *field)),
            _ => None,
        }
    }

    /// Returns the header to which the field belongs that an expression names, in whole or in part.
    fn header_of_field(&self, expr: &Expr) -> Option<Header> {
        match &expr.kind {
            ExprKind::Slice { base, .. } | ExprKind::IndexedSlice { base, .. } => self.header_of_field(base),
            ExprKind::Field { base, .. } => self.header(base),
            _ => None,
        }
    }

    /// Records that all headers in values of a type may become valid.
    fn fill(&mut self, ty: TypeId) {
        let program = self.program;
        match &program.types[ty] {
            Type::Record { decl, .. } => {
                for (index, field) in program.records[*decl].fields.iter().enumerate() {
                    if self.is_header(field.ty) {
                        self.valid.insert((*decl, index));
                    } else {
                        self.fill(field.ty);
                    }
                }
            }
            Type::Stack { element, .. } => self.fill(*element),
            Type::Tuple(items) => items.iter().for_each(|item| self.fill(*item)),
            _ => {}
        }
    }

    /// Notes that a header, or a part of one, is written.
    fn write(&mut self, target: &Expr) {
        if let Some(header) = self.header(target) {
            self.valid.insert(header);
        }
        if let Some(header) = self.header_of_field(target) {
            let uses = self.uses.entry(header).or_default();
            uses.written.get_or_insert(target.span);
            uses.writes += 1;
        }
    }
}

impl Visitor for Search<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Field { base, .. } = &expr.kind
            && let Some(header) = self.header(base)
        {
            self.uses.entry(header).or_default().all += 1;
        }
        if matches!(expr.kind, ExprKind::Aggregate(_) | ExprKind::Cast { .. } | ExprKind::Call(_)) {
            self.fill(expr.ty);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign { target, .. } = &stmt.kind {
            self.write(target);
        }
    }

    fn call(&mut self, call: &Call) {
        for place in call.written_places(self.program) {
            self.write(place);
            if call.is_extern() {
                self.fill(place.ty);
            }
        }
        if let Callee::SetValid(place) = &call.callee {
            self.write(place);
        }
    }
}
