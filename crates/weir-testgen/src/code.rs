//! Random expressions and statements.

use weir_ir::{
    Arg, ArgValue, BinaryOp, Bits, Block, Direction, Expr, ExprKind, ExternCall, HeaderId, HeaderRef, Id,
    Leaf, MAX_WIDTH, Place, StackId, Stmt, StmtKind, Type, UnaryOp, VarId,
};

use crate::maker::{Maker, WIDTHS};

impl Maker<'_> {
    pub(crate) fn var(&self, id: VarId) -> Expr {
        Expr { kind: ExprKind::Var(id), ty: self.program.vars[id].ty }
    }

    /// An expression of a type, at most `depth` operators deep.
    pub(crate) fn expr(&mut self, ty: Type, depth: u32) -> Expr {
        let kind = match self.below(if depth == 0 { 2 } else { 10 }) {
            0 => {
                // All variables may be read, validity bits and counters too.
                let vars: Vec<_> =
                    self.program.vars.iter().filter(|(_, var)| var.ty == ty).map(|(id, _)| id).collect();
                if vars.is_empty() {
                    ExprKind::Const(self.value(ty))
                } else {
                    ExprKind::Var(self.pick(&vars))
                }
            }
            1 => ExprKind::Const(self.value(ty)),
            2 => {
                let vars = self.vars_of(ty);
                if vars.is_empty() {
                    ExprKind::Const(self.value(ty))
                } else {
                    let vars = (0..self.below(3) + 1).map(|_| self.pick(&vars)).collect();
                    ExprKind::Indexed { vars, index: Box::new(self.index()) }
                }
            }
            3 => ExprKind::Mux(
                Box::new(self.expr(Type::Bool, depth - 1)),
                Box::new(self.expr(ty, depth - 1)),
                Box::new(self.expr(ty, depth - 1)),
            ),
            _ => match ty {
                Type::Bool => self.condition(depth - 1),
                Type::Bits { width, signed } => self.arithmetic(width, signed, depth - 1),
                Type::Varbit { .. } | Type::Error | Type::Enum(_) => ExprKind::Const(self.value(ty)),
            },
        };
        Expr { kind, ty }
    }

    /// Any type that assignments and comparisons can have.
    fn any_type(&mut self) -> Type {
        match self.below(12) {
            0 => self.varbit(),
            1 => Type::Error,
            _ => self.scalar(),
        }
    }

    /// Mostly small numbers.
    fn index(&mut self) -> Expr {
        if self.chance(3) {
            return self.expr(Type::bit(32), 1);
        }
        Expr { kind: ExprKind::Const(Bits::new(32, self.below(4) as u128)), ty: Type::bit(32) }
    }

    fn condition(&mut self, depth: u32) -> ExprKind {
        use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
        let op = self.pick(&[Eq, Ne, Lt, Le, Gt, Ge, And, Or]);
        let width = self.pick(&WIDTHS);
        let ty = match op {
            And | Or => Type::Bool,
            Eq | Ne => self.any_type(),
            _ => Type::Bits { width, signed: self.chance(2) },
        };
        match self.below(8) {
            0 => ExprKind::Unary(UnaryOp::Not, Box::new(self.expr(Type::Bool, depth))),
            1 => ExprKind::Cast(Box::new(self.expr(Type::bit(1), depth))),
            _ => ExprKind::Binary(op, Box::new(self.expr(ty, depth)), Box::new(self.expr(ty, depth))),
        }
    }

    fn arithmetic(&mut self, width: u32, signed: bool, depth: u32) -> ExprKind {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mod, Mul, SatAdd, SatSub, Shl, Shr, Sub};
        let ty = Type::Bits { width, signed };
        match self.below(7) {
            0 => {
                let from = self.pick(&WIDTHS);
                let from = Type::Bits { width: from, signed: self.chance(2) };
                ExprKind::Cast(Box::new(self.expr(from, depth)))
            }
            1 => {
                let op = self.pick(&[UnaryOp::Neg, UnaryOp::BitNot]);
                ExprKind::Unary(op, Box::new(self.expr(ty, depth)))
            }
            2 if !signed && width > 0 => {
                let low = self.below(70) as u32 % (MAX_WIDTH - width + 1);
                let above = self.below(70) as u32 % (MAX_WIDTH - width - low + 1);
                let operand = self.expr(Type::bit(width + low + above), depth);
                ExprKind::Slice { operand: Box::new(operand), high: low + width - 1, low }
            }
            3 if width > 1 => {
                let right = self.below(width as usize - 1) as u32 + 1;
                let left = self.expr(Type::Bits { width: width - right, signed }, depth);
                ExprKind::Binary(
                    BinaryOp::Concat,
                    Box::new(left),
                    Box::new(self.expr(Type::bit(right), depth)),
                )
            }
            4 => {
                let op = self.pick(&[Shl, Shr]);
                let amount = self.pick(&WIDTHS);
                let left = self.expr(ty, depth);
                let amount = if self.chance(2) && amount > 0 {
                    let by = Bits::new(amount, self.below(256) as u128);
                    Expr { kind: ExprKind::Const(by), ty: Type::bit(amount) }
                } else {
                    self.expr(Type::bit(amount), depth)
                };
                ExprKind::Binary(op, Box::new(left), Box::new(amount))
            }
            _ => {
                let ops = [Add, Sub, Mul, SatAdd, SatSub, BitAnd, BitOr, BitXor, Div, Mod];
                let op = self.pick(if signed { &ops[..8] } else { &ops });
                ExprKind::Binary(op, Box::new(self.expr(ty, depth)), Box::new(self.expr(ty, depth)))
            }
        }
    }

    pub(crate) fn stmt(&mut self, kind: StmtKind) -> Stmt {
        Stmt { kind, loc: self.loc() }
    }

    pub(crate) fn assignment(&mut self, depth: u32) -> Stmt {
        let ty = self.any_type();
        let vars = self.vars_of(ty);
        if vars.is_empty() {
            let flag = self.vars_of(Type::Bool)[0];
            let value = self.expr(Type::Bool, depth);
            return self.stmt(StmtKind::Assign(Place::Var(flag), value));
        }
        let place = if self.chance(4) {
            Place::Indexed((0..self.below(3) + 1).map(|_| self.pick(&vars)).collect(), self.index())
        } else {
            Place::Var(self.pick(&vars))
        };
        let value = self.expr(ty, depth);
        self.stmt(StmtKind::Assign(place, value))
    }

    pub(crate) fn header(&mut self) -> HeaderRef {
        if self.chance(3) {
            let stack = self.stack();
            return HeaderRef::Element(stack, Box::new(self.index()));
        }
        HeaderRef::Header(HeaderId::new(self.below(self.program.headers.len())))
    }

    fn stack(&mut self) -> StackId {
        StackId::new(self.below(self.program.stacks.len()))
    }

    /// A header of the same type as another.
    fn like(&mut self, header: &HeaderRef) -> HeaderRef {
        let program = &self.program;
        let ty = match header {
            HeaderRef::Header(id) => program.headers[*id].ty,
            HeaderRef::Element(stack, _) | HeaderRef::Next(stack) => {
                program.headers[program.stacks[*stack].elements[0]].ty
            }
        };
        let alike: Vec<_> = program.headers.iter().filter(|(_, h)| h.ty == ty).map(|(id, _)| id).collect();
        HeaderRef::Header(self.pick(&alike))
    }

    /// Statements of a control, an action or a procedure.
    pub(crate) fn body(&mut self, depth: u32, in_control: bool) -> Block {
        let count = self.below(4) + 1;
        Block((0..count).map(|_| self.control_stmt(depth, in_control)).collect())
    }

    pub(crate) fn control_stmt(&mut self, depth: u32, in_control: bool) -> Stmt {
        let kind = match self.below(if depth == 0 { 10 } else { 15 }) {
            0..=2 => return self.assignment(2),
            3 => StmtKind::SetValid(self.header()),
            4 => StmtKind::SetInvalid(self.header()),
            5 => {
                let to = self.header();
                StmtKind::Copy { from: self.like(&to), to }
            }
            6 => StmtKind::PushFront(self.stack(), self.below(3) as u32),
            7 => StmtKind::PopFront(self.stack(), self.below(3) as u32),
            8 => return self.extern_call(),
            9 => StmtKind::SetNextIndex(self.stack(), self.index()),
            10 | 11 if in_control => self.control_only(),
            10 | 11 => StmtKind::Return,
            12 => {
                let width = self.pick(&WIDTHS).max(2);
                let (ty, width) =
                    self.pick(&[(Type::Enum(Id::new(0)), 32), (Type::Error, 32), (Type::bit(width), width)]);
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
                otherwise: if self.chance(2) { self.body(depth - 1, in_control) } else { Block::default() },
            },
        };
        self.stmt(kind)
    }

    fn control_only(&mut self) -> StmtKind {
        match self.below(8) {
            0..=3 => {
                let hit = self.program.vars.iter().find(|(_, var)| var.name == "b").map(|(id, _)| id);
                let run = self.program.vars.iter().find(|(_, var)| var.name == "meta.u32").map(|(id, _)| id);
                StmtKind::Apply {
                    table: Id::new(self.below(self.program.tables.len())),
                    hit: hit.filter(|_| self.chance(2)),
                    action_run: run.filter(|_| self.chance(2)),
                }
            }
            4 => {
                // The first procedure is made before the tables, the second applies them, later
                // ones are for parsers.
                let made = self.program.procedures.len().min(2);
                StmtKind::Call(Id::new(self.below(made)))
            }
            5 => StmtKind::CallAction(Id::new(self.below(self.program.actions.len()))),
            6 => StmtKind::Exit,
            _ => StmtKind::Return,
        }
    }

    /// A loop that counts its own variable up to a small number, or ends before that.
    fn bounded_loop(&mut self, depth: u32) -> Stmt {
        let name = format!("loop{}", self.program.vars.len());
        let counter = self.program.add_var(name, Type::bit(16), weir_ir::Loc::NONE);
        let constant = |value| Expr { kind: ExprKind::Const(Bits::new(16, value)), ty: Type::bit(16) };
        let bound = constant(self.below(5) as u128);
        let condition = ExprKind::Binary(BinaryOp::Lt, Box::new(self.var(counter)), Box::new(bound));
        let next = ExprKind::Binary(BinaryOp::Add, Box::new(self.var(counter)), Box::new(constant(1)));
        let next = Expr { kind: next, ty: Type::bit(16) };
        let mut body = self.body(depth.min(1), false);
        if self.chance(2) {
            let leave = self.pick(&[true, false]);
            let leave = self.stmt(if leave { StmtKind::Break } else { StmtKind::Continue });
            let condition = self.expr(Type::Bool, 1);
            let kind = StmtKind::If { condition, then: Block(vec![leave]), otherwise: Block::default() };
            let at = self.below(body.0.len() + 1);
            let check = self.stmt(kind);
            body.0.insert(at, check);
        }
        let condition = if self.chance(40) { ExprKind::Const(Bits::bool(true)) } else { condition };
        // The body may write the counter, or the loop may have no end; the number of iterations is
        // bounded by 2^16 and the executor's limit.
        let step = Block(vec![self.stmt(StmtKind::Assign(Place::Var(counter), next))]);
        let condition = Expr { kind: condition, ty: Type::Bool };
        self.stmt(StmtKind::Loop { condition, body, step })
    }

    fn extern_call(&mut self) -> Stmt {
        if self.chance(3)
            && let Some(header) = self.checksummed()
        {
            let updates = self.chance(2);
            return self.checksum_of(header, updates);
        }
        let ty = self.scalar();
        let mut leaves = vec![Leaf::Value(self.expr(ty, 1))];
        if self.chance(4) {
            let varbit = self.varbit();
            leaves.push(Leaf::Value(self.expr(varbit, 1)));
        }
        if self.chance(2) {
            leaves.push(Leaf::Header(HeaderId::new(self.below(self.program.headers.len()))));
        }
        let result = self.vars_of(Type::bit(32));
        let count = ExternCall {
            callee: "count".into(),
            instance: [None, Some(Id::new(0))][self.below(2)],
            type_args: vec![ty],
            args: vec![
                Arg { name: "values".into(), direction: Direction::In, value: ArgValue::Leaves(leaves) },
                Arg { name: "text".into(), direction: Direction::In, value: ArgValue::Text("`\\".into()) },
                Arg { name: "object".into(), direction: Direction::In, value: ArgValue::Extern(Id::new(0)) },
            ],
            result: vec![self.pick(&result)],
        };
        if self.chance(2) {
            return self.stmt(StmtKind::Extern(count));
        }
        let header = HeaderId::new(self.below(self.program.headers.len()));
        let (vars, names) = if self.chance(2) {
            let header = &self.program.headers[header];
            let vars: Vec<_> = header.fields.iter().copied().chain([header.valid]).collect();
            let names = vars.iter().map(|var| self.program.vars[*var].name.clone()).collect();
            (vars, names)
        } else {
            (self.vars_of(Type::bit(8))[..1].to_vec(), Vec::new())
        };
        let value = ArgValue::Vars { vars, names };
        let direction = self.pick(&[Direction::InOut, Direction::Out]);
        let arg = Arg { name: "value".into(), direction, value };
        let touch = ExternCall {
            callee: "touch".into(),
            instance: None,
            type_args: Vec::new(),
            args: vec![arg],
            result: Vec::new(),
        };
        self.stmt(StmtKind::Extern(touch))
    }

    /// Statements of a parser state.
    pub(crate) fn parser_body(&mut self) -> Block {
        let count = self.below(3);
        Block((0..count).map(|_| self.parser_stmt()).collect())
    }

    fn parser_stmt(&mut self) -> Stmt {
        match self.below(7) {
            0 | 1 => self.moving(),
            2 => {
                let width = self.pick(&WIDTHS);
                let ty = self.pick(&[Type::bit(width), Type::Bool]);
                let vars = self.vars_of(ty);
                let place = if self.chance(3) {
                    Place::Indexed((0..self.below(3) + 1).map(|_| self.pick(&vars)).collect(), self.index())
                } else {
                    Place::Var(self.pick(&vars))
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
                let place = Place::Var(self.pick(&vars));
                self.stmt(StmtKind::Assign(place, length))
            }
            _ => without_return(self.control_stmt(1, false)),
        }
    }

    /// A statement that consumes bits of the packet, unless its header is empty.
    pub(crate) fn moving(&mut self) -> Stmt {
        if self.chance(8) {
            let bits = self.expr(Type::bit(32), 1);
            return self.stmt(StmtKind::Advance(bits));
        }
        if self.chance(5) {
            let bits = Bits::new(32, [8, 16, 9][self.below(3)]);
            return self.stmt(StmtKind::Advance(Expr { kind: ExprKind::Const(bits), ty: Type::bit(32) }));
        }
        let to = if self.chance(2) { HeaderRef::Next(self.stack()) } else { self.header() };
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
