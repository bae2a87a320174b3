//! The whole script: what the program declares, its code, and the parts that all scripts have.

use std::collections::BTreeSet;

use weir_ir::{Direction, HeaderId, Id, Parser, ParserId, Program, Target, Type, VarId, VarRole};

use crate::Refusal;
use crate::code::Code;
use crate::fields::{field, protocol};
use crate::lua::{Lines, comment, list, quoted};
use crate::names::{Filters, Paths, acceptable};

const RUNTIME: &str = include_str!("runtime.lua");
const SHOW: &str = include_str!("show.lua");

/// Writes the script for a parser.
pub(crate) fn write(program: &Program, parser: ParserId, stem: &str) -> Result<String, Vec<Refusal>> {
    let parser = &program.parsers[parser];
    let mut code = Code::new(program);
    let states = states(&mut code, parser);
    code.refuse_unknown();
    if !code.refusals.is_empty() {
        return Err(code.refusals);
    }
    let protocol = format!("p4_{}", acceptable(stem).replace('.', "_").to_lowercase());
    let declared = Declared { code: &code, parser, protocol: &protocol, filters: Filters::default() };
    let mut script = Lines::default();
    script.add(format!(
        "-- What the parser {} of the P4 program {} extracts.",
        comment(&parser.name),
        comment(stem)
    ));
    script.add("-- `weir compile --dissector` wrote this file; change the program instead.");
    script.add("");
    let first = declared.write(stem);
    Ok([script.finish(), first.0, RUNTIME.to_owned(), first.1, states, SHOW.to_owned()].join("\n"))
}

/// Writes the functions of states and procedures.
fn states(code: &mut Code<'_>, parser: &Parser) -> String {
    let mut lines = Lines::default();
    let name = |target: Target| match target {
        Target::State(id) => quoted(&parser.states[id].name),
        Target::Accept => "true".to_owned(),
        Target::Reject => "false".to_owned(),
    };
    lines.nested("function locals(p)", "end", |lines| {
        lines.add("local v = p.v");
        code.block(&parser.locals, lines);
    });
    for state in parser.states.values() {
        lines.add("");
        let open = format!("states[{}] = function(p)", quoted(&state.name));
        lines.nested(open, "end", |lines| {
            lines.add("local v = p.v");
            code.state(state, name, lines);
        });
    }
    while let Some(id) = code.pending.pop() {
        let procedure = &code.program.procedures[id];
        lines.add("");
        lines.nested(format!("procedures[{}] = function(p)", quoted(&procedure.name)), "end", |lines| {
            lines.add("local v = p.v");
            code.block(&procedure.body, lines);
        });
    }
    lines.add("");
    lines.add(format!("start = {}", quoted(&parser.states[parser.start].name)));
    lines.finish()
}

/// The declarations that precede the code of the script.
struct Declared<'c, 'p> {
    code: &'c Code<'p>,
    parser: &'p Parser,
    protocol: &'c str,
    filters: Filters,
}

impl Declared<'_, '_> {
    /// Writes the code that the runtime needs, and the code that needs the runtime.
    fn write(mut self, stem: &str) -> (String, String) {
        let mut first = Lines::default();
        let title = quoted(&format!("P4 program {stem}"));
        first.add(format!("local program = Proto({}, {title})", quoted(self.protocol)));
        first.add(format!("local errors = {}", list(self.code.program.errors.iter().map(String::as_str))));
        first.add(
            "local headers, stacks, states, procedures, sets, widths, types = {}, {}, {}, {}, {}, {}, {}",
        );
        first.add("local locals, start, in_set");
        first.add("local all_fields = {}");
        first.add("");
        first.nested("local function declare(field)", "end", |lines| {
            lines.add("all_fields[#all_fields + 1] = field");
            lines.add("return field");
        });
        first.add("");
        // These names are chosen before those of headers, which may be the same.
        let fields = [
            ("shown_states", "_states", "Parser states"),
            ("shown_result", "_result", "Result of the parser"),
        ]
        .map(|(variable, path, label)| (variable, self.filter(path), label));
        let mut lines = Lines::default();
        self.headers(&mut lines);
        self.storage(&mut lines);
        self.unknowns(&mut lines);
        for (variable, filter, label) in fields {
            lines.add(format!(
                "local {variable} = declare(ProtoField.string({}, {}))",
                quoted(&filter),
                quoted(label)
            ));
        }
        lines.add("program.fields = all_fields");
        (first.finish(), lines.finish())
    }

    /// Makes the name of a field in Wireshark's filters: the protocol, a dot, and a name that is
    /// unique.
    fn filter(&mut self, path: &str) -> String {
        format!("{}.{}", self.protocol, self.filters.unique(path))
    }

