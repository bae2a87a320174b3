//! Variables, headers and parameters as text. A header whose variables are in the usual order takes
//! one line.

use crate::program::{Header, HeaderId, Param, Program, Var, VarId, VarRole};
use crate::storage::{NEXT, qualified_name};
use crate::types::HeaderField;

use super::super::header_vars::default_header_vars;
use super::super::spelling::name;
use super::Printer;
use super::code::{direction, list, ty, var, with_loc};
use super::declared::annotations;

/// Returns whether the header has exactly the form that `Program::add_header` creates.
fn has_default_form(program: &Program, header: &Header) -> bool {
    let (first, loc) = (header.valid.index(), program.vars[header.valid].loc);
    let layout = &program.header_types[header.ty].fields;
    let same = default_header_vars(program, header).iter().enumerate().all(|(i, (id, part))| {
        let var = &program.vars[*id];
        id.index() == first + i && var.name == qualified_name(&header.name, part) && var.loc == loc
    });
    let fields = header.fields.iter().map(|id| &program.vars[*id]);
    let like_declared =
        |(var, field): (&Var, &HeaderField)| var.ty == field.ty && var.annotations == field.annotations;
    same && header.fields.len() == layout.len()
        && program.vars[header.valid].annotations.is_empty()
        && fields.zip(layout).all(like_declared)
}

impl Printer<'_> {
    /// Writes all variables and headers, in the order of their handles.
    pub(super) fn storage(&mut self) {
        let program = self.program;
        let mut next_var = 0;
        let mut headers = program.headers.values().peekable();
        while next_var < program.vars.len() {
            let id = VarId::new(next_var);
            let whole = match program.vars[id].role {
                VarRole::Field(header) | VarRole::Validity(header) => {
                    program.headers.get(header).filter(|header| has_default_form(program, header)).filter(
                        |header| {
                            header.valid == id && headers.clone().any(|later| std::ptr::eq(later, *header))
                        },
                    )
                }
                _ => None,
            };
            if let Some(whole) = whole {
                while let Some(header) = headers.next_if(|header| !std::ptr::eq(*header, whole)) {
                    self.explicit_header(header);
                }
                headers.next();
                let head =
                    format!("header {}: {}", name(&whole.name), name(&program.header_types[whole.ty].name));
                self.line(&with_loc(head, program.vars[id].loc));
                next_var += whole.fields.len() + 1;
            } else {
                let var = &program.vars[id];
                let head = format!(
                    "var {}: {}{}",
                    name(&var.name),
                    ty(program, var.ty),
                    annotations(&var.annotations)
                );
                self.line(&with_loc(head, var.loc));
                next_var += 1;
            }
        }
        for header in headers {
            self.explicit_header(header);
        }
        for stack in program.stacks.values() {
            let elements = list(&stack.elements, |id| name(&program.headers[*id].name));
            let usual = program.vars[stack.next_index].name == qualified_name(&stack.name, NEXT);
            let counter =
                if usual { String::new() } else { format!(" next {}", var(program, stack.next_index)) };
            self.line(&format!("stack {}{counter}: {{ {elements} }}", name(&stack.name)));
        }
        for union in program.unions.values() {
            let members = list(&union.members, |id| name(&program.headers[*id].name));
            self.line(&format!("union {{ {members} }}"));
        }
    }

    fn explicit_header(&mut self, header: &Header) {
        let fields = list(&header.fields, |id| var(self.program, *id));
        let ty = name(&self.program.header_types[header.ty].name);
        let valid = var(self.program, header.valid);
        self.line(&format!("header {}: {ty} {{ {valid}; {fields} }}", name(&header.name)));
    }

    /// Writes a parameter with its storage: one line for each header, and one line for each other
    /// variable.
    pub(super) fn param(&mut self, param: &Param) {
        let program = self.program;
        let storage = &param.storage;
        self.open(&format!(
            "param {}: {} {}",
            name(&param.name),
            direction(param.direction),
            name(&param.type_name)
        ));
        let mut whole_headers = Vec::new();
        let mut i = 0;
        while i < storage.vars.len() {
            if let Some((id, prefix, count)) = whole_header(program, param, i) {
                self.line(&format!("{}: header {}", name(&prefix), name(&program.headers[id].name)));
                whole_headers.push(id);
                i += count;
            } else {
                let path = storage.paths.get(i).map_or("", String::as_str);
                self.line(&format!("{}: {}", name(path), var(program, storage.vars[i])));
                i += 1;
            }
        }
        if whole_headers != storage.headers {
            let headers = list(&storage.headers, |id| name(&program.headers[*id].name));
            self.line(&format!("headers {{ {headers} }}"));
        }
        if !storage.stacks.is_empty() {
            let stacks = list(&storage.stacks, |id| name(&program.stacks[*id].name));
            self.line(&format!("stacks {{ {stacks} }}"));
        }
        self.close();
    }
}

/// Returns the header whose variables begin at position `at` of the storage, its path, and the
/// number of its variables.
fn whole_header(program: &Program, param: &Param, at: usize) -> Option<(HeaderId, String, usize)> {
    let storage = &param.storage;
    let id = match program.vars.get(storage.vars[at])?.role {
        VarRole::Field(id) | VarRole::Validity(id) => id,
        _ => return None,
    };
    let vars = default_header_vars(program, program.headers.get(id)?);
    let prefix = storage.paths.get(at)?.strip_suffix(vars[0].1.as_str())?;
    let prefix = if prefix.is_empty() { prefix } else { prefix.strip_suffix('.')? };
    let here = storage.vars[at..].iter().zip(storage.paths.get(at..)?);
    let same = here
        .zip(&vars)
        .filter(|((var, path), (of, field))| **var == *of && **path == qualified_name(prefix, field));
    (same.count() == vars.len()).then(|| (id, prefix.to_owned(), vars.len()))
}
