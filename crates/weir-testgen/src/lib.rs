//! Valid programs out of arbitrary bytes, for property tests and for comparing executors.
//!
//! The same bytes always give the same program, any bytes give one, and fewer bytes give smaller ones, so that a property
//! test's shrinking leads to small programs. Loops and parsers end soon.

mod code;
mod path;
mod pipeline;

pub use pipeline::pipeline;

use weir_ir::Bits;
use weir_ir::Block;
use weir_ir::CoreErrors;
use weir_ir::Id;
use weir_ir::Loc;
use weir_ir::storage::{NEXT, VALID, join};
use weir_ir::{
    Action, ActionCall, ActionParam, ActionRef, Entry, Key, PropertyValue, Table, ValueSet, ValueSetField,
};
use weir_ir::{
    Annotation, AnnotationArg, AnnotationValue, ConstArg, Control, Direction, ExternInstance, Keyset,
    Package, PackageArg, Param, Parser, ParserState, ParserStateId, Procedure, Program, SelectCase, Storage,
    Target, Transition, ValueSetId, VarId,
};
use weir_ir::{Enumeration, HeaderField, HeaderType, Type};

/// Widths that matter: one bit, less than a byte, bytes, words, more than one and two words, more than 128 bits, none, the most.
const WIDTHS: [u32; 16] = [8, 1, 16, 32, 7, 48, 13, 64, 65, 128, 129, 200, 0, 33, 100, 2048];

/// A valid program made of `entropy`. Its parser is the first parser; its controls are to run in order, the last emits.
/// It calls the externs `count(in …) -> bit<32>`, `touch(inout …)`, and `verify` and `update` with arguments like those of checksums.
pub fn program(entropy: &[u8]) -> Program {
    let mut maker = Maker { entropy, at: 0, program: Program::default() };
    maker.types();
    maker.storage();
    maker.externs();
    maker.actions();
    maker.tables();
    maker.procedures();
    maker.blocks();
    maker.program
}

struct Maker<'a> {
    entropy: &'a [u8],
    at: usize,
    program: Program,
}

