//! The test architecture of `testdata/lower/pipe.p4`: the behaviour of its externs, and the values
//! that its blocks pass on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_compiler::CompileResult;
use weir_exec::{Environment, Executor, Fault, Lookup, Value};
use weir_interp::Interpreter;
use weir_ir::*;
use weir_syntax::preprocess::{LoadError, LoadedSource, MemoryLoader, SourceLoader};

pub fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lower")
}

/// Returns the files of a folder of `testdata/lower` with an extension, sorted.
pub fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = testdata().join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "p4"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no programs in {}", folder.display());
    paths
}

/// Finds includes in `p4include` and `testdata/lower`.
struct Folders(PathBuf);

impl SourceLoader for Folders {
    fn load(&self, name: &str, _: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folders = [self.0.clone(), testdata(), root.join("p4include")];
        for folder in &folders {
            if let Ok(text) = std::fs::read_to_string(folder.join(name)) {
                return Ok(LoadedSource { name: name.to_string(), text });
            }
        }
        let _ = from;
        Err(LoadError::NotFound { searched: Vec::new() })
    }
}

/// Returns a loader for a program in memory and the files that it includes.
pub fn loader(source: &str) -> MemoryLoader {
    let read = |path: &str| std::fs::read_to_string(testdata().join(path)).unwrap();
    MemoryLoader::new()
        .with("main.p4", source)
        .with("pipe.p4", read("pipe.p4"))
        .with("core.p4", read("../../p4include/core.p4"))
}

/// Compiles a program, with warnings.
pub fn compile(root: &str, loader: &dyn SourceLoader) -> CompileResult {
    weir_lint::analyse(root, loader, &[]).lower_with_main()
}

/// Compiles a program of `testdata/lower`.
pub fn compile_file(path: &Path) -> CompileResult {
    let folder = path.parent().unwrap().to_path_buf();
    compile(path.file_name().unwrap().to_str().unwrap(), &Folders(folder))
}

/// Returns the IR of a program in a file; if there is none, its path and its diagnostics.
pub fn lowered(path: &Path) -> Result<ValidProgram, String> {
    let result = compile_file(path);
    let diagnostics = || result.diagnostics.render(&result.source_map, false);
    result.program.ok_or_else(|| format!("{}:\n{}", path.display(), diagnostics()))
}

struct World<'a> {
    program: &'a Program,
    log: Vec<String>,
    cells: Vec<Bits>,
    next: u128,
}

impl World<'_> {
    fn new(program: &Program) -> World<'_> {
        let cells = program
            .externs
            .values()
            .map(|cell| match cell.args.first() {
                Some(ConstArg::Bits(_, bits)) => bits.clone(),
                _ => Bits::zero(8),
            })
            .collect();
        World { program, log: Vec::new(), cells, next: 0 }
    }

    fn note(&mut self, values: &[Value]) {
        for value in values {
            match value {
                Value::Bits(bits) => {
                    self.log.extend(bits.iter().map(|bits| format!("{:x}", bits.to_biguint())));
                }
                Value::Text(text) => self.log.push(format!("{text:?}")),
                Value::Extern(id) => self.log.push(self.program.externs[*id].name.clone()),
            }
        }
    }
}

