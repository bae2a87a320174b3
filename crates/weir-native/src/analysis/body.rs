//! Bodies that can be called, and the headers and variables to which references lead.

use weir_ir::{ActionId, Block, HeaderId, HeaderRef, HeaderType, Id, ProcedureId, Program, StmtKind, VarId};

/// A body that statements run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Body {
    Procedure(ProcedureId),
    Action(ActionId),
}

/// Returns the statements of a body.
pub(crate) fn block_of(program: &Program, body: Body) -> &Block {
    match body {
        Body::Procedure(id) => &program.procedures[id].body,
        Body::Action(id) => &program.actions[id].body,
    }
}

/// Returns the headers that a reference may mean at run time.
pub(super) fn headers_of<'p>(program: &'p Program, header: &'p HeaderRef) -> &'p [HeaderId] {
    match header {
        HeaderRef::Header(id) => std::slice::from_ref(id),
        HeaderRef::Element(stack, _) | HeaderRef::Next(stack) => &program.stacks[*stack].elements,
    }
}

/// Returns the type of the header that a reference means.
pub(crate) fn type_of(program: &Program, header: &HeaderRef) -> Id<HeaderType> {
    let id = match header {
        HeaderRef::Header(id) => *id,
        HeaderRef::Element(stack, _) | HeaderRef::Next(stack) => program.stacks[*stack].elements[0],
    };
    program.headers[id].ty
}

pub(super) fn inner_blocks(kind: &StmtKind, visit: &mut dyn FnMut(&Block)) {
    match kind {
        StmtKind::If { then, otherwise, .. } => {
            visit(then);
            visit(otherwise);
        }
        StmtKind::Switch { cases, default, .. } => {
            cases.iter().for_each(|(_, block)| visit(block));
            visit(default);
        }
        StmtKind::Loop { body, step, .. } => {
            visit(body);
            visit(step);
        }
        _ => {}
    }
}

/// Returns a header's variables.
pub(super) fn all_of(program: &Program, header: HeaderId) -> impl Iterator<Item = VarId> {
    let header = &program.headers[header];
    header.fields.iter().copied().chain([header.valid])
}
