//! Statements and expressions. Types are derived from the operands up.

use crate::bits::Bits;
use crate::program::{
    Arg, ArgValue, BinaryOp, Block, Expr, ExprKind, ExternCall, HeaderRef, Keyset, Leaf, Place, Stmt,
    StmtKind, UnaryOp, VarId,
};
use crate::types::Type;

use super::super::lex::Word;
use super::{Reader, Result};

const OPERATORS: [BinaryOp; 20] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::SatAdd,
    BinaryOp::SatSub,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Shl,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Concat,
];

impl Reader {
    /// `{ statement … }`.
    pub(super) fn block(&mut self) -> Result<Block> {
        self.expect("{")?;
        self.nested(Self::statements_to_brace)
    }

    pub(super) fn statements_to_brace(&mut self) -> Result<Block> {
        let mut block = Block::default();
        while !self.eat("}") {
            if *self.word() == Word::End {
                return self.expected("a statement or `}`");
            }
            block.0.push(self.stmt()?);
        }
        Ok(block)
    }

    pub(super) fn stmt(&mut self) -> Result<Stmt> {
        let keyword = match self.word() {
            Word::Plain(word) => word.clone(),
            _ => String::new(),
        };
        match keyword.as_str() {
            "if" => return self.if_stmt(),
            "switch" => return self.switch(),
            "loop" => {
                self.step();
                let condition = self.expr()?;
                let loc = self.loc();
                let body = self.block()?;
                self.expect_keyword("step")?;
                let step = self.block()?;
                return Ok(Stmt { kind: StmtKind::Loop { condition, body, step }, loc });
            }
            _ => {}
        }
        let kind = self.simple(&keyword)?;
        self.expect(";")?;
        Ok(Stmt { kind, loc: self.loc() })
    }

    fn if_stmt(&mut self) -> Result<Stmt> {
        self.expect_keyword("if")?;
        let condition = self.expr()?;
        let loc = self.loc();
        let then = self.block()?;
        let otherwise = if !self.eat_keyword("else") {
            Block::default()
        } else if self.is_keyword("if") {
            Block(vec![self.nested(Self::if_stmt)?])
        } else {
            self.block()?
        };
        Ok(Stmt { kind: StmtKind::If { condition, then, otherwise }, loc })
    }

    fn switch(&mut self) -> Result<Stmt> {
        self.step();
        let scrutinee = self.expr()?;
        let loc = self.loc();
        self.expect("{")?;
        let mut cases = Vec::new();
        while !self.eat_keyword("default") {
            let mut values = vec![self.constant()?.1];
            while self.eat(",") {
                values.push(self.constant()?.1);
            }
            cases.push((values, self.block()?));
        }
        let default = self.block()?;
        self.expect("}")?;
        Ok(Stmt { kind: StmtKind::Switch { scrutinee, cases, default }, loc })
    }

    /// A statement without blocks, up to its `;`.
    fn simple(&mut self, keyword: &str) -> Result<StmtKind> {
        let begin = self.at;
        self.step();
        Ok(match keyword {
            "set_valid" => StmtKind::SetValid(self.header_ref()?),
            "set_invalid" => StmtKind::SetInvalid(self.header_ref()?),
            "copy" => {
                let to = self.header_ref()?;
                self.expect("=")?;
                StmtKind::Copy { to, from: self.header_ref()? }
            }
            "next_index" => {
                let stack = self.known("a stack", |names| &names.stacks)?;
                self.expect("=")?;
                StmtKind::SetNextIndex(stack, self.expr()?)
            }
            "push_front" => {
                let stack = self.known("a stack", |names| &names.stacks)?;
                StmtKind::PushFront(stack, self.unsigned()?)
            }
            "pop_front" => {
                let stack = self.known("a stack", |names| &names.stacks)?;
                StmtKind::PopFront(stack, self.unsigned()?)
            }
            "break" => StmtKind::Break,
            "continue" => StmtKind::Continue,
            "return" => StmtKind::Return,
            "exit" => StmtKind::Exit,
            "call" if self.eat_keyword("action") => {
                StmtKind::CallAction(self.known("an action", |names| &names.actions)?)
            }
            "call" => StmtKind::Call(self.known("a procedure", |names| &names.procedures)?),
            "apply" => {
                let table = self.known("a table", |names| &names.tables)?;
                let hit = if self.eat_keyword("hit") { Some(self.var()?) } else { None };
                let action_run = if self.eat_keyword("action_run") { Some(self.var()?) } else { None };
                StmtKind::Apply { table, hit, action_run }
            }
            "extract" => {
                let to = self.header_ref()?;
                let varbit_bits = if self.eat_keyword("varbit") { Some(self.expr()?) } else { None };
                StmtKind::Extract { to, varbit_bits }
            }
            "lookahead" => StmtKind::Lookahead(self.place()?),
            "advance" => StmtKind::Advance(self.expr()?),
            "verify" => {
                let condition = self.expr()?;
                self.expect_keyword("else")?;
                StmtKind::Verify { condition, error: self.expr()? }
            }
            "emit" => StmtKind::Emit(self.header_ref()?),
            "extern" => StmtKind::Extern(self.extern_call()?),
            _ => {
                self.at = begin;
                let place = self.place()?;
                self.expect("=")?;
                StmtKind::Assign(place, self.expr()?)
            }
        })
    }

