//! Statements.

use crate::program::{Arg, ArgValue, Block, ExternCall, HeaderRef, Leaf, Place, Stmt, StmtKind};

use super::super::lex::Word;
use super::{Reader, Result};

impl Reader {
    /// Reads a block `{ statement … }`.
    pub(super) fn block(&mut self) -> Result<Block> {
        self.expect("{")?;
        self.read_nested(Self::statements_to_brace)
    }

    pub(super) fn statements_to_brace(&mut self) -> Result<Block> {
        let mut block = Block::default();
        while !self.eat("}") {
            if *self.word() == Word::End {
                return self.expected_error("a statement or `}`");
            }
            block.0.push(self.stmt()?);
        }
        Ok(block)
    }

    /// Parses a statement.
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
            Block(vec![self.read_nested(Self::if_stmt)?])
        } else {
            self.block()?
        };
        Ok(Stmt { kind: StmtKind::If { condition, then, otherwise }, loc })
    }

    /// Parses a `switch` statement.
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

    /// Reads a statement without blocks, up to its `;`.
    fn simple(&mut self, keyword: &str) -> Result<StmtKind> {
        let begin = self.at;
        self.step();
        Ok(match keyword {
            "set_valid" => StmtKind::SetValid(self.header_ref()?),
            "set_invalid" => StmtKind::SetInvalid(self.header_ref()?),
            "invalidate_others" => {
                StmtKind::InvalidateOthers(self.known_name("a header", |names| &names.headers)?)
            }
            "copy" => {
                let to = self.header_ref()?;
                self.expect("=")?;
                StmtKind::Copy { to, from: self.header_ref()? }
            }
            "next_index" => {
                let stack = self.known_name("a stack", |names| &names.stacks)?;
                self.expect("=")?;
                StmtKind::SetNextIndex(stack, self.expr()?)
            }
            "push_front" => {
                let stack = self.known_name("a stack", |names| &names.stacks)?;
                StmtKind::PushFront(stack, self.unsigned()?)
            }
            "pop_front" => {
                let stack = self.known_name("a stack", |names| &names.stacks)?;
                StmtKind::PopFront(stack, self.unsigned()?)
            }
            "break" => StmtKind::Break,
            "continue" => StmtKind::Continue,
            "return" => StmtKind::Return,
            "exit" => StmtKind::Exit,
            "call" if self.eat_keyword("action") => {
                StmtKind::CallAction(self.known_name("an action", |names| &names.actions)?)
            }
            "call" => StmtKind::Call(self.known_name("a procedure", |names| &names.procedures)?),
            "apply" => {
                let table = self.known_name("a table", |names| &names.tables)?;
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
        if matches!(self.next_word(), Word::Symbol("=" | ",")) {
            result = self.list("=", Self::var)?;
        }
        let callee = self.name("an extern function or method")?;
        let type_args = self.type_args()?;
        let declared = self.declared_args()?;
        let instance = if self.eat_keyword("on") {
            Some(self.known_name("an extern object", |names| &names.externs)?)
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
        Ok(ExternCall { callee, instance, type_args, declared, args, result })
    }

    fn arg_value(&mut self) -> Result<ArgValue> {
        if let Word::Text(_) = self.word() {
            return Ok(ArgValue::Text(self.text()?));
        }
        if self.eat_keyword("extern") {
            return Ok(ArgValue::Extern(self.known_name("an extern object", |names| &names.externs)?));
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
                    Ok(Leaf::Header(reader.known_name("a header", |names| &names.headers)?))
                } else {
                    Ok(Leaf::Value(reader.expr()?))
                }
            })?));
        }
        Ok(ArgValue::Leaves(vec![Leaf::Value(self.expr()?)]))
    }

    fn header_ref(&mut self) -> Result<HeaderRef> {
        if self.eat_keyword("next") {
            return Ok(HeaderRef::Next(self.known_name("a stack", |names| &names.stacks)?));
        }
        if matches!(self.next_word(), Word::Symbol("[")) {
            let stack = self.known_name("a stack", |names| &names.stacks)?;
            self.expect("[")?;
            let index = self.expr()?;
            self.expect("]")?;
            return Ok(HeaderRef::Element(stack, Box::new(index)));
        }
        Ok(HeaderRef::Header(self.known_name("a header", |names| &names.headers)?))
    }

    /// Parses a place that can be assigned to.
    fn place(&mut self) -> Result<Place> {
        if self.is_symbol("[") {
            let (vars, index) = self.indexed()?;
            return Ok(Place::Indexed(vars, index));
        }
        match self.word() {
            Word::Plain(_) | Word::Quoted(_) => Ok(Place::Var(self.var()?)),
            _ => self.expected_error("a statement"),
        }
    }
}
