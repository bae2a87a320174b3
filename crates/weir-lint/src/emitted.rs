//! The headers that a program emits, or reads as a whole so that another header can carry their
//! contents.

use rustc_hash::FxHashSet;

use super::header_as_metadata::Header;
use crate::hir::walk::{self, Visitor};
use crate::hir::{
    Call, Callee, Direction, Expr, ExprKind, Program, RecordId, RecordKind, Stmt, StmtKind, Type, TypeId,
};

/// The headers that a program emits.
#[derive(Default)]
pub(super) struct EmittedHeaders {
    headers: FxHashSet<Header>,
    /// The types of headers that are emitted under a name that does not identify the header.
    types: FxHashSet<RecordId>,
    calls: usize,
}

impl EmittedHeaders {
    /// Collects the headers that the program emits.
    pub fn collect(program: &Program) -> EmittedHeaders {
        let mut search = Search { program, emitted: EmittedHeaders::default() };
        walk::program(program, &mut search);
        search.emitted
    }

    /// Returns whether the program calls `emit` anywhere.
    pub fn has_emits(&self) -> bool {
        self.calls > 0
    }

    /// Returns whether a field that is a header, stack or union may be emitted.
    pub fn emits(&self, program: &Program, header: Header) -> bool {
        let ty = program.records[header.0].fields[header.1].ty;
        self.headers.contains(&header) || record(program, ty).is_some_and(|decl| self.types.contains(&decl))
    }
}

/// Returns whether `call` calls the method `method` of core.p4's extern `object`.
pub(super) fn is_method(program: &Program, call: &Call, object: &str, method: &str) -> bool {
    match call.callee {
        Callee::Method { decl, method: index, .. } => {
            let decl = &program.externs[decl];
            decl.name.text == object && decl.methods[index].name.text == method
        }
        _ => false,
    }
}

/// Returns the record type of a type, or of the elements of a stack type.
fn record(program: &Program, ty: TypeId) -> Option<RecordId> {
    match program.types[ty] {
        Type::Record { decl, .. } => Some(decl),
        Type::Stack { element, .. } => record(program, element),
        _ => None,
    }
}

/// The state of searching for emitted headers.
struct Search<'a> {
    program: &'a Program,
    emitted: EmittedHeaders,
}

impl Search<'_> {
    /// Collects all headers in values of a type.
    fn fill(&mut self, ty: TypeId) {
        let program = self.program;
        let Some(decl) = record(program, ty) else { return };
        for (index, field) in program.records[decl].fields.iter().enumerate() {
            if record(program, field.ty).is_some() && self.emitted.headers.insert((decl, index)) {
                self.fill(field.ty);
            }
        }
    }

    /// Records that the value is emitted.
    fn emit(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::Aggregate(items) => items.iter().for_each(|item| self.emit(item)),
            ExprKind::Cast { operand, .. } => self.emit(operand),
            ExprKind::Index { base, .. } | ExprKind::StackLast(base) | ExprKind::StackNext(base) => {
                self.emit(base);
            }
            ExprKind::Field { base, field } => {
                if let Type::Record { decl, .. } = self.program.types[base.ty] {
                    self.emitted.headers.insert((decl, *field));
                    // The member of a union is emitted, so the union is emitted.
                    if self.program.records[decl].kind == RecordKind::Union {
                        self.emit(base);
                    }
                }
                self.fill(value.ty);
            }
            _ => {
                if let Some(decl) = record(self.program, value.ty)
                    && self.program.records[decl].kind != RecordKind::Struct
                {
                    self.emitted.types.insert(decl);
                }
                self.fill(value.ty);
            }
        }
    }

    /// Records that the value is read as a whole: a header in it counts as emitted.
    fn read(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::Aggregate(items) => items.iter().for_each(|item| self.read(item)),
            ExprKind::Cast { operand, .. } => self.read(operand),
            ExprKind::Field { .. } | ExprKind::Index { .. } | ExprKind::Var(_) => {
                let is_header = record(self.program, value.ty)
                    .is_some_and(|decl| self.program.records[decl].kind != RecordKind::Struct);
                if is_header {
                    self.emit(value);
                }
            }
            _ => {}
        }
    }
}

impl Visitor for Search<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { value, .. } => self.read(value),
            StmtKind::Declare { init: Some(value), .. } => self.read(value),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        if matches!(call.callee, Callee::ApplyParser(_) | Callee::ApplyControl(_)) {
            return;
        }
        let is_emit = is_method(self.program, call, "packet_out", "emit");
        self.emitted.calls += usize::from(is_emit);
        for (param, value) in call.passed(self.program) {
            if is_emit {
                self.emit(value);
            } else if param.direction != Direction::Out {
                self.read(value);
            }
        }
    }
}