    fn extern_call(&mut self) -> Result<ExternCall> {
        let mut result = Vec::new();
        if matches!(self.second(), Word::Symbol("=" | ",")) {
            result = self.list("=", Self::var)?;
        }
        let callee = self.name("an extern function or method")?;
        let type_args = self.type_args()?;
        let instance = if self.eat_keyword("on") {
            Some(self.known("an extern object", |names| &names.externs)?)
        } else {
            None
        };
        self.expect("(")?;
        let args = self.list(")", |reader| {
            let direction = reader.direction()?;
            let name = reader.name("an argument's name")?;
            reader.expect("=")?;
            Ok(Arg { name, direction, value: reader.arg_value()? })
        })?;
        Ok(ExternCall { callee, instance, type_args, args, result })
    }

    fn arg_value(&mut self) -> Result<ArgValue> {
        if let Word::Text(_) = self.word() {
            return Ok(ArgValue::Text(self.text()?));
        }
        if self.eat_keyword("extern") {
            return Ok(ArgValue::Extern(self.known("an extern object", |names| &names.externs)?));
        }
        if self.eat("&[") {
            return Ok(ArgValue::Vars { vars: self.list("]", Self::var)?, names: Vec::new() });
        }
        if self.eat("&{") {
            let pairs = self.list("}", |reader| {
                let path = reader.name("a path")?;
                reader.expect(":")?;
                Ok((path, reader.var()?))
            })?;
            let (names, vars) = pairs.into_iter().unzip();
            return Ok(ArgValue::Vars { vars, names });
        }
        if self.eat("{") {
            return Ok(ArgValue::Leaves(self.list("}", |reader| {
                if reader.eat_keyword("header") {
                    Ok(Leaf::Header(reader.known("a header", |names| &names.headers)?))
                } else {
                    Ok(Leaf::Value(reader.expr()?))
                }
            })?));
        }
        Ok(ArgValue::Leaves(vec![Leaf::Value(self.expr()?)]))
    }

    fn header_ref(&mut self) -> Result<HeaderRef> {
        if self.eat_keyword("next") {
            return Ok(HeaderRef::Next(self.known("a stack", |names| &names.stacks)?));
        }
        if matches!(self.second(), Word::Symbol("[")) {
            let stack = self.known("a stack", |names| &names.stacks)?;
            self.expect("[")?;
            let index = self.expr()?;
            self.expect("]")?;
            return Ok(HeaderRef::Element(stack, Box::new(index)));
        }
        Ok(HeaderRef::Header(self.known("a header", |names| &names.headers)?))
    }

    fn place(&mut self) -> Result<Place> {
        if self.is_symbol("[") {
            let (vars, index) = self.indexed()?;
            return Ok(Place::Indexed(vars, index));
        }
        match self.word() {
            Word::Plain(_) | Word::Quoted(_) => Ok(Place::Var(self.var()?)),
            _ => self.expected("a statement"),
        }
    }

    /// `[a, b][index]`.
    fn indexed(&mut self) -> Result<(Vec<VarId>, Expr)> {
        self.expect("[")?;
        let vars = self.list("]", Self::var)?;
        if vars.is_empty() {
            return self.error_before("expected at least one variable".into());
        }
        self.expect("[")?;
        let index = self.expr()?;
        self.expect("]")?;
        Ok((vars, index))
    }

    pub(super) fn keyset(&mut self) -> Result<Keyset> {
        if self.eat("_") {
            return Ok(Keyset::Any);
        }
        if self.eat_keyword("set") {
            return Ok(Keyset::Set(self.known("a value set", |names| &names.value_sets)?));
        }
        let value = self.raw()?;
        if self.eat("&&&") {
            Ok(Keyset::Mask(value, self.raw()?))
        } else if self.eat("..") {
            Ok(Keyset::Range(value, self.raw()?))
        } else {
            Ok(Keyset::Value(value))
        }
    }

