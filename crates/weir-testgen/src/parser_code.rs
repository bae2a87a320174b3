//! Random statements of parsers.

use weir_ir::{Bits, Block, Expr, ExprKind, HeaderRef, Id, Place, Stmt, StmtKind, Type};

use crate::maker::{Maker, WIDTHS};

impl Maker<'_> {
    /// Makes statements of a parser state.
    pub(crate) fn parser_body(&mut self) -> Block {
        let count = self.number_below(3);
        Block((0..count).map(|_| self.parser_stmt()).collect())
    }

    fn parser_stmt(&mut self) -> Stmt {
        match self.number_below(7) {
            0 | 1 => self.consuming_stmt(),
            2 => {
                let width = self.choose(&WIDTHS);
                let ty = self.choose(&[Type::bit(width), Type::Bool]);
                let vars = self.vars_of(ty);
                let place = if self.one_in(3) {
                    Place::Indexed(
                        (0..self.number_below(3) + 1).map(|_| self.choose(&vars)).collect(),
                        self.index(),
                    )
                } else {
                    Place::Var(self.choose(&vars))
                };
                self.stmt(StmtKind::Lookahead(place))
            }
            5 if self.program.procedures.len() > 2 => self.stmt(StmtKind::Call(Id::new(2))),
            3 => {
                let condition = self.expr(Type::Bool, 2);
                let error = self.expr(Type::Error, 1);
                self.stmt(StmtKind::Verify { condition, error })
            }
            4 => {
                let vars = self.vars_of(Type::bit(32));
                let length = Expr { kind: ExprKind::PacketLength, ty: Type::bit(32) };
                let place = Place::Var(self.choose(&vars));
                self.stmt(StmtKind::Assign(place, length))
            }
            _ => without_return(self.control_stmt(1, false)),
        }
    }

    /// Makes a statement that consumes bits of the packet, unless it extracts an empty header.
    pub(crate) fn consuming_stmt(&mut self) -> Stmt {
        if self.one_in(8) {
            let bits = self.expr(Type::bit(32), 1);
            return self.stmt(StmtKind::Advance(bits));
        }
        if self.one_in(5) {
            let bits = Bits::new(32, [8, 16, 9][self.number_below(3)]);
            return self.stmt(StmtKind::Advance(Expr { kind: ExprKind::Const(bits), ty: Type::bit(32) }));
        }
        let to = if self.one_in(2) { HeaderRef::Next(self.stack()) } else { self.header() };
        self.extract(to)
    }
}

/// Removes every `return`: parsers have none.
fn without_return(mut stmt: Stmt) -> Stmt {
    if stmt.kind == StmtKind::Return {
        let condition = Expr { kind: ExprKind::Const(Bits::bool(true)), ty: Type::Bool };
        stmt.kind = StmtKind::If { condition, then: Block::default(), otherwise: Block::default() };
    }
    clear_returns_within(&mut stmt.kind);
    stmt
}

fn clear_returns(block: &mut Block) {
    block.0.retain(|stmt| stmt.kind != StmtKind::Return);
    block.0.iter_mut().for_each(|stmt| clear_returns_within(&mut stmt.kind));
}

fn clear_returns_within(kind: &mut StmtKind) {
    match kind {
        StmtKind::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(clear_returns),
        StmtKind::Loop { body, step, .. } => [body, step].into_iter().for_each(clear_returns),
        StmtKind::Switch { cases, default, .. } => {
            cases.iter_mut().for_each(|(_, block)| clear_returns(block));
            clear_returns(default);
        }
        _ => {}
    }
}