    /// Writes the types of headers, and the headers.
    fn headers(&mut self, lines: &mut Lines) {
        let program = self.code.program;
        let paths = Paths::new(program, self.parser);
        let mut written = BTreeSet::new();
        for id in &self.code.headers {
            let (header, path) = (&program.headers[*id], paths.of(*id));
            let group = self.filters.group(&path, header.ty);
            if written.insert(group.clone()) {
                self.header_type(&group, header.ty, lines);
            }
            lines.add(format!(
                "headers[{}] = {{ label = {}, type = types[{}], valid = {}, vars = {} }}",
                quoted(&header.name),
                quoted(&path),
                quoted(&group),
                quoted(&self.name(header.valid)),
                list(header.fields.iter().map(|var| program.vars[*var].name.as_str())),
            ));
        }
    }

    fn header_type(&mut self, group: &str, ty: Id<weir_ir::HeaderType>, lines: &mut Lines) {
        let program = self.code.program;
        let ty = &program.header_types[ty];
        let own = quoted(&format!("{}.{group}", self.protocol));
        let protocol = protocol(ty).map_or_else(|| "nil".to_owned(), quoted);
        lines.nested(format!("types[{}] = {{", quoted(group)), "}", |lines| {
            lines.add(format!(
                "field = declare(ProtoField.none({own}, {})), protocol = {protocol},",
                quoted(group)
            ));
            lines.nested("fields = {", "},", |lines| {
                for one in &ty.fields {
                    let filter = self.filter(&format!("{group}.{}", one.name));
                    lines.add(format!("{},", field(program, ty, one, &filter)));
                }
            });
        });
    }

    fn name(&self, var: VarId) -> String {
        self.code.program.vars[var].name.clone()
    }

    /// Writes the stacks, and the initial widths of variables. A varbit is empty at first.
    fn storage(&self, lines: &mut Lines) {
        let program = self.code.program;
        let mut vars: BTreeSet<VarId> = self.code.vars.clone();
        for id in &self.code.headers {
            vars.insert(program.headers[*id].valid);
            vars.extend(&program.headers[*id].fields);
        }
        for id in &self.code.stacks {
            let stack = &program.stacks[*id];
            vars.insert(stack.next_index);
            let name = |id: &HeaderId| program.headers[*id].name.as_str();
            lines.add(format!(
                "stacks[{}] = {{ next = {}, elements = {} }}",
                quoted(&stack.name),
                quoted(&self.name(stack.next_index)),
                list(stack.elements.iter().map(name)),
            ));
        }
        for var in vars {
            let width = match program.vars[var].ty {
                Type::Varbit { .. } => 0,
                ty => ty.width(),
            };
            lines.add(format!("widths[{}] = {width}", quoted(&self.name(var))));
        }
    }

    /// Writes the preferences in which users enter the values that captures do not contain: members
    /// of value sets, and metadata from the switch on which the parser's path depends.
    fn unknowns(&self, lines: &mut Lines) {
        let program = self.code.program;
        let mut preferences = Filters::default();
        let mut preference =
            |name: &str| preferences.unique(&acceptable(name).replace('.', "_").to_lowercase());
        for id in &self.code.sets {
            let set = &program.value_sets[*id];
            let key = preference(&set.name);
            let example = vec!["0x1"; set.fields.len()].join(",");
            let help = format!(
                "The members of the value set, separated by spaces, such as {example}; also value&mask, low..high, *"
            );
            lines.add(preference_line(&key, &set.name, "", &help));
            let widths: Vec<String> = set.fields.iter().map(|field| field.width.to_string()).collect();
            lines.add(format!(
                "sets[{}] = {{ name = {}, preference = {}, example = {}, widths = {{ {} }} }}",
                quoted(&set.name),
                quoted(&set.name),
                quoted(&key),
                quoted(&example),
                widths.join(", "),
            ));
        }
        let needed = self.code.needed.all();
        let inputs = self.parser.params.iter().filter(|param| param.direction != Direction::Out);
        let inputs = inputs.flat_map(|param| &param.storage.vars);
        lines.nested("local given = {", "}", |lines| {
            for var in inputs.clone().filter(|var| self.is_input(**var, &needed)) {
                let (name, width) = (self.name(*var), program.vars[*var].ty.width());
                let (name, key) = (quoted(&name), quoted(&preference(&name)));
                lines.add(format!("{{ name = {name}, preference = {key}, width = {width} }},"));
            }
        });
        lines.nested("for _, input in ipairs(given) do", "end", |lines| {
            lines.add("local help = \"Data that the switch passes to the parser, and that captures do not contain\"");
            lines.add("program.prefs[input.preference] = Pref.string(input.name, \"0\", help)");
        });
    }

    fn is_input(&self, var: VarId, needed: &BTreeSet<VarId>) -> bool {
        let declared = &self.code.program.vars[var];
        needed.contains(&var)
            && declared.role == VarRole::Plain
            && !matches!(declared.ty, Type::Varbit { .. })
    }
}

fn preference_line(key: &str, label: &str, value: &str, help: &str) -> String {
    format!(
        "program.prefs[{}] = Pref.string({}, {}, {})",
        quoted(key),
        quoted(label),
        quoted(value),
        quoted(help)
    )
}
