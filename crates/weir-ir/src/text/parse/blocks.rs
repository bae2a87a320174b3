//! Parsers with their states, and the package.

use crate::arena::Id;
use crate::loc::Loc;
use crate::program::{Block, Package, PackageArg, Parser, ParserState, SelectCase, Target, Transition};

use super::super::lex::Word;
use super::{Reader, Result};

impl Reader {
    /// Parses a parser.
    pub(super) fn parser(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        let loc = self.loc();
        self.expect("{")?;
        self.declare_states()?;
        let params = self.params()?;
        self.expect_keyword("start")?;
        let start = self.known_name("a parser state", |names| &names.states)?;
        self.expect_keyword("locals")?;
        let locals = self.block()?;
        let mut parser = Parser { name, params, locals, states: crate::Arena::new(), start, loc };
        while !self.eat("}") {
            self.expect_keyword("state")?;
            let state = self.state()?;
            parser.states.push(state);
        }
        self.program.parsers.push(parser);
        Ok(())
    }

    /// Finds the names of the states, which follow the word `state` directly within the parser's
    /// braces.
    fn declare_states(&mut self) -> Result<()> {
        self.names.states.clear();
        let begin = self.at;
        let mut depth = 1;
        while depth > 0 && *self.word() != Word::End {
            match self.word() {
                Word::Symbol("{" | "&{") => depth += 1,
                Word::Symbol("}") => depth -= 1,
                Word::Plain(word) if depth == 1 && word == "state" => {
                    self.step();
                    let name = self.name("a state's name")?;
                    let id = Id::new(self.names.states.len());
                    self.define(&name, id, |names| &mut names.states)?;
                    continue;
                }
                _ => {}
            }
            self.step();
        }
        self.at = begin;
        Ok(())
    }

    fn state(&mut self) -> Result<ParserState> {
        let name = self.name("a state's name")?;
        let loc = self.loc();
        self.expect("{")?;
        let mut body = Block::default();
        while !self.eat("->") {
            if self.is_symbol("}") {
                return self.expected_error("a statement or `->`");
            }
            body.0.push(self.stmt()?);
        }
        let transition = if self.is_keyword("select") && matches!(self.next_word(), Word::Symbol("(")) {
            self.step();
            self.select()?
        } else {
            Transition::Goto(self.target()?)
        };
        self.expect("}")?;
        Ok(ParserState { name, body, transition, loc })
    }

    /// Parses a `select` transition.
    fn select(&mut self) -> Result<Transition> {
        self.expect("(")?;
        let keys = self.list(")", Self::expr)?;
        let loc = self.loc();
        self.expect("{")?;
        let mut cases = Vec::new();
        while !self.eat("}") {
            self.expect("(")?;
            let keysets = self.list(")", Self::keyset)?;
            self.expect("->")?;
            let target = self.target()?;
            cases.push(SelectCase { keysets, target, loc: self.loc() });
        }
        Ok(Transition::Select { keys, cases, loc })
    }

    /// Parses the target of a transition.
    fn target(&mut self) -> Result<Target> {
        if self.eat_keyword("accept") {
            Ok(Target::Accept)
        } else if self.eat_keyword("reject") {
            Ok(Target::Reject)
        } else {
            Ok(Target::State(self.known_name("a parser state", |names| &names.states)?))
        }
    }

    /// Parses the instance of a package.
    pub(super) fn package(&mut self) -> Result<Package> {
        let name = self.name("a name")?;
        self.expect(":")?;
        let kind = self.name("a package type")?;
        let annotations = self.annotations()?;
        let loc: Loc = self.loc();
        self.expect("{")?;
        let mut args = Vec::new();
        while !self.eat("}") {
            let param = self.name("a constructor parameter or `}`")?;
            self.expect("=")?;
            let arg = if self.eat_keyword("parser") {
                PackageArg::Parser(self.known_name("a parser", |names| &names.parsers)?)
            } else if self.eat_keyword("control") {
                PackageArg::Control(self.known_name("a control", |names| &names.controls)?)
            } else if self.eat_keyword("package") {
                PackageArg::Package(Box::new(self.read_nested(Self::package)?))
            } else {
                PackageArg::Const(self.const_arg()?)
            };
            args.push((param, arg));
        }
        Ok(Package { kind, name, args, annotations, loc })
    }
}
