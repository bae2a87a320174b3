//! Programs as text.

mod code;
mod declared;
mod storage;

pub use code::{constant, expr, header_ref, place, stmt, ty};

use std::fmt::Write;

use crate::loc::Loc;
use crate::program::{
    Action, ActionCall, ConstArg, Control, ExternInstance, Package, PackageArg, Parser, Program,
    PropertyValue, Table, Target, Transition, ValueSet,
};

use super::spelling::{name, text};
use code::{declared_args, keyset, list, untyped_constant, var, with_loc};
use declared::{annotations, declared};

/// Prints the whole program as text.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { program, out: String::new(), indent: 0 };
    printer.program();
    printer.out
}

/// The state of printing a program as text.
struct Printer<'a> {
    program: &'a Program,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    /// Prints a line at the current indentation.
    fn line(&mut self, line: &str) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// Prints the line before a block, and indents the lines that follow.
    fn open(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
    }

    /// Ends a block.
    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    /// Writes an empty line between items of different kinds.
    fn separate_items(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Prints the whole program.
    fn program(&mut self) {
        let program = self.program;
        for file in &program.files {
            self.line(&format!("file {}", text(file)));
        }
        if !program.errors.is_empty() {
            self.line(&format!("errors {{ {} }}", list(&program.errors, |error| name(error))));
        }
        if program.atomic {
            self.line("atomic");
        }
        for enumeration in program.enums.values() {
            let members = list(&enumeration.members, |member| name(member));
            self.line(&format!("enum {} {{ {members} }}", name(&enumeration.name)));
        }
        for declared_type in program.declared.values() {
            self.line(&with_loc(declared::declaration(program, declared_type), declared_type.loc));
        }
        for header_type in program.header_types.values() {
            self.separate_items();
            self.open(&format!(
                "header_type {}{}",
                name(&header_type.name),
                annotations(&header_type.annotations)
            ));
            for field in &header_type.fields {
                let (of, annotations) = (declared(program, field.declared), annotations(&field.annotations));
                self.line(&format!("{}: {}{of}{annotations}", name(&field.name), ty(program, field.ty)));
            }
            self.close();
        }
        self.separate_items();
        self.storage();
        self.separate_items();
        program.externs.values().for_each(|instance| self.extern_instance(instance));
        program.value_sets.values().for_each(|set| self.value_set(set));
        program.actions.values().for_each(|action| self.action(action));
        for procedure in program.procedures.values() {
            self.separate_items();
            let outside = procedure.action.as_ref().map_or(String::new(), |action| {
                format!(" as {}{}", name(&action.name), annotations(&action.annotations))
            });
            let head = format!("procedure {}{outside}", name(&procedure.name));
            self.block(&with_loc(head, procedure.loc), &procedure.body);
        }
        program.tables.values().for_each(|table| self.table(table));
        program.parsers.values().for_each(|parser| self.parser(parser));
        program.controls.values().for_each(|control| self.control(control));
        if let Some(package) = &program.main {
            self.separate_items();
            self.package("package", package);
        }
    }

    fn extern_instance(&mut self, instance: &ExternInstance) {
        let mut head = format!("extern {}: {}", name(&instance.name), name(&instance.kind));
        if !instance.type_args.is_empty() {
            let _ = write!(head, "<{}>", list(&instance.type_args, |arg| ty(self.program, *arg)));
        }
        head += &declared_args(self.program, &instance.declared);
        if let Some(factory) = &instance.factory {
            let _ = write!(head, " made_by {}", name(factory));
        }
        let args = list(&instance.args, |arg| self.const_arg(arg));
        let _ = write!(head, "({args}){}", annotations(&instance.annotations));
        if instance.methods.is_empty() {
            return self.line(&with_loc(head, instance.loc));
        }
        self.open(&with_loc(head, instance.loc));
        for method in &instance.methods {
            let procedure = name(&self.program.procedures[method.procedure].name);
            self.open(&format!("method {}: {procedure}", name(&method.name)));
            method.params.iter().for_each(|param| self.param(param));
            if !method.result.is_empty() {
                let result = list(&method.result, |id| var(self.program, *id));
                self.line(&format!("result {{ {result} }}"));
            }
            self.close();
        }
        self.close();
    }

    fn const_arg(&self, arg: &ConstArg) -> String {
        match arg {
            ConstArg::Bits(ty, value) => constant(self.program, *ty, value),
            ConstArg::Text(value) => text(value),
            ConstArg::Extern(id) => format!("extern {}", name(&self.program.externs[*id].name)),
            ConstArg::List(items) => format!("{{{}}}", list(items, |item| self.const_arg(item))),
        }
    }

    fn value_set(&mut self, set: &ValueSet) {
        self.separate_items();
        let head = format!("value_set {}{}", name(&set.name), annotations(&set.annotations));
        self.open(&with_loc(head, set.loc));
        for field in &set.fields {
            let suffix = declared(self.program, field.declared) + &annotations(&field.annotations);
            self.line(&format!("{}: {} {}{suffix}", name(&field.name), field.width, name(&field.match_kind)));
        }
        self.line(&format!("size {}", set.size));
        self.close();
    }

    /// Prints an action.
    fn action(&mut self, action: &Action) {
        self.separate_items();
        let params = list(&action.params, |param| {
            format!(
                "{} = {}{}{}",
                name(&param.name),
                code::var(self.program, param.var),
                declared(self.program, param.declared),
                annotations(&param.annotations)
            )
        });
        let outside =
            action.control_plane.as_ref().map_or(String::new(), |outside| format!(" as {}", name(outside)));
        let head =
            format!("action {}{outside}({params}){}", name(&action.name), annotations(&action.annotations));
        self.block(&with_loc(head, action.loc), &action.body);
    }

    fn action_call(&self, call: &ActionCall) -> String {
        format!("{}({})", name(&self.program.actions[call.action].name), list(&call.args, untyped_constant))
    }

    /// Prints a table.
    fn table(&mut self, table: &Table) {
        let program = self.program;
        self.separate_items();
        self.open(&with_loc(
            format!("table {}{}", name(&table.name), annotations(&table.annotations)),
            table.loc,
        ));
        for key in &table.keys {
            let head =
                format!("key {}: {} {}", name(&key.name), name(&key.match_kind), expr(program, &key.expr));
            let rest = declared(program, key.declared) + &annotations(&key.annotations);
            self.line(&with_loc(head + &rest, key.loc));
        }
        for action in &table.actions {
            let mut head = format!("action {}", name(&program.actions[action.action].name));
            for (word, holds) in [
                (" default_only", action.default_only),
                (" table_only", action.table_only),
                (" group_only", action.group_only),
            ] {
                head += if holds { word } else { "" };
            }
            if let Some(pair) = action.composed {
                let [first, second] = [pair.first, pair.second].map(|id| name(&program.actions[id].name));
                let _ = write!(head, " composed {first} {second}");
            }
            self.line(&(head + &annotations(&action.annotations)));
        }
        let constness = |is_const: bool| if is_const { " const" } else { "" };
        self.line(&format!(
            "default {}{}",
            self.action_call(&table.default_action),
            constness(table.const_default)
        ));
        for entry in &table.entries {
            let keysets = list(&entry.keysets, |set| keyset(program, set));
            let mut head = format!("entry ({keysets}) -> {}", self.action_call(&entry.call));
            if let Some(priority) = entry.priority {
                let _ = write!(head, " priority {priority}");
            }
            head += constness(entry.is_const);
            self.line(&with_loc(head, entry.loc));
        }
        if table.const_entries {
            self.line("const_entries");
        }
        if let Some(size) = table.size {
            self.line(&format!("size {size}"));
        }
        let values = table.properties.iter().map(|(_, value)| match value {
            PropertyValue::Int(value) => value.to_string(),
            PropertyValue::Bool(value) => value.to_string(),
            PropertyValue::Text(value) => text(value),
            PropertyValue::Call(call) => self.action_call(call),
        });
        let values: Vec<String> = values.collect();
        let mut line = |text: String, property: &str| {
            let loc = table.property_locs.get(property).copied().unwrap_or(Loc::NONE);
            self.line(&with_loc(text, loc));
        };
        if let Some(id) = table.implementation {
            line(format!("implementation {}", name(&program.externs[id].name)), "implementation");
        }
        for (property, id) in &table.attached {
            let text = format!("attached {} = {}", name(property), name(&program.externs[*id].name));
            line(text, property);
        }
        for ((property, _), value) in table.properties.iter().zip(values) {
            line(format!("property {} = {value}", name(property)), property);
        }
        self.close();
    }

    /// Prints a parser.
    fn parser(&mut self, parser: &Parser) {
        let program = self.program;
        let target = |target: &Target| match target {
            Target::State(id) => name(&parser.states[*id].name),
            Target::Accept => "accept".into(),
            Target::Reject => "reject".into(),
        };
        self.separate_items();
        self.open(&with_loc(format!("parser {}", name(&parser.name)), parser.loc));
        parser.params.iter().for_each(|param| self.param(param));
        self.line(&format!("start {}", name(&parser.states[parser.start].name)));
        self.block("locals", &parser.locals);
        for state in parser.states.values() {
            self.open(&with_loc(format!("state {}", name(&state.name)), state.loc));
            self.statements(&state.body);
            match &state.transition {
                Transition::Goto(to) => self.line(&format!("-> {}", target(to))),
                Transition::Select { keys, cases, loc } => {
                    let keys = list(keys, |key| expr(program, key));
                    self.open(&with_loc(format!("-> select ({keys})"), *loc));
                    for case in cases {
                        let keysets = list(&case.keysets, |set| keyset(program, set));
                        self.line(&with_loc(format!("({keysets}) -> {}", target(&case.target)), case.loc));
                    }
                    self.close();
                }
            }
            self.close();
        }
        self.close();
    }

    /// Prints a control.
    fn control(&mut self, control: &Control) {
        self.separate_items();
        self.open(&with_loc(format!("control {}", name(&control.name)), control.loc));
        control.params.iter().for_each(|param| self.param(param));
        self.statements(&control.body);
        self.close();
    }

    /// Prints the instance of a package.
    fn package(&mut self, before: &str, package: &Package) {
        let head = format!("{before} {}: {}", name(&package.name), name(&package.kind));
        self.open(&with_loc(head + &annotations(&package.annotations), package.loc));
        for (param, arg) in &package.args {
            let param = name(param);
            match arg {
                PackageArg::Parser(id) => {
                    self.line(&format!("{param} = parser {}", name(&self.program.parsers[*id].name)));
                }
                PackageArg::Control(id) => {
                    self.line(&format!("{param} = control {}", name(&self.program.controls[*id].name)));
                }
                PackageArg::Package(inner) => self.package(&format!("{param} = package"), inner),
                PackageArg::Const(arg) => {
                    let value = self.const_arg(arg);
                    self.line(&format!("{param} = {value}"));
                }
            }
        }
        self.close();
    }
}
