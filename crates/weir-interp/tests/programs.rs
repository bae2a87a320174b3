//! Runs the programs of `tests/programs` with the packets in their comments, and compares the
//! outcomes with those in the comments.
//!
//! A line `//> HEX` gives a packet (`//> trace HEX` one to be traced). The first parser runs over
//! it, then all controls in order, over one state. The lines `//= …` below it hold the outcome: how
//! parsing ended, every variable that is not 0, the emitted bytes. `BLESS=1 cargo test -p
//! weir-interp` rewrites them.
//!
//! Tables contain only the entries that the program declares. `//set NAME 16w7 16w8` fills a value
//! set. Externs: `add(a, b)` returns a sum, `swap(x, y)` exchanges two values, `gather(x)` counts
//! the values of `x`, `fail()` fails an assertion.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files and BLESS")]

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use weir_exec::{Environment, Event, Executor, Fault, Lookup, Value};
use weir_interp::Interpreter;
use weir_ir::*;

struct World<'a> {
    program: &'a Program,
    sets: Vec<(ValueSetId, Bits)>,
    trace: Option<String>,
}

fn keyset_holds(keyset: &Keyset, value: &Bits) -> bool {
    match keyset {
        Keyset::Any => true,
        Keyset::Value(wanted) => value == wanted,
        Keyset::Mask(wanted, mask) => value.and(mask) == wanted.and(mask),
        Keyset::Range(low, high) => value.compare(low, false).is_ge() && value.compare(high, false).is_le(),
        Keyset::Set(_) => panic!("no value sets in entries"),
    }
}

impl Environment for World<'_> {
    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup {
        let table = &self.program.tables[table];
        let entry =
            table.entries.iter().position(|e| e.keysets.iter().zip(keys).all(|(s, v)| keyset_holds(s, v)));
        let call = Arc::new(entry.map_or(&table.default_action, |index| &table.entries[index].call).clone());
        Lookup { hit: entry.is_some(), call, entry: entry.map(|index| index as u64) }
    }

    fn in_value_set(&mut self, set: ValueSetId, keys: &[Bits]) -> bool {
        self.sets.iter().any(|(other, value)| *other == set && [value.clone()] == *keys)
    }

    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        executor: &dyn Executor,
        _: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        assert_eq!(executor.name(), "interp");
        match call.callee.as_str() {
            "add" => Ok(vec![args[0].scalar().unwrap().add(args[1].scalar().unwrap())]),
            "swap" => {
                args.swap(0, 1);
                Ok(vec![])
            }
            "gather" => match &args[0] {
                Value::Bits(values) => Ok(vec![Bits::new(32, values.len() as u128)]),
                other => panic!("gather takes values, not {other:?}"),
            },
            "fail" => Err(Fault::AssertionFailed),
            other => panic!("no extern {other}"),
        }
    }

    fn tracing(&self) -> bool {
        self.trace.is_some()
    }

    fn event(&mut self, event: Event<'_>) {
        let program = self.program;
        let line = match event {
            Event::State(parser, state) => format!("state {}", program.parsers[parser].states[state].name),
            Event::Extracted(header, values, loc) => {
                format!("{}: extracted {}{values:?}", loc.line, program.headers[header].name)
            }
            Event::Transition(parser, target, keys, loc) => match target {
                Target::State(state) => {
                    format!("{}: {keys:?} to {}", loc.line, program.parsers[parser].states[state].name)
                }
                other => format!("{}: {keys:?} to {other:?}", loc.line),
            },
            Event::ParserError(error, loc) => {
                format!("{}: parser error {}", loc.line, program.errors[error as usize])
            }
            Event::Applied { table, keys, found, loc } => {
                let name = &program.tables[table].name;
                format!(
                    "{}: applied {name} to {keys:?}, hit {}, entry {:?}",
                    loc.line, found.hit, found.entry
                )
            }
            Event::Action(action, args) => format!("action {}{args:?}", program.actions[action].name),
            Event::ActionEnded => "action ended".to_owned(),
            Event::Assigned { var, old, new, loc } => {
                format!("{}: {} from {old:#} to {new:#}", loc.line, program.vars[var].name)
            }
            Event::AssignedInvalid(var, value, loc) => {
                format!("{}: {} = {value:#}, invalid", loc.line, program.vars[var].name)
            }
            Event::Validity(header, valid, loc) => {
                format!("{}: {} valid {valid}", loc.line, program.headers[header].name)
            }
            Event::Branch(taken, loc) => format!("{}: branch {taken}", loc.line),
            Event::Switched(value, case, loc) => format!("{}: switch {value:?}, case {case}", loc.line),
            Event::Called(call, args, loc) => format!("{}: called {} with {args:?}", loc.line, call.callee),
            Event::Returned => "returned".to_owned(),
            Event::Emitted(header, values, loc) => {
                format!("{}: emitted {}{values:?}", loc.line, program.headers[header].name)
            }
        };
        if let Some(trace) = &mut self.trace {
            let _ = writeln!(trace, "{line}");
        }
    }
}