impl Maker<'_> {
    /// A choice among `count`; 0 once the entropy is used up.
    fn below(&mut self, count: usize) -> usize {
        let byte = self.entropy.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % count.max(1)
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn bits(&mut self, width: u32) -> Bits {
        match self.below(4) {
            0 => Bits::new(width, self.below(256) as u128),
            1 => Bits::ones(width),
            2 => Bits::zero(width),
            _ => {
                let bytes: Vec<u8> = (0..width.div_ceil(8)).map(|_| self.below(256) as u8).collect();
                Bits::from_be_bytes(width, &bytes)
            }
        }
    }

    fn loc(&mut self) -> Loc {
        match self.below(3) {
            0 => Loc::NONE,
            file => Loc {
                file: file as u32 - 1,
                line: self.below(200) as u32 + 1,
                column: self.below(80) as u32 + 1,
            },
        }
    }

    fn annotations(&mut self) -> Vec<Annotation> {
        let values = [
            AnnotationValue::Text("a \"text\"\n".into()),
            AnnotationValue::Int((-7).into()),
            AnnotationValue::Bool(true),
        ];
        (0..self.below(3))
            .map(|i| {
                let args = values[..self.below(4)].iter().enumerate();
                let args = args
                    .map(|(i, value)| AnnotationArg {
                        key: (i == 1).then(|| "key".into()),
                        value: value.clone(),
                    })
                    .collect();
                Annotation { name: ["name", "field_list"][i].into(), args }
            })
            .collect()
    }

    fn types(&mut self) {
        let program = &mut self.program;
        program.files = vec!["a.p4".into(), "dir/b \"c\".p4".into()];
        program.errors = CoreErrors::NAMES.iter().chain(&["Custom"]).map(|name| (*name).to_owned()).collect();
        program.enums.push(Enumeration {
            name: "color".into(),
            members: vec!["red".into(), "table".into(), "blue".into()],
        });
        for (i, varbit) in [(0, false), (1, false), (2, true)] {
            let count = self.below(5) + 1;
            let mut fields: Vec<_> = (0..count)
                .map(|field| {
                    let width = self.pick(&WIDTHS);
                    let ty = match self.below(4) {
                        0 | 1 => Type::bit(width),
                        2 => Type::int(width),
                        _ => Type::Bool,
                    };
                    HeaderField { name: format!("f{field}"), ty, annotations: self.annotations() }
                })
                .collect();
            if self.below(2) == 0 {
                let at = self.below(count + 1);
                fields.insert(
                    at,
                    HeaderField { name: "sum".into(), ty: Type::bit(16), annotations: Vec::new() },
                );
            }
            let bits: u32 = fields.iter().map(|field| field.ty.width()).sum();
            if !bits.is_multiple_of(8) && !self.chance(4) {
                // Most headers of real programs are whole bytes.
                let ty = Type::bit(bits.next_multiple_of(8) - bits);
                fields.push(HeaderField { name: "spare".into(), ty, annotations: Vec::new() });
            }
            if varbit {
                let max = self.pick(&WIDTHS);
                fields.push(HeaderField {
                    name: "rest".into(),
                    ty: Type::Varbit { max },
                    annotations: Vec::new(),
                });
            }
            let annotations = self.annotations();
            self.program.header_types.push(HeaderType { name: format!("h{i}_t"), fields, annotations });
        }
    }

    fn storage(&mut self) {
        for width in WIDTHS {
            self.program.add_var(format!("meta.u{width}"), Type::bit(width), Loc::NONE);
            if self.chance(3) {
                let loc = self.loc();
                let id = self.program.add_var(format!("int {width}"), Type::int(width), loc);
                self.program.vars[id].annotations = self.annotations();
            }
        }
        let kinds = [
            ("flag", Type::Bool),
            ("color", Type::Enum(Id::new(0))),
            ("error", Type::Error),
            ("b", Type::Bool),
            ("meta.rest", self.varbit()),
            ("rest", self.varbit()),
        ];
        for (name, ty) in kinds {
            self.program.add_var(name, ty, Loc::NONE);
        }
        for i in 0..self.below(4) + 1 {
            let ty = Id::new(self.below(3));
            let loc = self.loc();
            self.program.add_header(&format!("hdr.h{i}"), ty, loc);
        }
        for i in 0..self.below(2) + 1 {
            let ty = Id::new(self.below(2));
            let size = self.below(3) as u32 + 1;
            let loc = self.loc();
            self.program.add_stack(&format!("hdr.s{i}"), ty, size, loc);
        }
    }

    fn externs(&mut self) {
        let loc = self.loc();
        let args = vec![
            ConstArg::Bits(Type::bit(32), self.bits(32)),
            ConstArg::Text("x".into()),
            ConstArg::List(vec![ConstArg::Bits(Type::Bool, Bits::bool(true))]),
        ];
        let annotations = self.annotations();
        let type_args = vec![Type::bit(48), Type::Enum(Id::new(0))];
        let name = "C.reg".into();
        let factory = self.chance(2).then(|| "make".into());
        self.program.externs.push(ExternInstance {
            name,
            kind: "register".into(),
            type_args,
            factory,
            args,
            methods: Vec::new(),
            annotations,
            loc,
        });
        let fields = vec![
            ValueSetField { name: "a".into(), width: 8, match_kind: "exact".into() },
            ValueSetField { name: "b".into(), width: 16, match_kind: "ternary".into() },
        ];
        let annotations = self.annotations();
        self.program.value_sets.push(ValueSet { name: "P.set".into(), fields, size: 4, annotations, loc });
    }

    fn actions(&mut self) {
        for i in 0..self.below(3) + 1 {
            let params = (0..self.below(3))
                .map(|param| {
                    let ty = self.scalar();
                    let name = format!("p{param}");
                    let var = self.program.add_var(format!("C.a{i}.{name}"), ty, Loc::NONE);
                    ActionParam { name, var, annotations: self.annotations() }
                })
                .collect();
            let loc = self.loc();
            let annotations = self.annotations();
            let body = self.body(2, false);
            let control_plane = self.chance(3).then(|| format!("C.outside {i}"));
            let name = format!("C.a{i}");
            self.program.actions.push(Action { name, control_plane, params, body, annotations, loc });
        }
        let loc = self.loc();
        let body = self.body(2, false);
        self.program.procedures.push(Procedure { name: "helper".into(), body, loc });
    }

    /// Procedures that call what was made before: one for controls, which applies tables, and one for parsers.
    fn procedures(&mut self) {
        let loc = self.loc();
        let body = self.body(2, true);
        self.program.procedures.push(Procedure { name: "outer".into(), body, loc });
        let body = self.parser_body();
        self.program.procedures.push(Procedure { name: "reader".into(), body, loc });
    }

    /// The type of the varbit fields.
    fn varbit(&self) -> Type {
        let fields = self.program.header_types.values().flat_map(|layout| &layout.fields);
        fields.map(|field| field.ty).find(|ty| matches!(ty, Type::Varbit { .. })).unwrap_or(Type::Bool)
    }

    fn scalar(&mut self) -> Type {
        let width = self.pick(&WIDTHS);
        match self.below(6) {
            0..=2 => Type::bit(width),
            3 => Type::int(width),
            4 => Type::Bool,
            _ => Type::Enum(Id::new(0)),
        }
    }

    fn action_call(&mut self) -> ActionCall {
        let action = Id::new(self.below(self.program.actions.len()));
        let types: Vec<Type> =
            self.program.actions[action].params.iter().map(|param| self.program.vars[param.var].ty).collect();
        let args = types.into_iter().map(|ty| self.value(ty)).collect();
        ActionCall { action, args }
    }

    fn tables(&mut self) {
        for i in 0..self.below(2) + 1 {
            let keys: Vec<Key> = (0..self.below(3))
                .map(|key| {
                    let ty = self.scalar();
                    let match_kind = self.pick(&["exact", "ternary", "range"]).to_owned();
                    let name = format!("key {key}");
                    Key {
                        name,
                        expr: self.expr(ty, 1),
                        match_kind,
                        annotations: self.annotations(),
                        loc: self.loc(),
                    }
                })
                .collect();
            let actions = self.program.actions.iter().map(|(action, _)| action).collect::<Vec<_>>();
            let actions = actions
                .into_iter()
                .map(|action| ActionRef {
                    action,
                    default_only: false,
                    table_only: false,
                    annotations: self.annotations(),
                })
                .collect();
            let entries = (0..self.below(4))
                .map(|_| Entry {
                    keysets: keys.iter().map(|key| self.keyset(key.expr.ty)).collect(),
                    call: self.action_call(),
                    priority: [None, Some(7)][self.below(2)],
                    is_const: self.chance(2),
                    loc: self.loc(),
                })
                .collect();
            let table = Table {
                name: format!("C.t{i}"),
                keys,
                actions,
                default_action: self.action_call(),
                const_default: self.chance(2),
                entries,
                const_entries: self.chance(2),
                size: [None, Some(1024)][self.below(2)],
                implementation: [None, Some(Id::new(0))][self.below(2)],
                attached: if self.chance(2) { vec![("counters".into(), Id::new(0))] } else { Vec::new() },
                properties: vec![("support_timeout".into(), PropertyValue::Bool(true))],
                annotations: self.annotations(),
                loc: self.loc(),
            };
            self.program.tables.push(table);
        }
    }

    fn keyset(&mut self, ty: Type) -> Keyset {
        let width = ty.width();
        match self.below(4) {
            0 => Keyset::Any,
            1 => Keyset::Value(self.value(ty)),
            2 => Keyset::Mask(self.bits(width), self.bits(width)),
            _ => Keyset::Range(self.bits(width), self.bits(width)),
        }
    }

    /// A parameter with all of `meta` and `hdr`.
    fn params(&self) -> Vec<Param> {
        let program = &self.program;
        let mut meta = Storage::default();
        for (id, var) in program.vars.iter() {
            if let Some(path) = var.name.strip_prefix("meta.") {
                meta.vars.push(id);
                meta.paths.push(path.to_owned());
            }
        }
        let below = |name: &str| name.strip_prefix("hdr.").unwrap_or(name).to_owned();
        let mut hdr = Storage::default();
        for (id, header) in program.headers.iter() {
            hdr.vars.push(header.valid);
            hdr.paths.push(join(&below(&header.name), VALID));
            for field in &header.fields {
                hdr.vars.push(*field);
                hdr.paths.push(below(&program.vars[*field].name));
            }
            hdr.headers.push(id);
        }
        for (id, stack) in program.stacks.iter() {
            hdr.vars.push(stack.next_index);
            hdr.paths.push(join(&below(&stack.name), NEXT));
            hdr.stacks.push(id);
        }
        [("hdr", hdr), ("meta", meta)]
            .into_iter()
            .map(|(name, storage)| Param {
                name: name.into(),
                direction: Direction::InOut,
                type_name: format!("{name}_t"),
                storage,
            })
            .collect()
    }

    fn blocks(&mut self) {
        let params = self.params();
        let parser = self.parser(params.clone());
        self.program.parsers.push(parser);
        let checksum = if self.below(2) == 0 { self.checksummed() } else { None };
        let mut bodies = Vec::new();
        if let Some(header) = checksum {
            bodies.push(("V", Block(vec![self.checksum_of(header, false)])));
        }
        let mut body = self.body(6, true);
        if let Some(header) = checksum
            && self.below(2) == 0
        {
            let change = self.change_of(header);
            body.0.insert(0, change);
        }
        bodies.push(("C", body));
        if self.chance(2) {
            bodies.push(("E", self.body(4, true)));
        }
        if let Some(header) = checksum {
            bodies.push(("U", Block(vec![self.checksum_of(header, true)])));
        }
        bodies.push(("D", self.emits()));
        for (name, body) in bodies {
            let loc = self.loc();
            self.program.controls.push(Control { name: name.into(), params: params.clone(), body, loc });
        }
        let deparser = Id::new(self.program.controls.len() - 1);
        let loc = self.loc();
        let inner = Package {
            kind: "Inner".into(),
            name: "inner".into(),
            args: vec![("d".into(), PackageArg::Control(deparser))],
            annotations: self.annotations(),
            loc,
        };
        let args = vec![
            ("p".into(), PackageArg::Parser(Id::new(0))),
            ("c".into(), PackageArg::Control(Id::new(0))),
            ("inner".into(), PackageArg::Package(Box::new(inner))),
            ("k".into(), PackageArg::Const(ConstArg::Extern(Id::new(0)))),
        ];
        self.program.main =
            Some(Package { kind: "Box".into(), name: "main".into(), args, annotations: Vec::new(), loc });
    }

    /// A parser whose states lead forwards, or back to themselves behind something that moves on.
    fn parser(&mut self, params: Vec<Param>) -> Parser {
        if self.below(2) == 0 {
            return self.header_parser(params);
        }
        let count = self.below(4) + 1;
        let states = (0..count)
            .map(|index| {
                let mut body = self.parser_body();
                let moves = self.chance(2);
                if moves {
                    body.0.push(self.moving());
                }
                let transition = self.transition(index, count, moves);
                let loc = self.loc();
                ParserState { name: ["start", "one", "two", "three"][index].into(), body, transition, loc }
            })
            .collect();
        let locals = Block(vec![self.assignment(1)]);
        Parser { name: "P".into(), params, locals, states, start: ParserStateId::new(0), loc: self.loc() }
    }

    fn target(&mut self, from: usize, count: usize, moves: bool) -> Target {
        let first = if moves { from } else { from + 1 };
        match self.below(count.saturating_sub(first) + 2) {
            0 => Target::Accept,
            1 => Target::Reject,
            n => Target::State(Id::new(first + n - 2)),
        }
    }

    fn transition(&mut self, from: usize, count: usize, moves: bool) -> Transition {
        if !self.chance(2) {
            return Transition::Goto(self.target(from, count, moves));
        }
        let with_set = self.chance(3);
        let types =
            if with_set { vec![Type::bit(8), Type::bit(16)] } else { vec![self.scalar(), self.scalar()] };
        let keys = types.iter().map(|ty| self.expr(*ty, 1)).collect();
        let cases = (0..self.below(4))
            .map(|i| {
                let keysets = if with_set && i == 0 {
                    vec![Keyset::Set(ValueSetId::new(0)), Keyset::Any]
                } else {
                    types.iter().map(|ty| self.keyset(*ty)).collect()
                };
                SelectCase { keysets, target: self.target(from, count, moves), loc: self.loc() }
            })
            .collect();
        Transition::Select { keys, cases, loc: self.loc() }
    }

    /// A value that the type can have.
    fn value(&mut self, ty: Type) -> Bits {
        match ty {
            Type::Enum(_) => Bits::new(32, self.below(3) as u128),
            Type::Error => Bits::new(32, self.below(8) as u128),
            Type::Varbit { max } => {
                let width = self.below(max as usize + 1) as u32;
                self.bits(width)
            }
            Type::Bool | Type::Bits { .. } => self.bits(ty.width()),
        }
    }

    /// Variables that statements may assign, of one type.
    fn vars_of(&self, ty: Type) -> Vec<VarId> {
        use weir_ir::VarRole::{Field, Plain};
        let assignable = self.program.vars.iter().filter(|(_, var)| matches!(var.role, Plain | Field(_)));
        assignable.filter(|(_, var)| var.ty == ty).map(|(id, _)| id).collect()
    }
}