    /// A constant with its type.
    pub(super) fn constant(&mut self) -> Result<(Type, Bits)> {
        match self.word().clone() {
            Word::Const { value, signed } => {
                self.step();
                Ok((Type::Bits { width: value.width(), signed }, value))
            }
            Word::Plain(word) if word == "true" || word == "false" => {
                self.step();
                Ok((Type::Bool, Bits::bool(word == "true")))
            }
            Word::Plain(word) if word == "varbit" => {
                let ty = self.ty()?;
                self.expect("(")?;
                let value = self.raw()?;
                self.expect(")")?;
                Ok((ty, value))
            }
            Word::Plain(_) | Word::Quoted(_) if matches!(self.second(), Word::Symbol("::")) => {
                let ty = self.ty()?;
                self.expect("::")?;
                let member = self.name("a member")?;
                let members = match ty {
                    Type::Enum(id) => &self.program.enums[id].members,
                    _ => &self.program.errors,
                };
                match members.iter().position(|m| *m == member) {
                    Some(ordinal) => Ok((ty, Bits::new(32, ordinal as u128))),
                    None => self.error_before(format!("there is no member `{member}`")),
                }
            }
            _ => self.expected("a constant"),
        }
    }

    /// An expression: one operand, two with an operator between them, or `condition ? a : b`.
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.nested(Self::compound)
    }

    fn compound(&mut self) -> Result<Expr> {
        let left = self.operand()?;
        if self.eat("?") {
            let then = self.operand()?;
            self.expect(":")?;
            let otherwise = self.operand()?;
            let ty = then.ty;
            return Ok(Expr { kind: ExprKind::Mux(Box::new(left), Box::new(then), Box::new(otherwise)), ty });
        }
        let Some(op) = self.operator() else { return Ok(left) };
        let right = self.operand()?;
        if self.operator().is_some() {
            return self.error_before("expected parentheses around one of the operators".into());
        }
        let ty = match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                Type::Bool
            }
            BinaryOp::Concat => match left.ty.width().checked_add(right.ty.width()) {
                Some(width) => Type::Bits { width, signed: left.ty.is_signed() },
                None => return self.error_before("the result is wider than 2^32 bits".into()),
            },
            _ => left.ty,
        };
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty })
    }

    fn operator(&mut self) -> Option<BinaryOp> {
        let Word::Symbol(symbol) = *self.word() else { return None };
        let next = self.tokens.get(self.at + 1)?;
        if symbol == ">" && next.word == Word::Symbol(">") && next.offset == self.tokens[self.at].offset + 1 {
            self.step();
            self.step();
            return Some(BinaryOp::Shr);
        }
        let op = OPERATORS.into_iter().find(|op| op.symbol() == symbol)?;
        self.step();
        Some(op)
    }

    fn operand(&mut self) -> Result<Expr> {
        for (symbol, op) in [("!", UnaryOp::Not), ("~", UnaryOp::BitNot), ("-", UnaryOp::Neg)] {
            if self.eat(symbol) {
                let operand = self.nested(Self::operand)?;
                let ty = operand.ty;
                return Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty });
            }
        }
        let mut expr = self.primary()?;
        while self.eat("[") {
            let high: u32 = self.unsigned()?;
            self.expect(":")?;
            let low: u32 = self.unsigned()?;
            self.expect("]")?;
            if low > high || high == u32::MAX {
                return self.error_before(format!("expected a slice from high to low, found {high}:{low}"));
            }
            let ty = Type::bit(high + 1 - low);
            expr = Expr { kind: ExprKind::Slice { operand: Box::new(expr), high, low }, ty };
        }
        Ok(expr)
    }

    fn primary(&mut self) -> Result<Expr> {
        if self.eat("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.is_symbol("[") {
            let (vars, index) = self.indexed()?;
            let ty = self.program.vars[vars[0]].ty;
            return Ok(Expr { kind: ExprKind::Indexed { vars, index: Box::new(index) }, ty });
        }
        if self.eat_keyword("packet_length") {
            return Ok(Expr { kind: ExprKind::PacketLength, ty: Type::bit(32) });
        }
        if self.is_keyword("bool") || self.is_keyword("bit") || self.is_keyword("int") {
            let ty = self.ty()?;
            self.expect("(")?;
            let operand = self.expr()?;
            self.expect(")")?;
            return Ok(Expr { kind: ExprKind::Cast(Box::new(operand)), ty });
        }
        let is_name = match self.word() {
            Word::Plain(word) => {
                !matches!(word.as_str(), "true" | "false" | "varbit" | "error")
                    && !matches!(self.second(), Word::Symbol("::"))
            }
            Word::Quoted(_) => !matches!(self.second(), Word::Symbol("::")),
            Word::Const { .. } => false,
            _ => return self.expected("an expression"),
        };
        if is_name {
            let var = self.var()?;
            return Ok(Expr { kind: ExprKind::Var(var), ty: self.program.vars[var].ty });
        }
        let (ty, value) = self.constant()?;
        Ok(Expr { kind: ExprKind::Const(value), ty })
    }
}
