//! Facts about code on which compilation depends.

use std::collections::BTreeSet;

use weir_ir::{Expr, ExprKind, HeaderId, Place, Program, Stack, Type, UnionId, VarId, VarRole};

use super::arrays::Arrays;
use super::body::all_of;

/// The facts about a body that the compiler needs, including everything that the body calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// All variables that are read or written.
    pub vars: BTreeSet<VarId>,
    /// The variables that are written one by one: by assignments, `lookahead`, externs and action
    /// data.
    pub written: BTreeSet<VarId>,
    /// All variables that may change, alone or with their header.
    pub changed: BTreeSet<VarId>,
    /// The variables of large arrays, large unions and long lists of parameters, which stay in the
    /// state.
    pub indexed: BTreeSet<VarId>,
    /// The large unions whose members are made invalid together.
    pub unions: BTreeSet<UnionId>,
    /// The headers that may become valid, or a copy of another header, without being extracted.
    pub unextracted: BTreeSet<HeaderId>,
    /// Whether there are loops.
    pub loops: bool,
    /// The number of extern calls with unknown semantics, which may change any variable.
    pub opaque_calls: usize,
    /// The number of extern calls that the environment makes, including the calls with unknown
    /// semantics.
    pub environment_calls: usize,
    /// Whether code uses the position in the packet.
    pub parses: bool,
    /// Whether the length of every extracted header is a whole number of bytes, whatever it
    /// contains.
    pub whole_extracts: bool,
    /// Whether the length of every emitted header is a whole number of bytes. Headers with a varbit
    /// make this false, because a varbit can have any length.
    pub whole_emits: bool,
    /// An estimate of the number of arguments that branches pass to blocks where they meet, if all
    /// variables are in registers: for each branch, the variables that may differ there.
    pub crossings: usize,
    /// An estimate of the amount of code, with inlined bodies: statements, operators, and the words
    /// that they read and write.
    pub size: usize,
}

impl Facts {
    /// Returns the facts of empty code.
    pub(crate) fn empty() -> Self {
        Self { whole_extracts: true, whole_emits: true, ..Self::default() }
    }

    /// Adds the facts of other code to these facts.
    pub(crate) fn add(&mut self, other: &Self) {
        self.vars.extend(&other.vars);
        self.written.extend(&other.written);
        self.changed.extend(&other.changed);
        self.indexed.extend(&other.indexed);
        self.unions.extend(&other.unions);
        self.unextracted.extend(&other.unextracted);
        self.loops |= other.loops;
        self.opaque_calls += other.opaque_calls;
        self.environment_calls += other.environment_calls;
        self.parses |= other.parses;
        self.whole_extracts &= other.whole_extracts;
        self.whole_emits &= other.whole_emits;
        self.crossings = self.crossings.saturating_add(other.crossings);
        self.size += other.size;
    }
}

/// Returns the number of a value's words that code handles one by one; varbits stay in memory.
fn word_count(ty: Type) -> usize {
    match ty {
        Type::Varbit { .. } => 1,
        _ => ty.state_words() as usize,
    }
}

/// Returns the number of words of a value without the first one, which is counted with the
/// statement or operator.
fn more_words(ty: Type) -> usize {
    word_count(ty).saturating_sub(1)
}

fn words_of(program: &Program, vars: &[VarId]) -> usize {
    vars.iter().map(|var| word_count(program.vars[*var].ty)).sum()
}

pub(super) fn add_fields(program: &Program, facts: &mut Facts, header: HeaderId) {
    let header = &program.headers[header];
    facts.size += words_of(program, &header.fields);
    facts.vars.insert(header.valid);
    facts.vars.extend(&header.fields);
}

pub(super) fn add_written(arrays: &Arrays<'_>, facts: &mut Facts, place: &Place) {
    let vars = match place {
        Place::Var(var) => std::slice::from_ref(var),
        Place::Indexed(vars, _) => vars,
    };
    facts.written.extend(vars);
    facts.changed.extend(vars);
    add_place(arrays, facts, place);
}

pub(super) fn add_results(program: &Program, facts: &mut Facts, vars: &[VarId]) {
    facts.written.extend(vars);
    facts.changed.extend(vars);
    for var in vars {
        if let VarRole::Validity(header) = program.vars[*var].role {
            facts.unextracted.insert(header);
        }
    }
}

fn add_place(arrays: &Arrays<'_>, facts: &mut Facts, place: &Place) {
    match place {
        Place::Var(var) => {
            facts.size += more_words(arrays.program.vars[*var].ty);
            facts.vars.insert(*var);
        }
        Place::Indexed(vars, index) => {
            add_row(arrays, facts, vars);
            add_expr(arrays, facts, index);
        }
    }
}

/// Adds variables from which an index selects.
fn add_row(arrays: &Arrays<'_>, facts: &mut Facts, vars: &[VarId]) {
    facts.vars.extend(vars);
    if arrays.stride(vars).is_some() {
        facts.indexed.extend(vars);
        facts.size += words_of(arrays.program, &vars[..1]);
    } else {
        facts.size += words_of(arrays.program, vars);
    }
}

/// Adds the elements of a stack, from which an index selects.
pub(super) fn add_elements(arrays: &Arrays<'_>, facts: &mut Facts, stack: &Stack) {
    let size = facts.size;
    stack.elements.iter().for_each(|element| add_fields(arrays.program, facts, *element));
    if arrays.stack_stride(stack).is_some() {
        facts.size = size + words_of(arrays.program, &arrays.program.headers[stack.elements[0]].fields);
        facts.indexed.extend(stack.elements.iter().flat_map(|element| all_of(arrays.program, *element)));
    }
}

/// Adds the other members of a header's union, which become invalid.
pub(super) fn add_others(arrays: &Arrays<'_>, facts: &mut Facts, header: HeaderId) {
    let program = arrays.program;
    let Some(union) = arrays.large_union(header) else {
        for other in program.siblings(header) {
            facts.size += 1;
            facts.vars.insert(program.headers[other].valid);
            facts.changed.insert(program.headers[other].valid);
        }
        return;
    };
    if facts.unions.insert(union) {
        for member in &program.unions[union].members {
            facts.vars.insert(program.headers[*member].valid);
            facts.changed.insert(program.headers[*member].valid);
            facts.indexed.extend(all_of(program, *member));
        }
    }
}

pub(super) fn add_expr(arrays: &Arrays<'_>, facts: &mut Facts, expr: &Expr) {
    match &expr.kind {
        ExprKind::Const(_) => {}
        ExprKind::Var(var) => {
            facts.vars.insert(*var);
        }
        ExprKind::Indexed { vars, index } => {
            add_row(arrays, facts, vars);
            add_expr(arrays, facts, index);
        }
        ExprKind::Unary(_, operand) | ExprKind::Slice { operand, .. } | ExprKind::Cast(operand) => {
            facts.size += more_words(expr.ty);
            add_expr(arrays, facts, operand);
        }
        ExprKind::Binary(_, left, right) => {
            facts.size += 1 + more_words(left.ty).max(more_words(expr.ty));
            add_expr(arrays, facts, left);
            add_expr(arrays, facts, right);
        }
        ExprKind::Mux(condition, then, otherwise) => {
            facts.size += more_words(expr.ty);
            [condition, then, otherwise].into_iter().for_each(|part| add_expr(arrays, facts, part));
        }
        ExprKind::PacketLength => facts.parses = true,
    }
}
