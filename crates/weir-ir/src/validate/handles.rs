//! Checks that handles refer to items that exist, and source places to files that exist.

use crate::arena::{Arena, Id};
use crate::loc::Loc;
use crate::program::{
    ActionId, ControlId, ExternId, HeaderId, ParserId, ParserStateId, ProcedureId, Program, StackId, TableId,
    UnionId, ValueSetId, VarId,
};
use crate::types::declared::DeclaredTypeId;
use crate::types::{Enumeration, HeaderType};
use crate::visit::{Visitor, walk_program};

use super::Validator;

impl Validator<'_> {
    /// Checks that all handles of the program refer to something.
    pub(super) fn handles(&mut self) {
        let mut handles = Handles { validator: self, within: String::new() };
        let program = handles.validator.program;
        walk_program(&mut handles, program);
    }
}

/// The state of checking handles.
struct Handles<'a, 'p> {
    validator: &'a mut Validator<'p>,
    within: String,
}

impl Handles<'_, '_> {
    /// Checks that a handle refers to a value of its arena.
    fn exists<T>(&mut self, id: Id<T>, arena: impl Fn(&Program) -> &Arena<T>, what: &str) {
        if arena(self.validator.program).get(id).is_none() {
            self.validator.fail(format!("{what} is named, but the program does not have it"));
        }
    }
}

impl Visitor for Handles<'_, '_> {
    fn place(&mut self, item: &str, loc: Loc) {
        if !item.is_empty() {
            item.clone_into(&mut self.within);
        }
        self.validator.enter(&self.within, loc);
        if loc.is_some() && loc.file as usize >= self.validator.program.files.len() {
            self.validator.fail("the source place is in a file that the program does not list");
        }
    }
    fn var(&mut self, id: &VarId) {
        self.exists(*id, |program| &program.vars, "a variable");
    }
    fn header(&mut self, id: &HeaderId) {
        self.exists(*id, |program| &program.headers, "a header");
    }
    fn stack(&mut self, id: &StackId) {
        self.exists(*id, |program| &program.stacks, "a stack");
    }
    fn union(&mut self, id: &UnionId) {
        self.exists(*id, |program| &program.unions, "a union");
    }
    fn extern_instance(&mut self, id: &ExternId) {
        self.exists(*id, |program| &program.externs, "an extern object");
    }
    fn value_set(&mut self, id: &ValueSetId) {
        self.exists(*id, |program| &program.value_sets, "a value set");
    }
    fn action(&mut self, id: &ActionId) {
        self.exists(*id, |program| &program.actions, "an action");
    }
    fn procedure(&mut self, id: &ProcedureId) {
        self.exists(*id, |program| &program.procedures, "a procedure");
    }
    fn table(&mut self, id: &TableId) {
        self.exists(*id, |program| &program.tables, "a table");
    }
    fn parser(&mut self, id: &ParserId) {
        self.exists(*id, |program| &program.parsers, "a parser");
    }
    fn control(&mut self, id: &ControlId) {
        self.exists(*id, |program| &program.controls, "a control");
    }
    fn header_type(&mut self, id: &Id<HeaderType>) {
        self.exists(*id, |program| &program.header_types, "a header type");
    }
    fn enumeration(&mut self, id: &Id<Enumeration>) {
        self.exists(*id, |program| &program.enums, "an enumeration");
    }
    fn declared_type(&mut self, id: &DeclaredTypeId) {
        self.exists(*id, |program| &program.declared, "a declared type");
    }
    fn state(&mut self, id: &ParserStateId, count: usize) {
        if id.index() >= count {
            self.validator.fail("a state is named that the parser does not have");
        }
    }
}
