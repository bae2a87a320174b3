//! Finds fields of the program's own metadata that are read, but never written.
//!
//! Metadata is the program's own if the architecture leaves its type open, that is, if the
//! package's parsers have a type parameter for it.

use rustc_hash::{FxHashMap, FxHashSet};
use weir_syntax::{Diagnostic, Diagnostics, Span};

use crate::hir::walk::{self, Visitor};
use crate::hir::{
    ArgValue, Call, Construct, Constructor, Expr, ExprKind, Program, RecordId, RecordKind, Stmt, StmtKind,
    Type, TypeId, VarId,
};

/// A place that is tracked: a field of a record.
type Place = (RecordId, usize);

/// Reports fields of the program's own metadata that are read but never written. Only programs with
/// a `main` are checked.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    let Some(main) = program.main else { return };
    let mut metadata_types = FxHashSet::default();
    metadata(program, &program.instances[main].construct, &mut metadata_types);
    let passed = program.functions.iter().flat_map(|(_, function)| &function.params).map(|param| param.var);
    let mut uses = Uses {
        program,
        own: metadata_types,
        passed: passed.collect(),
        targets: FxHashSet::default(),
        written: FxHashSet::default(),
        read: FxHashMap::default(),
    };
    walk::program(program, &mut uses);
    let Uses { written, read, .. } = uses;
    let mut reads: Vec<(Place, Span)> =
        read.into_iter().filter(|(place, _)| !written.contains(place)).collect();
    reads.sort_unstable_by_key(|((record, field), _)| (record.index(), *field));
    for ((record, field), span) in reads {
        let name = &program.records[record].fields[field].name;
        let message = format!("metadata `{}` is read, but never written", name.text);
        let diagnostic = Diagnostic::warning("unwritten-metadata", message)
            .primary(name.span, "the program never assigns a value to it")
            .secondary(span, "read here");
        diagnostics.push(diagnostic);
    }
}

/// Adds the structs that the architecture leaves open in the parsers of a package.
fn metadata(program: &Program, package: &Construct, own: &mut FxHashSet<RecordId>) {
    let Constructor::Package(decl) = package.constructor else { return };
    for (arg, param) in package.args.iter().zip(&program.packages[decl].params) {
        let ArgValue::Expr(arg) = &arg.value else { continue };
        let construct = match &arg.kind {
            ExprKind::Construct(construct) => construct,
            ExprKind::Instance(instance) => &program.instances[*instance].construct,
            _ => continue,
        };
        let params = match construct.constructor {
            Constructor::Parser(parser) => &program.parsers[parser].params,
            Constructor::Package(_) => {
                metadata(program, construct, own);
                continue;
            }
            _ => continue,
        };
        let Type::BlockType { decl, .. } = program.types[program.vars[param.var].ty] else { continue };
        for (param, declared) in params.iter().zip(&program.block_types[decl].params) {
            if let Type::Var(_) = program.types[program.vars[declared.var].ty] {
                structs(program, program.vars[param.var].ty, own);
            }
        }
    }
}

fn structs(program: &Program, ty: TypeId, own: &mut FxHashSet<RecordId>) {
    if let Type::Record { decl, .. } = program.types[ty]
        && program.records[decl].kind == RecordKind::Struct
        && own.insert(decl)
    {
        program.records[decl].fields.iter().for_each(|field| structs(program, field.ty, own));
    }
}

/// Returns the variable that contains a place.
fn root(place: &Expr) -> Option<VarId> {
    match &place.kind {
        ExprKind::Var(var) => Some(*var),
        ExprKind::Field { base, .. } | ExprKind::TupleElement { base, .. } | ExprKind::Index { base, .. } => {
            root(base)
        }
        _ => None,
    }
}

/// The state of searching for variables that are read but never written.
struct Uses<'a> {
    program: &'a Program,
    own: FxHashSet<RecordId>,
    /// The parameters of functions. They are not metadata themselves, because an argument may be
    /// another value.
    passed: FxHashSet<VarId>,
    /// The places of expressions that are only written, not read.
    targets: FxHashSet<Span>,
    written: FxHashSet<Place>,
    /// The first read of each field.
    read: FxHashMap<Place, Span>,
}

impl Uses<'_> {
    fn is_scalar(&self, ty: TypeId) -> bool {
        matches!(
            self.program.types[ty],
            Type::Bits { .. } | Type::Bool | Type::Enum(_) | Type::Error | Type::Newtype(_)
        )
    }

    /// Records that everything in `target` may be written.
    fn write(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Slice { base, .. } | ExprKind::IndexedSlice { base, .. } => self.write(base),
            ExprKind::Field { base, field } => {
                if let Type::Record { decl, .. } = self.program.types[base.ty] {
                    self.written.insert((decl, *field));
                }
                self.fill(target.ty);
            }
            _ => self.fill(target.ty),
        }
    }

    /// Records that all fields in values of a type may be written.
    fn fill(&mut self, ty: TypeId) {
        let program = self.program;
        match &program.types[ty] {
            Type::Record { decl, .. } => {
                for (index, field) in program.records[*decl].fields.iter().enumerate() {
                    if self.written.insert((*decl, index)) {
                        self.fill(field.ty);
                    }
                }
            }
            Type::Stack { element, .. } => self.fill(*element),
            Type::Tuple(items) => items.iter().for_each(|item| self.fill(*item)),
            _ => {}
        }
    }

    /// Records an assignment to `target`: a copy of a whole struct of the same type writes no field
    /// that is not written elsewhere.
    fn assign(&mut self, target: &Expr, value: &Expr) {
        if value.ty == target.ty && value.is_place() && !self.is_scalar(target.ty) {
            return;
        }
        self.write(target);
    }
}

impl Visitor for Uses<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Field { base, field } = &expr.kind
            && let Type::Record { decl, .. } = self.program.types[base.ty]
            && self.own.contains(&decl)
            && self.is_scalar(expr.ty)
            && !self.targets.contains(&expr.span)
            && !root(base).is_some_and(|var| self.passed.contains(&var))
        {
            self.read.entry((decl, *field)).or_insert(expr.span);
        }
        // A struct value that is built in place writes all of its fields.
        if matches!(
            expr.kind,
            ExprKind::Aggregate(_) | ExprKind::Cast { .. } | ExprKind::Call(_) | ExprKind::Default
        ) && !self.is_scalar(expr.ty)
        {
            self.fill(expr.ty);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign { target, value } = &stmt.kind {
            self.assign(target, value);
            self.targets.insert(target.span);
        }
    }

    fn call(&mut self, call: &Call) {
        for place in call.written_places(self.program) {
            // The code of the program writes the fields of a struct one by one.
            if call.is_extern() || self.is_scalar(place.ty) {
                self.write(place);
                self.targets.insert(place.span);
            }
        }
    }
}
