//! Metadata of version 0.5 that pipelines cannot set by themselves: code in the program sets it.

use weir_ir::{Bits, Block, Expr, ExprKind, Loc, Place, Program, Stmt, StmtKind, VarId};

use super::{Blocks, CONTROL, FROM_HOST, PARSER, PRE, SHAPE_5, hidden};

/// Adds code that sets the directions, which are members of an enumeration, before the parser, and
/// the parser's error before the pre control.
pub(super) fn prepare(program: &mut Program) {
    let Some(package) = program.main.clone() else { return };
    let Ok(blocks) = Blocks::new(program, &package, &SHAPE_5) else { return };
    let Some(from_host) = hidden::find(program, FROM_HOST) else { return };
    let field = |block: usize, name: &str| blocks.find_field(program, (block, 2), name);
    let directions = [PARSER, PRE, CONTROL].map(|block| field(block, "direction"));
    let errors = field(PRE, "parser_error").zip(field(CONTROL, "parser_error"));
    let (parser, pre) = (blocks.parser(PARSER), blocks.control(PRE));

    let ty = |var: VarId| program.vars[var].ty;
    let read = |var: VarId| Expr { ty: ty(var), kind: ExprKind::Var(var) };
    let stmt = |kind| Stmt { kind, loc: Loc::NONE };
    let set = |var: VarId| {
        // The member 1 of PNA_Direction_t is HOST_TO_NET.
        let member = ExprKind::Const(Bits::new(ty(var).width(), 1));
        stmt(StmtKind::Assign(Place::Var(var), Expr { ty: ty(var), kind: member }))
    };
    let of_host = Block(directions.into_iter().flatten().map(set).collect());
    let cases = vec![(vec![Bits::new(1, 1)], of_host)];
    let direction = stmt(StmtKind::Switch { scrutinee: read(from_host), cases, default: Block::default() });
    let error = errors.map(|(to, from)| stmt(StmtKind::Assign(Place::Var(to), read(from))));

    let Block(locals) = &mut program.parsers[parser].locals;
    locals.insert(0, direction);
    let Block(body) = &mut program.controls[pre].body;
    body.splice(0..0, error);
}
