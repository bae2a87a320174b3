//! Random statements of controls.

use weir_ir::{
    BinaryOp, Bits, Block, Expr, ExprKind, HeaderId, HeaderRef, Id, Place, StackId, Stmt, StmtKind, Type,
};

use crate::maker::{Maker, WIDTHS};

impl Maker<'_> {
    /// Makes a statement at a random place in the source.
    pub(crate) fn stmt(&mut self, kind: StmtKind) -> Stmt {
        Stmt { kind, loc: self.loc() }
    }

    /// Makes a random assignment.
    pub(crate) fn assignment(&mut self, depth: u32) -> Stmt {
        let ty = self.any_type();
        let vars = self.vars_of(ty);
        if vars.is_empty() {
            let flag = self.vars_of(Type::Bool)[0];
            let value = self.expr(Type::Bool, depth);
            return self.stmt(StmtKind::Assign(Place::Var(flag), value));
        }
        let place = if self.one_in(4) {
            Place::Indexed((0..self.number_below(3) + 1).map(|_| self.choose(&vars)).collect(), self.index())
        } else {
            Place::Var(self.choose(&vars))
        };
        let value = self.expr(ty, depth);
        self.stmt(StmtKind::Assign(place, value))
    }

    /// Chooses a header, or an element of a stack.
    pub(crate) fn header(&mut self) -> HeaderRef {
        if self.one_in(3) {
            let stack = self.stack();
            return HeaderRef::Element(stack, Box::new(self.index()));
        }
        HeaderRef::Header(HeaderId::new(self.number_below(self.program.headers.len())))
    }

    /// Chooses a header stack.
    pub(crate) fn stack(&mut self) -> StackId {
        StackId::new(self.number_below(self.program.stacks.len()))
    }

    /// Draws a header of the same type as another.
    fn header_like(&mut self, header: &HeaderRef) -> HeaderRef {
        let program = &self.program;
        let ty = match header {
            HeaderRef::Header(id) => program.headers[*id].ty,
            HeaderRef::Element(stack, _) | HeaderRef::Next(stack) => {
                program.headers[program.stacks[*stack].elements[0]].ty
            }
        };
        let alike: Vec<_> = program.headers.iter().filter(|(_, h)| h.ty == ty).map(|(id, _)| id).collect();
        HeaderRef::Header(self.choose(&alike))
    }

    /// Draws a header of a union, if there are unions.
    fn union_member(&mut self) -> Option<HeaderId> {
        let members: Vec<_> =
            self.program.unions.values().flat_map(|union| &union.members).copied().collect();
        (!members.is_empty()).then(|| self.choose(&members))
    }

    /// Makes statements of a control, an action or a procedure.
    pub(crate) fn body(&mut self, depth: u32, in_control: bool) -> Block {
        let count = self.number_below(4) + 1;
        Block((0..count).map(|_| self.control_stmt(depth, in_control)).collect())
    }

    pub(crate) fn control_stmt(&mut self, depth: u32, in_control: bool) -> Stmt {
        let kind = match self.number_below(if depth == 0 { 10 } else { 15 }) {
            0..=2 => return self.assignment(2),
            3 => StmtKind::SetValid(self.header()),
            4 if self.one_in(2) => match self.union_member() {
                Some(member) => StmtKind::InvalidateOthers(member),
                None => StmtKind::SetInvalid(self.header()),
            },
            4 => StmtKind::SetInvalid(self.header()),
            5 => {
                let to = self.header();
                StmtKind::Copy { from: self.header_like(&to), to }
            }
            6 => StmtKind::PushFront(self.stack(), self.number_below(3) as u32),
            7 => StmtKind::PopFront(self.stack(), self.number_below(3) as u32),
            8 => return self.extern_call(),
            9 => StmtKind::SetNextIndex(self.stack(), self.index()),
            10 | 11 if in_control => self.control_only(),
            10 | 11 => StmtKind::Return,
            12 => {
                let width = self.choose(&WIDTHS).max(2);
                let (ty, width) = self.choose(&[
                    (Type::Enum(Id::new(0)), 32),
                    (Type::Error, 32),
                    (Type::bit(width), width),
                ]);
                StmtKind::Switch {
                    scrutinee: self.expr(ty, 1),
                    cases: vec![
                        (vec![Bits::new(width, 0)], self.body(depth - 1, in_control)),
                        (vec![Bits::new(width, 2), Bits::new(width, 1)], self.body(depth - 1, in_control)),
                    ],
                    default: self.body(depth - 1, in_control),
                }
            }
            13 => return self.bounded_loop(depth - 1),
            _ => StmtKind::If {
                condition: self.expr(Type::Bool, 2),
                then: self.body(depth - 1, in_control),
                otherwise: if self.one_in(2) { self.body(depth - 1, in_control) } else { Block::default() },
            },
        };
        self.stmt(kind)
    }

    fn control_only(&mut self) -> StmtKind {
        match self.number_below(8) {
            0..=3 => {
                let hit = self.program.vars.iter().find(|(_, var)| var.name == "b").map(|(id, _)| id);
                let run = self.program.vars.iter().find(|(_, var)| var.name == "meta.u32").map(|(id, _)| id);
                StmtKind::Apply {
                    table: Id::new(self.number_below(self.program.tables.len())),
                    hit: hit.filter(|_| self.one_in(2)),
                    action_run: run.filter(|_| self.one_in(2)),
                }
            }
            4 => {
                // The first procedure is made before the tables, the second one applies them, and
                // later ones are for parsers.
                let procedures = self.program.procedures.len().min(2);
                StmtKind::Call(Id::new(self.number_below(procedures)))
            }
            5 => StmtKind::CallAction(Id::new(self.number_below(self.program.actions.len()))),
            6 => StmtKind::Exit,
            _ => StmtKind::Return,
        }
    }

    /// Makes a loop that counts its own variable up to a small number, or ends earlier.
    fn bounded_loop(&mut self, depth: u32) -> Stmt {
        let name = format!("loop{}", self.program.vars.len());
        let counter = self.program.add_var(name, Type::bit(16), weir_ir::Loc::NONE);
        let constant = |value| Expr { kind: ExprKind::Const(Bits::new(16, value)), ty: Type::bit(16) };
        let bound = constant(self.number_below(5) as u128);
        let condition = ExprKind::Binary(BinaryOp::Lt, Box::new(self.var(counter)), Box::new(bound));
        let next = ExprKind::Binary(BinaryOp::Add, Box::new(self.var(counter)), Box::new(constant(1)));
        let next = Expr { kind: next, ty: Type::bit(16) };
        let mut body = self.body(depth.min(1), false);
        if self.one_in(2) {
            let leave = self.choose(&[true, false]);
            let leave = self.stmt(if leave { StmtKind::Break } else { StmtKind::Continue });
            let condition = self.expr(Type::Bool, 1);
            let kind = StmtKind::If { condition, then: Block(vec![leave]), otherwise: Block::default() };
            let position = self.number_below(body.0.len() + 1);
            let check = self.stmt(kind);
            body.0.insert(position, check);
        }
        let condition = if self.one_in(40) { ExprKind::Const(Bits::bool(true)) } else { condition };
        // The body may write the counter, and the loop may be infinite. The number of iterations is
        // bounded by 2^16 and by the executor's limit.
        let step = Block(vec![self.stmt(StmtKind::Assign(Place::Var(counter), next))]);
        let condition = Expr { kind: condition, ty: Type::Bool };
        self.stmt(StmtKind::Loop { condition, body, step })
    }
}