fn bytes_from_hex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| {
            c.to_digit(16).unwrap_or_else(|| panic!("`{c}` in `{hex}` is not a hexadecimal digit")) as u8
        })
        .collect();
    assert_eq!(digits.len() % 2, 0, "half a byte in `{hex}`");
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn run(program: &ValidProgram, sets: &[(ValueSetId, Bits)], packet: &[u8], trace: bool) -> String {
    let interpreter = Interpreter::new(program.clone());
    let mut state = interpreter.layout().state();
    let mut world = World { program, sets: sets.to_vec(), trace: trace.then(String::new) };
    let mut out = String::new();
    if !program.parsers.is_empty() {
        let parsed = interpreter.parse(Id::new(0), packet, &mut state, &mut world);
        let end = if parsed.accepted { "accept" } else { "reject" };
        let error = &program.errors[parsed.error as usize];
        let _ = writeln!(out, "{end} {error}, {} bytes", parsed.consumed);
        if let Some(fault) = parsed.fault {
            let _ = writeln!(out, "parser fault {fault:?}");
        }
    }
    let mut emitted = Vec::new();
    for (id, control) in program.controls.iter() {
        if let Err(fault) = interpreter.control(id, &mut state, &mut emitted, &mut world) {
            let _ = writeln!(out, "{} fault {fault:?}", control.name);
        }
    }
    for (id, var) in program.vars.iter() {
        let value = interpreter.layout().get(&state, id);
        if !value.is_zero() || matches!(var.ty, Type::Varbit { .. }) && value.width() > 0 {
            let _ = writeln!(out, "{} = {}", var.name, text::constant(program, var.ty, &value));
        }
    }
    if !emitted.is_empty() {
        let hex: String = emitted.iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(out, "out {hex}");
    }
    world.trace.unwrap_or_default() + &out
}

/// Returns the file with every current outcome.
fn update_outcomes(path: &Path, source: &str) -> String {
    let program = text::parse(source).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
    let again = text::parse(&text::print(&program)).unwrap_or_else(|error| panic!("printed {error}"));
    assert_eq!(again, program, "{} reads back differently", path.display());
    let program =
        validate(program).unwrap_or_else(|violations| panic!("{}: {}", path.display(), violations[0]));
    let mut sets = Vec::new();
    let mut out = String::new();
    for line in source.lines().filter(|line| !line.starts_with("//=")) {
        let _ = writeln!(out, "{line}");
        if let Some(set) = line.strip_prefix("//set ") {
            let (name, values) = set.split_once(' ').expect("a name and values");
            let (id, of) = program.value_sets.iter().find(|(_, s)| s.name == name).expect("a value set");
            for value in values.split(' ') {
                let (_, value) = value.split_once('w').expect("a constant");
                sets.push((id, Bits::new(of.fields[0].width, value.parse().expect("a number"))));
            }
        } else if let Some(packet) = line.strip_prefix("//>") {
            let packet = packet.trim();
            let (trace, hex) = packet.strip_prefix("trace").map_or((false, packet), |hex| (true, hex));
            for outcome in run(&program, &sets, &bytes_from_hex(hex), trace).lines() {
                let _ = writeln!(out, "//= {outcome}");
            }
        }
    }
    out
}

#[test]
fn programs_have_their_expected_results() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 5, "the programs are missing");
    for path in paths {
        let source = std::fs::read_to_string(&path).unwrap();
        let now = update_outcomes(&path, &source);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, now).unwrap();
        } else {
            let first = now.lines().zip(source.lines()).position(|(a, b)| a != b);
            assert!(
                now == source,
                "{}: the outcome differs from what the file says, first at line {:?}; if it is right now, run with BLESS=1\n{now}",
                path.display(),
                first.map(|line| line + 1),
            );
        }
    }
}
