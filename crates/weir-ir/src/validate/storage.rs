//! Types, variables, headers, stacks, errors and the uniqueness of names.

use crate::core_errors::CoreErrors;
use crate::loc::Loc;
use crate::program::{ConstArg, VarId, VarRole};
use crate::types::{MAX_STATE_WORDS, Type};

use super::Validator;

impl Validator<'_> {
    /// Checks types, variables, headers and externs.
    pub(super) fn storage(&mut self) {
        self.names();
        self.types();
        self.declared();
        self.roles();
        self.externs();
        if !self.program.parsers.is_empty() {
            self.enter("", Loc::NONE);
            let errors = &self.program.errors;
            self.check(errors.first().is_some_and(|error| error == "NoError"), |_| {
                "the first error is not `NoError`".into()
            });
            for name in &CoreErrors::NAMES[1..] {
                self.check(errors.iter().any(|error| error == name), |_| {
                    format!("the error `{name}` is not declared, which parsers need")
                });
            }
        }
    }

    /// Checks that names are unique.
    fn names(&mut self) {
        self.enter("", Loc::NONE);
        let program = self.program;
        self.unique(program.errors.iter().map(String::as_str), "errors");
        self.unique(program.enums.values().map(|e| e.name.as_str()), "enumerations");
        self.unique(program.header_types.values().map(|t| t.name.as_str()), "header types");
        self.unique(program.vars.values().map(|v| v.name.as_str()), "variables");
        self.unique(program.headers.values().map(|h| h.name.as_str()), "headers");
        self.unique(program.stacks.values().map(|s| s.name.as_str()), "stacks");
        self.unique(program.externs.values().map(|e| e.name.as_str()), "extern objects");
        self.unique(program.value_sets.values().map(|s| s.name.as_str()), "value sets");
        self.unique(program.actions.values().map(|a| a.name.as_str()), "actions");
        self.unique(program.procedures.values().map(|p| p.name.as_str()), "procedures");
        self.unique(program.tables.values().map(|t| t.name.as_str()), "tables");
        self.unique(program.parsers.values().map(|p| p.name.as_str()), "parsers");
        self.unique(program.controls.values().map(|c| c.name.as_str()), "controls");
        for enumeration in program.enums.values() {
            self.enter(&enumeration.name, Loc::NONE);
            self.unique(enumeration.members.iter().map(String::as_str), "members");
        }
    }

    /// Checks that a type is not too wide.
    pub(super) fn width(&mut self, ty: Type) {
        self.check(ty.width() <= ty.max_width(), |program| {
            format!("{} is wider than {} bits", crate::text::ty(program, ty), ty.max_width())
        });
    }

    /// Checks the header types and enums.
    fn types(&mut self) {
        for header_type in self.program.header_types.values() {
            self.enter(&header_type.name, Loc::NONE);
            self.unique(header_type.fields.iter().map(|f| f.name.as_str()), "fields");
            for field in &header_type.fields {
                self.width(field.ty);
                match field.ty {
                    Type::Bool | Type::Bits { .. } | Type::Varbit { .. } => {}
                    Type::Error | Type::Enum(_) => {
                        let ty = self.ty(field.ty);
                        self.fail(format!("the field `{}` is {ty}, which no header can hold", field.name));
                    }
                }
            }
        }
        for var in self.program.vars.values() {
            self.enter(&var.name, var.loc);
            self.width(var.ty);
        }
        self.enter("", Loc::NONE);
        let words: u64 = self.program.vars.values().map(|var| u64::from(var.ty.state_words())).sum();
        self.check(words <= MAX_STATE_WORDS, |_| {
            format!("the variables take {words} words, more than {MAX_STATE_WORDS}")
        });
        for set in self.program.value_sets.values() {
            self.enter(&set.name, set.loc);
            self.check(!set.fields.is_empty(), |_| "the value set has no fields".into());
            for field in &set.fields {
                self.width(Type::bit(field.width));
            }
        }
    }

    /// Checks that headers and stacks consist of variables with the right roles, and that every
    /// variable with a role is part of exactly one.
    fn roles(&mut self) {
        let program = self.program;
        let mut parts = vec![0u32; program.vars.len()];
        for (id, header) in program.headers.iter() {
            self.enter(&header.name, program.vars[header.valid].loc);
            let layout = &program.header_types[header.ty];
            self.check(header.fields.len() == layout.fields.len(), |_| {
                format!(
                    "the header has {} fields, its type `{}` {}",
                    header.fields.len(),
                    layout.name,
                    layout.fields.len()
                )
            });
            for (var, field) in header.fields.iter().zip(&layout.fields) {
                parts[var.index()] += 1;
                self.check_part(*var, field.ty, VarRole::Field(id));
            }
            parts[header.valid.index()] += 1;
            self.check_part(header.valid, Type::Bool, VarRole::Validity(id));
        }
        let mut places = vec![0u32; program.headers.len()];
        for (id, stack) in program.stacks.iter() {
            self.enter(&stack.name, program.vars[stack.next_index].loc);
            self.check(!stack.elements.is_empty(), |_| "the stack has no elements".into());
            parts[stack.next_index.index()] += 1;
            self.check_part(stack.next_index, Type::bit(32), VarRole::NextIndex(id));
            for element in &stack.elements {
                let header = &program.headers[*element];
                places[element.index()] += 1;
                self.check(places[element.index()] == 1, |_| {
                    format!("the element `{}` is in two places of stacks", header.name)
                });
                self.check(header.ty == program.headers[stack.elements[0]].ty, |_| {
                    format!("the element `{}` has another type than the first", header.name)
                });
            }
        }
        self.unions();
        for (id, var) in program.vars.iter() {
            self.enter(&var.name, var.loc);
            let expected = u32::from(var.role != VarRole::Plain);
            self.check(parts[id.index()] <= 1, |_| "the variable is part of two headers or stacks".into());
            self.check(parts[id.index()] >= expected, |_| {
                "the variable has the role of a part of a header or stack that does not have it".into()
            });
        }
    }

    /// Checks that every header is a member of the union that it names exactly once, and of no
    /// other union.
    fn unions(&mut self) {
        let program = self.program;
        let mut places = vec![0u32; program.headers.len()];
        for (id, union) in program.unions.iter() {
            for member in &union.members {
                let header = &program.headers[*member];
                self.enter(&header.name, program.vars[header.valid].loc);
                places[member.index()] += 1;
                self.check(places[member.index()] == 1, |_| "the header is in two places of unions".into());
                self.check(header.union == Some(id), |_| {
                    "the header is a member of another union than it names".into()
                });
            }
        }
        for (id, header) in program.headers.iter().filter(|(_, header)| header.union.is_some()) {
            self.enter(&header.name, program.vars[header.valid].loc);
            self.check(places[id.index()] > 0, |_| {
                "the header is not a member of the union that it names".into()
            });
        }
    }

    fn check_part(&mut self, id: VarId, ty: Type, role: VarRole) {
        let var = &self.program.vars[id];
        self.check(var.ty == ty, |program| {
            let (is, asked) = (crate::text::ty(program, var.ty), crate::text::ty(program, ty));
            format!("`{}` is {is}, not {asked}", var.name)
        });
        self.check(var.role == role, |_| format!("`{}` has another role than its place here", var.name));
    }

    /// Checks the extern instances.
    fn externs(&mut self) {
        for instance in self.program.externs.values() {
            self.enter(&instance.name, instance.loc);
            instance.type_args.iter().for_each(|ty| self.width(*ty));
            instance.args.iter().for_each(|arg| self.const_arg(arg));
            instance.methods.iter().for_each(|method| self.params(&method.params));
        }
    }

    pub(super) fn const_arg(&mut self, arg: &ConstArg) {
        match arg {
            ConstArg::Bits(ty, value) => self.check_constant(value, *ty, "the argument"),
            ConstArg::List(items) => items.iter().for_each(|item| self.const_arg(item)),
            ConstArg::Text(_) | ConstArg::Extern(_) => {}
        }
    }
}
