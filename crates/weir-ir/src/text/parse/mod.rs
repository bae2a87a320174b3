//! Reads programs from text. Items are found first and then read in the order of their
//! dependencies, so a text may have them in any order.

mod blocks;
mod declared;
mod expr;
mod items;
mod stmt;
mod storage;
mod table;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use crate::arena::Id;
use crate::bits::Bits;
use crate::loc::Loc;
use crate::program::{
    ActionId, ControlId, ExternId, HeaderId, ParserId, ParserStateId, ProcedureId, Program, StackId, TableId,
    ValueSetId, VarId,
};
use crate::types::declared::DeclaredType;
use crate::types::{Enumeration, HeaderType};

use super::error::ParseError;
use super::lex::{Token, Word, lex};

/// The result of parsing a part.
type Result<T> = std::result::Result<T, ParseError>;

/// Reads a program from its text form. Only the form of the text is checked; the validator checks
/// whether the program is valid.
pub fn parse(text: &str) -> Result<Program> {
    let mut reader =
        Reader { tokens: lex(text)?, at: 0, program: Program::default(), names: Names::default(), depth: 0 };
    reader.program()?;
    Ok(reader.program)
}

/// The handles of the program's items by name, one map for each kind.
#[derive(Default)]
struct Names {
    enums: Map<Enumeration>,
    declared: Map<DeclaredType>,
    header_types: Map<HeaderType>,
    vars: FxHashMap<String, VarId>,
    headers: FxHashMap<String, HeaderId>,
    stacks: FxHashMap<String, StackId>,
    externs: FxHashMap<String, ExternId>,
    value_sets: FxHashMap<String, ValueSetId>,
    actions: FxHashMap<String, ActionId>,
    procedures: FxHashMap<String, ProcedureId>,
    tables: FxHashMap<String, TableId>,
    parsers: FxHashMap<String, ParserId>,
    controls: FxHashMap<String, ControlId>,
    /// The states of the parser that is being read.
    states: FxHashMap<String, ParserStateId>,
}

/// The handles of one kind of items by name.
type Map<T> = FxHashMap<String, Id<T>>;

/// The maximum nesting depth of blocks, expressions and lists in a text.
const DEPTH_LIMIT: u32 = 200;

/// The state of parsing the text form of the IR.
struct Reader {
    tokens: Vec<Token>,
    at: usize,
    program: Program,
    names: Names,
    depth: u32,
}

impl Reader {
    /// Returns the current token.
    fn word(&self) -> &Word {
        &self.tokens[self.at].word
    }

    /// Returns the second of the words that follow.
    fn next_word(&self) -> &Word {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].word
    }

    /// Goes to the next token.
    fn step(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Returns an error at the current token.
    fn error<T>(&self, message: String) -> Result<T> {
        let token = &self.tokens[self.at];
        Err(ParseError { line: token.line, column: token.column, message })
    }

    /// Returns an error at the previous word, which was just read.
    fn error_before<T>(&self, message: String) -> Result<T> {
        let token = &self.tokens[self.at.saturating_sub(1)];
        Err(ParseError { line: token.line, column: token.column, message })
    }

    fn expected_error<T>(&self, what: &str) -> Result<T> {
        self.error(format!("expected {what}, found {}", self.word().describe()))
    }

    /// Runs `read` one level deeper, unless that is too deep.
    fn read_nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEPTH_LIMIT {
            return self.error(format!("nested more than {DEPTH_LIMIT} levels deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.word(), Word::Symbol(found) if *found == symbol)
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.word(), Word::Plain(found) if found == keyword)
    }

    /// Takes a symbol if it comes next, and returns whether it did.
    fn eat(&mut self, symbol: &str) -> bool {
        let eaten = self.is_symbol(symbol);
        if eaten {
            self.step();
        }
        eaten
    }

    fn eat_keyword(&mut self, keyword: &str) -> bool {
        let eaten = self.is_keyword(keyword);
        if eaten {
            self.step();
        }
        eaten
    }

    /// Takes a symbol that must come next.
    fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.eat(symbol) { Ok(()) } else { self.expected_error(&format!("`{symbol}`")) }
    }

    fn expect_keyword(&mut self, keyword: &str) -> Result<()> {
        if self.eat_keyword(keyword) { Ok(()) } else { self.expected_error(&format!("`{keyword}`")) }
    }

    /// Takes a name; `what` describes the named thing in messages.
    fn name(&mut self, what: &str) -> Result<String> {
        match self.word() {
            Word::Plain(name) | Word::Quoted(name) => {
                let name = name.clone();
                self.step();
                Ok(name)
            }
            _ => self.expected_error(what),
        }
    }

    /// Takes a string.
    fn text(&mut self) -> Result<String> {
        match self.word() {
            Word::Text(text) => {
                let text = text.clone();
                self.step();
                Ok(text)
            }
            _ => self.expected_error("a string"),
        }
    }

    /// Takes a whole number, which may be negative.
    fn int(&mut self) -> Result<BigInt> {
        let negative = self.eat("-");
        match self.word() {
            Word::Int(value) => {
                let value = if negative { -value } else { value.clone() };
                self.step();
                Ok(value)
            }
            _ => self.expected_error("a number"),
        }
    }

    /// Takes a whole number that fits the type.
    fn unsigned<T: TryFrom<BigInt>>(&mut self) -> Result<T> {
        let value = self.int()?;
        match T::try_from(value.clone()) {
            Ok(number) => Ok(number),
            Err(_) => self.error_before(format!("{value} is out of range")),
        }
    }

    /// Reads a constant of any sign and width, as in keysets and action data.
    fn untyped_constant(&mut self) -> Result<Bits> {
        match self.word() {
            Word::Const { value, .. } => {
                let value = value.clone();
                self.step();
                Ok(value)
            }
            _ => self.expected_error("a constant such as `8w255`"),
        }
    }

    /// Takes a place in the source, if one comes next.
    fn loc(&mut self) -> Loc {
        match *self.word() {
            Word::Loc(loc) => {
                self.step();
                loc
            }
            _ => Loc::NONE,
        }
    }

    /// Reads items that are separated by commas, up to `close`, which is consumed.
    fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(item(self)?);
            if !self.is_symbol(close) && !self.eat(",") {
                return self.expected_error(&format!("`,` or `{close}`"));
            }
        }
        Ok(items)
    }

    /// Reads a name that stands for a handle.
    fn known_name<T>(
        &mut self,
        what: &str,
        map: impl Fn(&Names) -> &FxHashMap<String, Id<T>>,
    ) -> Result<Id<T>> {
        let name = self.name(&format!("the name of {what}"))?;
        match map(&self.names).get(&name) {
            Some(id) => Ok(*id),
            None => self.error_before(format!("`{name}` is not the name of {what}")),
        }
    }

    /// Records the handle for the name that was just read. The name must not be in use for another
    /// item of the same kind.
    fn define<T>(
        &mut self,
        name: &str,
        id: Id<T>,
        map: impl Fn(&mut Names) -> &mut FxHashMap<String, Id<T>>,
    ) -> Result<()> {
        match map(&mut self.names).insert(name.to_owned(), id) {
            None => Ok(()),
            Some(_) => self.error_before(format!("`{name}` is declared twice")),
        }
    }

    /// Takes the name of a variable.
    fn var(&mut self) -> Result<VarId> {
        self.known_name("a variable", |names| &names.vars)
    }
}
