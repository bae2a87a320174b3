//! Variables, headers, stacks and the storage of parameters.

use crate::program::{Direction, Header, HeaderId, Param, Stack, StackId, Storage, Var, VarRole};
use crate::storage::{NEXT, qualified_name};
use crate::types::Type;

use super::super::header_vars::default_header_vars;
use super::super::lex::Word;
use super::{Reader, Result};

impl Reader {
    /// Parses the declaration of a variable.
    pub(super) fn variable(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        let id = crate::Id::new(self.program.vars.len());
        self.define(&name, id, |names| &mut names.vars)?;
        self.expect(":")?;
        let ty = self.ty()?;
        let annotations = self.annotations()?;
        let loc = self.loc();
        self.program.vars.push(Var { name, ty, role: VarRole::Plain, annotations, loc });
        Ok(())
    }

    /// Returns whether the header declaration whose keyword was just read lists its variables.
    pub(super) fn is_explicit_header(&self) -> bool {
        let brace = self.tokens.get(self.at + 3).map(|token| &token.word);
        matches!(brace, Some(Word::Symbol("{")))
    }

    /// Reads `NAME: TYPE`, and creates the variables.
    pub(super) fn usual_header(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        self.define(&name, HeaderId::new(self.program.headers.len()), |names| &mut names.headers)?;
        self.expect(":")?;
        let ty = self.known_name("a header type", |names| &names.header_types)?;
        let before = self.program.vars.len();
        let loc = self.loc();
        self.program.add_header(&name, ty, loc);
        for index in before..self.program.vars.len() {
            let id = crate::Id::new(index);
            let name = self.program.vars[id].name.clone();
            self.define(&name, id, |names| &mut names.vars)?;
        }
        Ok(())
    }

    /// Reads `NAME: TYPE`; the variables are looked up later.
    pub(super) fn declare_explicit_header(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        self.define(&name, HeaderId::new(self.program.headers.len()), |names| &mut names.headers)?;
        self.expect(":")?;
        let ty = self.known_name("a header type", |names| &names.header_types)?;
        self.program.headers.push(Header {
            name,
            ty,
            valid: crate::Id::new(0),
            fields: Vec::new(),
            union: None,
        });
        Ok(())
    }

    /// Reads `NAME: TYPE { VALID; FIELD, … }`.
    pub(super) fn explicit_header(&mut self) -> Result<()> {
        let id = self.known_name("a header", |names| &names.headers)?;
        self.step();
        self.step();
        self.expect("{")?;
        let valid = self.var()?;
        self.expect(";")?;
        let fields = self.list("}", Self::var)?;
        self.program.vars[valid].role = VarRole::Validity(id);
        for field in &fields {
            self.program.vars[*field].role = VarRole::Field(id);
        }
        let header = &mut self.program.headers[id];
        header.valid = valid;
        header.fields = fields;
        Ok(())
    }

    /// Reads `NAME: { ELEMENT, … }`, with `next COUNTER` before the colon if the counter has an
    /// unusual name.
    pub(super) fn stack(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        let id = StackId::new(self.program.stacks.len());
        self.define(&name, id, |names| &mut names.stacks)?;
        let next_index = if self.eat_keyword("next") {
            self.var()?
        } else {
            let counter = qualified_name(&name, NEXT);
            match self.names.vars.get(&counter) {
                Some(var) => *var,
                None => return self.error_before(format!("the stack's counter `{counter}` is not declared")),
            }
        };
        self.expect(":")?;
        self.expect("{")?;
        let elements = self.list("}", |reader| reader.known_name("a header", |names| &names.headers))?;
        self.program.vars[next_index].role = VarRole::NextIndex(id);
        self.program.stacks.push(Stack { name, elements, next_index });
        Ok(())
    }

    /// Reads the members of a header union: `{ MEMBER, … }`.
    pub(super) fn union(&mut self) -> Result<()> {
        self.expect("{")?;
        let members = self.list("}", |reader| reader.known_name("a header", |names| &names.headers))?;
        self.program.add_union(members);
        Ok(())
    }

    /// Reads all parameters of a block.
    pub(super) fn params(&mut self) -> Result<Vec<Param>> {
        let mut params = Vec::new();
        while self.eat_keyword("param") {
            let name = self.name("a parameter")?;
            self.expect(":")?;
            let direction = self.direction()?;
            let type_name = self.name("a type's name")?;
            self.expect("{")?;
            let storage = self.param_storage()?;
            params.push(Param { name, direction, type_name, storage });
        }
        Ok(params)
    }

    /// Parses the direction of a parameter.
    pub(super) fn direction(&mut self) -> Result<Direction> {
        for (word, direction) in [("in", Direction::In), ("out", Direction::Out), ("inout", Direction::InOut)]
        {
            if self.eat_keyword(word) {
                return Ok(direction);
            }
        }
        self.expected_error("`in`, `out` or `inout`")
    }

    fn param_storage(&mut self) -> Result<Storage> {
        let mut storage = Storage::default();
        loop {
            if self.eat("}") {
                return Ok(storage);
            }
            let braced = matches!(self.next_word(), Word::Symbol("{"));
            let path = self.name("a path, `headers`, `stacks` or `}`")?;
            if braced && path == "headers" {
                self.step();
                storage.headers =
                    self.list("}", |reader| reader.known_name("a header", |names| &names.headers))?;
            } else if braced && path == "stacks" {
                self.step();
                storage.stacks =
                    self.list("}", |reader| reader.known_name("a stack", |names| &names.stacks))?;
            } else {
                self.expect(":")?;
                if self.eat_keyword("header") {
                    let id = self.known_name("a header", |names| &names.headers)?;
                    storage.headers.push(id);
                    for (var, field) in default_header_vars(&self.program, &self.program.headers[id]) {
                        storage.vars.push(var);
                        storage.paths.push(qualified_name(&path, &field));
                    }
                } else {
                    storage.vars.push(self.var()?);
                    storage.paths.push(path);
                }
            }
        }
    }

    /// Reads a type's name, and returns the type.
    pub(super) fn ty(&mut self) -> Result<Type> {
        let name = match self.word() {
            Word::Quoted(_) => return Ok(Type::Enum(self.known_name("a type", |names| &names.enums)?)),
            Word::Plain(name) => name.clone(),
            _ => return self.expected_error("a type"),
        };
        let sized: fn(u32) -> Type = match name.as_str() {
            "bool" => {
                self.step();
                return Ok(Type::Bool);
            }
            "error" => {
                self.step();
                return Ok(Type::Error);
            }
            "bit" => Type::bit,
            "int" => Type::int,
            "varbit" => |max| Type::Varbit { max },
            _ => return Ok(Type::Enum(self.known_name("a type", |names| &names.enums)?)),
        };
        self.step();
        self.expect("<")?;
        let width = self.unsigned()?;
        self.expect(">")?;
        Ok(sized(width))
    }
}
