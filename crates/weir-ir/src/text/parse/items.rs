//! Finds and orders the items of a program; reads types, externs, value sets.

use crate::arena::Id;
use crate::program::{
    CalledAction, ConstArg, Control, ExternInstance, ExternMethod, Procedure, PropertyValue, ValueSet,
    ValueSetField,
};
use crate::types::{Enumeration, HeaderField, HeaderType, Type};

use super::super::lex::Word;
use super::{Reader, Result};

/// The keywords that items begin with.
const ITEMS: [&str; 18] = [
    "file",
    "errors",
    "atomic",
    "enum",
    "type",
    "header_type",
    "var",
    "header",
    "stack",
    "union",
    "extern",
    "value_set",
    "action",
    "procedure",
    "table",
    "parser",
    "control",
    "package",
];

/// The order in which items are read. Variables and headers are read in one pass, because both
/// create variables. Headers that list their variables get them in a later pass.
const PASSES: [&str; 18] = [
    "file",
    "errors",
    "atomic",
    "enum",
    "type",
    "header_type",
    "var header",
    "explicit header",
    "stack",
    "union",
    "extern",
    "value_set",
    "action",
    "procedure",
    "table",
    "parser",
    "control",
    "package",
];

impl Reader {
    /// Parses the whole program: first its names, then its items.
    pub(super) fn program(&mut self) -> Result<()> {
        let starts = self.find_items()?;
        self.declare(&starts)?;
        for pass in PASSES {
            for (i, start) in starts.iter().enumerate() {
                self.at = *start;
                let keyword = self.name("an item")?;
                let explicit = keyword == "header" && self.is_explicit_header();
                match (pass, keyword.as_str()) {
                    ("var header", "header") if explicit => {
                        self.declare_explicit_header()?;
                        continue;
                    }
                    ("var header", "var" | "header") => {}
                    ("explicit header", "header") if explicit => {}
                    _ if pass == keyword => {}
                    _ => continue,
                }
                self.item(&keyword, explicit)?;
                if self.at < starts.get(i + 1).copied().unwrap_or(self.tokens.len() - 1) {
                    return self.expected_error(&format!("one of {}", ITEMS.join(", ")));
                }
            }
        }
        Ok(())
    }

