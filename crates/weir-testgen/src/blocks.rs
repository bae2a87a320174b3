//! Procedures, parsers, controls and the package.

use weir_ir::storage::{NEXT, VALID, qualified_name};
use weir_ir::{
    Block, ConstArg, Control, Direction, Id, Keyset, Package, PackageArg, Param, Parser, ParserState,
    ParserStateId, Procedure, SelectCase, Storage, Target, Transition, Type, ValueSetId,
};

use crate::maker::Maker;

impl Maker<'_> {
    /// Procedures that call bodies made before them: one for controls, which applies tables, and
    /// one for parsers.
    pub(crate) fn procedures(&mut self) {
        let loc = self.loc();
        let body = self.body(2, true);
        self.program.procedures.push(Procedure { name: "outer".into(), action: None, body, loc });
        let body = self.parser_body();
        self.program.procedures.push(Procedure { name: "reader".into(), action: None, body, loc });
    }

    /// Makes a parameter with all of `meta` and `hdr`.
    pub(crate) fn params(&self) -> Vec<Param> {
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
            hdr.paths.push(qualified_name(&below(&header.name), VALID));
            for field in &header.fields {
                hdr.vars.push(*field);
                hdr.paths.push(below(&program.vars[*field].name));
            }
            hdr.headers.push(id);
        }
        for (id, stack) in program.stacks.iter() {
            hdr.vars.push(stack.next_index);
            hdr.paths.push(qualified_name(&below(&stack.name), NEXT));
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

    /// Makes the parsers and controls of the program.
    pub(crate) fn blocks(&mut self) {
        let params = self.params();
        let parser = self.parser(params.clone());
        self.program.parsers.push(parser);
        let checksum = if self.number_below(2) == 0 { self.header_with_checksum() } else { None };
        let mut bodies = Vec::new();
        if let Some(header) = checksum {
            bodies.push(("V", Block(vec![self.checksum_of(header, false)])));
        }
        let mut body = self.body(6, true);
        if let Some(header) = checksum
            && self.number_below(2) == 0
        {
            let change = self.change_field(header);
            body.0.insert(0, change);
        }
        bodies.push(("C", body));
        if self.one_in(2) {
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

    /// Makes a parser whose transitions lead to later states, or back to the same state after a
    /// statement that consumes bits.
    pub(crate) fn parser(&mut self, params: Vec<Param>) -> Parser {
        if self.number_below(2) == 0 {
            return self.header_parser(params);
        }
        let count = self.number_below(4) + 1;
        let states = (0..count)
            .map(|index| {
                let mut body = self.parser_body();
                let moves = self.one_in(2);
                if moves {
                    body.0.push(self.consuming_stmt());
                }
                let transition = self.transition(index, count, moves);
                let loc = self.loc();
                ParserState { name: ["start", "one", "two", "three"][index].into(), body, transition, loc }
            })
            .collect();
        let locals = Block(vec![self.assignment(1)]);
        Parser { name: "P".into(), params, locals, states, start: ParserStateId::new(0), loc: self.loc() }
    }

    /// Chooses the target of a transition.
    pub(crate) fn target(&mut self, from: usize, count: usize, moves: bool) -> Target {
        let first = if moves { from } else { from + 1 };
        match self.number_below(count.saturating_sub(first) + 2) {
            0 => Target::Accept,
            1 => Target::Reject,
            n => Target::State(Id::new(first + n - 2)),
        }
    }

    /// Makes a transition.
    pub(crate) fn transition(&mut self, from: usize, count: usize, moves: bool) -> Transition {
        if !self.one_in(2) {
            return Transition::Goto(self.target(from, count, moves));
        }
        let with_set = self.one_in(3);
        let types =
            if with_set { vec![Type::bit(8), Type::bit(16)] } else { vec![self.scalar(), self.scalar()] };
        let keys = types.iter().map(|ty| self.expr(*ty, 1)).collect();
        let cases = (0..self.number_below(4))
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
}