fn matches(keyset: &Keyset, value: &Bits) -> bool {
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
        let fits =
            |entry: &Entry| entry.keysets.iter().zip(keys).all(|(keyset, value)| matches(keyset, value));
        let length = |entry: &Entry| -> u32 {
            let ones = |mask: &Bits| mask.to_biguint().count_ones() as u32;
            let bits = |keyset: &Keyset| match keyset {
                Keyset::Value(value) => value.width(),
                Keyset::Mask(_, mask) => ones(mask),
                _ => 0,
            };
            entry.keysets.iter().map(bits).sum()
        };
        let entry =
            (0..table.entries.len()).filter(|&index| fits(&table.entries[index])).max_by_key(|&index| {
                let entry = &table.entries[index];
                (entry.priority, length(entry), std::cmp::Reverse(index))
            });
        let call = Arc::new(entry.map_or(&table.default_action, |index| &table.entries[index].call).clone());
        Lookup { hit: entry.is_some(), call, entry: entry.map(|index| index as u64) }
    }

    /// Returns whether a value set contains the keys. Every value set contains only the value 7 (or
    /// 7 in each member).
    fn in_value_set(&mut self, _: ValueSetId, keys: &[Bits]) -> bool {
        keys.iter().all(|key| key.to_u64() == Some(7))
    }

    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        _: &dyn Executor,
        _: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        let cell = call.instance.map(Id::index);
        Ok(match call.callee.as_str() {
            "note" => {
                self.note(args);
                call.result.iter().map(|_| args[0].scalar().unwrap().clone()).collect()
            }
            "show" | "message" => {
                self.note(args);
                vec![]
            }
            "next" => {
                self.next += 1;
                args[0] = Value::Bits(vec![Bits::new(8, self.next)]);
                vec![]
            }
            "forge" => {
                if let Value::Bits(bits) = &mut args[0] {
                    *bits = bits.iter().map(|bits| Bits::ones(bits.width())).collect();
                }
                vec![]
            }
            "forged" => {
                call.result.iter().map(|var| Bits::ones(self.program.vars[*var].ty.width())).collect()
            }
            "mix" => {
                let sum = args[0].scalar().unwrap().add(args[1].scalar().unwrap());
                args[0] = Value::Bits(vec![sum]);
                vec![]
            }
            "bump" => {
                args[0] = Value::Bits(vec![args[0].scalar().unwrap().add(&Bits::new(8, 1))]);
                vec![]
            }
            "swap" => {
                args.swap(0, 1);
                vec![]
            }
            "cell.get" => call.result.iter().map(|_| self.cells[cell.unwrap()].clone()).collect(),
            "cell.set" => {
                self.cells[cell.unwrap()] = args[0].scalar().unwrap().clone();
                vec![]
            }
            other => panic!("no extern {other}"),
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn copy(layout: &Layout, state: &mut State, from: &[Param], to: &[Param]) {
    for (from, to) in from.iter().zip(to) {
        assert_eq!(from.storage.paths, to.storage.paths);
        for (from, to) in from.storage.vars.iter().zip(&to.storage.vars) {
            let value = layout.get(state, *from);
            layout.set(state, *to, &value);
        }
    }
}

/// Sends a packet through a program of the architecture. Returns the log of its externs, and the
/// output packet or the error.
pub fn run(program: &ValidProgram, packet: &[u8]) -> Vec<String> {
    let executor = Interpreter::new(program.clone());
    let layout = executor.layout();
    let mut state = layout.state();
    let mut world = World::new(program);
    let mut output = Vec::new();
    let main = program.main.as_ref().unwrap();
    let [
        (_, PackageArg::Parser(parser)),
        (_, PackageArg::Control(control)),
        (_, PackageArg::Control(deparser)),
    ] = main.args.as_slice()
    else {
        panic!("not the package of pipe.p4");
    };
    let parsed = executor.parse(*parser, packet, &mut state, &mut world);
    let mut outcome = Vec::new();
    if parsed.accepted {
        let control_params = &program.controls[*control].params;
        copy(layout, &mut state, &program.parsers[*parser].params, control_params);
        let mut nothing = Vec::new();
        executor.control(*control, &mut state, &mut nothing, &mut world).unwrap();
        copy(layout, &mut state, control_params, &program.controls[*deparser].params);
        executor.control(*deparser, &mut state, &mut output, &mut world).unwrap();
        output.extend_from_slice(&packet[parsed.consumed..]);
        outcome.push(format!("out {}", hex(&output)));
    } else {
        outcome.push(format!("reject {}", program.errors[parsed.error as usize]));
    }
    if !world.log.is_empty() {
        outcome.insert(0, format!("log {}", world.log.join(" ")));
    }
    outcome
}