    /// Finds the positions where items begin, which are keywords outside of all brackets.
    fn find_items(&self) -> Result<Vec<usize>> {
        let mut depth = 0u32;
        let mut starts = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            match &token.word {
                Word::Symbol("{" | "(" | "[" | "&{" | "&[") => depth += 1,
                Word::Symbol("}" | ")" | "]") => depth = depth.saturating_sub(1),
                Word::Plain(word) if depth == 0 && ITEMS.contains(&word.as_str()) => starts.push(at),
                _ => {}
            }
        }
        if starts.first() != Some(&0) && self.tokens.len() > 1 {
            return self.expected_error(&format!("one of {}", ITEMS.join(", ")));
        }
        Ok(starts)
    }

    /// Assigns handles to the items that statements and externs may refer to before the items are
    /// read.
    fn declare(&mut self, starts: &[usize]) -> Result<()> {
        for keyword in ITEMS {
            let mut count = 0;
            for start in starts {
                self.at = *start;
                if !self.eat_keyword(keyword) {
                    continue;
                }
                let index = count;
                count += 1;
                match keyword {
                    "extern" => self.declare_one(index, |names| &mut names.externs)?,
                    "value_set" => self.declare_one(index, |names| &mut names.value_sets)?,
                    "action" => self.declare_one(index, |names| &mut names.actions)?,
                    "procedure" => self.declare_one(index, |names| &mut names.procedures)?,
                    "table" => self.declare_one(index, |names| &mut names.tables)?,
                    "parser" => self.declare_one(index, |names| &mut names.parsers)?,
                    "control" => self.declare_one(index, |names| &mut names.controls)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn declare_one<T>(
        &mut self,
        index: usize,
        map: impl Fn(&mut super::Names) -> &mut super::Map<T>,
    ) -> Result<()> {
        let name = self.name("a name")?;
        self.define(&name, Id::new(index), map)
    }

    /// Parses the item that begins with a keyword.
    fn item(&mut self, keyword: &str, explicit: bool) -> Result<()> {
        match keyword {
            "file" => {
                let path = self.text()?;
                self.program.files.push(path);
            }
            "errors" => {
                self.expect("{")?;
                let errors = self.list("}", |reader| reader.name("an error"))?;
                self.program.errors.extend(errors);
            }
            "atomic" => self.program.atomic = true,
            "enum" => {
                let name = self.name("a name")?;
                self.define(&name, Id::new(self.program.enums.len()), |names| &mut names.enums)?;
                self.expect("{")?;
                let members = self.list("}", |reader| reader.name("a member"))?;
                self.program.enums.push(Enumeration { name, members });
            }
            "type" => self.declared_type()?,
            "header_type" => self.header_type()?,
            "var" => self.variable()?,
            "header" if explicit => self.explicit_header()?,
            "header" => self.usual_header()?,
            "stack" => self.stack()?,
            "union" => self.union()?,
            "extern" => self.extern_instance()?,
            "value_set" => self.value_set()?,
            "action" => self.action()?,
            "procedure" => {
                let name = self.name("a name")?;
                let action = if self.eat_keyword("as") {
                    let name = self.name("the control plane's name")?;
                    Some(CalledAction { name, annotations: self.annotations()? })
                } else {
                    None
                };
                let loc = self.loc();
                let body = self.block()?;
                self.program.procedures.push(Procedure { name, action, body, loc });
            }
            "table" => self.table()?,
            "parser" => self.parser()?,
            "control" => {
                let name = self.name("a name")?;
                let loc = self.loc();
                self.expect("{")?;
                let params = self.params()?;
                let body = self.statements_to_brace()?;
                self.program.controls.push(Control { name, params, body, loc });
            }
            _ => {
                if self.program.main.is_some() {
                    return self.error("there is a package already".into());
                }
                self.program.main = Some(self.package()?);
            }
        }
        Ok(())
    }

    fn header_type(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        self.define(&name, Id::new(self.program.header_types.len()), |names| &mut names.header_types)?;
        let annotations = self.annotations()?;
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.eat("}") {
            let name = self.name("a field or `}`")?;
            self.expect(":")?;
            let ty = self.ty()?;
            let declared = self.declared()?;
            fields.push(HeaderField { name, ty, declared, annotations: self.annotations()? });
            self.eat(",");
        }
        self.program.header_types.push(HeaderType { name, fields, annotations });
        Ok(())
    }

    /// Parses the value of a table's property.
    pub(super) fn property(&mut self) -> Result<PropertyValue> {
        if self.eat_keyword("true") {
            return Ok(PropertyValue::Bool(true));
        }
        if self.eat_keyword("false") {
            return Ok(PropertyValue::Bool(false));
        }
        match self.word() {
            Word::Text(_) => Ok(PropertyValue::Text(self.text()?)),
            Word::Int(_) | Word::Symbol("-") => Ok(PropertyValue::Int(self.int()?)),
            _ => self.expected_error("a number, a string, `true` or `false`"),
        }
    }

    fn extern_instance(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        self.expect(":")?;
        let kind = self.name("the extern's type")?;
        let type_args = self.type_args()?;
        let declared = self.declared_args()?;
        let factory =
            if self.eat_keyword("made_by") { Some(self.name("the function that makes it")?) } else { None };
        self.expect("(")?;
        let args = self.list(")", Self::const_arg)?;
        let annotations = self.annotations()?;
        let loc = self.loc();
        let mut methods = Vec::new();
        if self.eat("{") {
            while !self.eat("}") {
                methods.push(self.extern_method()?);
            }
        }
        let instance =
            ExternInstance { name, kind, type_args, declared, factory, args, methods, annotations, loc };
        self.program.externs.push(instance);
        Ok(())
    }

    /// Reads a method: `method NAME: PROCEDURE { PARAMS result { VARS } }`.
    fn extern_method(&mut self) -> Result<ExternMethod> {
        self.expect_keyword("method")?;
        let name = self.name("a method")?;
        self.expect(":")?;
        let procedure = self.known_name("a procedure", |names| &names.procedures)?;
        self.expect("{")?;
        let params = self.params()?;
        let result = if self.eat_keyword("result") {
            self.expect("{")?;
            self.list("}", Self::var)?
        } else {
            Vec::new()
        };
        self.expect("}")?;
        Ok(ExternMethod { name, procedure, params, result })
    }

    pub(super) fn type_args(&mut self) -> Result<Vec<Type>> {
        if self.eat("<") { self.list(">", Self::ty) } else { Ok(Vec::new()) }
    }

    pub(super) fn const_arg(&mut self) -> Result<ConstArg> {
        if let Word::Text(_) = self.word() {
            return Ok(ConstArg::Text(self.text()?));
        }
        if self.eat_keyword("extern") {
            return Ok(ConstArg::Extern(self.known_name("an extern object", |names| &names.externs)?));
        }
        if self.eat("{") {
            return self.read_nested(|reader| Ok(ConstArg::List(reader.list("}", Self::const_arg)?)));
        }
        let (ty, value) = self.constant()?;
        Ok(ConstArg::Bits(ty, value))
    }

    fn value_set(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        let annotations = self.annotations()?;
        let loc = self.loc();
        self.expect("{")?;
        let mut fields = Vec::new();
        while matches!(self.next_word(), Word::Symbol(":")) {
            let name = self.name("a field")?;
            self.expect(":")?;
            let width = self.unsigned()?;
            let match_kind = self.name("a match kind")?;
            let declared = self.declared()?;
            let annotations = self.annotations()?;
            fields.push(ValueSetField { name, width, declared, match_kind, annotations });
        }
        self.expect_keyword("size")?;
        let size = self.unsigned()?;
        self.expect("}")?;
        self.program.value_sets.push(ValueSet { name, fields, size, annotations, loc });
        Ok(())
    }
}
