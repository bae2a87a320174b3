//! A header stack parsed from too short and too long packets.

use std::sync::Arc;

use weir_interp::Interpreter;
use weir_ir::exec::{CoreErrors, Environment, Executor, Fault, Lookup, Value};
use weir_ir::*;

struct Nothing;

impl Environment for Nothing {
    fn lookup(&mut self, _: TableId, _: &[Bits]) -> Lookup {
        panic!("the program has no tables")
    }
    fn in_value_set(&mut self, _: ValueSetId, _: &[Bits]) -> bool {
        panic!("the program has no value sets")
    }
    fn call(
        &mut self,
        _: &ExternCall,
        _: &mut [Value],
        _: &dyn Executor,
        _: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        panic!("the program calls no externs")
    }
}

/// `state start { extract(stack.next); select(stack[0].last) { 1: accept; _: start } }` over two-byte elements.
fn program() -> Program {
    let mut program = Program { errors: CoreErrors::NAMES.map(String::from).to_vec(), ..Program::default() };
    let var = |program: &mut Program, name: &str, ty, role| {
        program.vars.push(Var { name: name.into(), ty, role, annotations: vec![], loc: Loc::NONE })
    };
    let ty = program.header_types.push(HeaderType {
        name: "label_t".into(),
        fields: [("label", Type::bit(15)), ("last", Type::bit(1))]
            .map(|(name, ty)| HeaderField { name: name.into(), ty, annotations: vec![] })
            .to_vec(),
        annotations: vec![],
    });
    let mut elements = Vec::new();
    for i in 0..2 {
        let id = Id::new(i);
        let fields = vec![
            var(&mut program, &format!("s[{i}].label"), Type::bit(15), VarRole::Field(id)),
            var(&mut program, &format!("s[{i}].last"), Type::bit(1), VarRole::Field(id)),
        ];
        let valid = var(&mut program, &format!("s[{i}].$valid"), Type::Bool, VarRole::Validity(id));
        elements.push(program.headers.push(Header { name: format!("s[{i}]"), ty, valid, fields }));
    }
    let lasts = elements.iter().map(|e| program.headers[*e].fields[1]).collect();
    let next_index = var(&mut program, "s.$next", Type::bit(32), VarRole::NextIndex(Id::new(0)));
    let stack = program.stacks.push(Stack { name: "s".into(), elements, next_index });
    let next = Expr { kind: ExprKind::Var(next_index), ty: Type::bit(32) };
    let one = Expr { kind: ExprKind::Const(Bits::new(32, 1)), ty: Type::bit(32) };
    let index =
        Expr { kind: ExprKind::Binary(BinaryOp::Sub, Box::new(next), Box::new(one)), ty: Type::bit(32) };
    let last = Expr { kind: ExprKind::Indexed { vars: lasts, index: Box::new(index) }, ty: Type::bit(1) };
    let extract = StmtKind::Extract { to: HeaderRef::Next(stack), varbit_bits: None };
    let start = ParserState {
        name: "start".into(),
        body: Block(vec![Stmt { kind: extract, loc: Loc::NONE }]),
        transition: Transition::Select {
            keys: vec![last],
            cases: vec![
                SelectCase {
                    keysets: vec![Keyset::Value(Bits::new(1, 1))],
                    target: Target::Accept,
                    loc: Loc::NONE,
                },
                SelectCase { keysets: vec![Keyset::Any], target: Target::State(Id::new(0)), loc: Loc::NONE },
            ],
            loc: Loc::NONE,
        },
        loc: Loc::NONE,
    };
    program.parsers.push(Parser {
        name: "P".into(),
        params: vec![],
        locals: Block::default(),
        states: [start].into_iter().collect(),
        start: Id::new(0),
        loc: Loc::NONE,
    });
    program
}

fn parse(packet: &[u8]) -> (bool, String, usize, Vec<String>) {
    let interpreter = Interpreter::new(Arc::new(program()));
    let program = interpreter.program();
    let mut state = interpreter.layout().state();
    let parsed = interpreter.parse(Id::new(0), packet, &mut state, &mut Nothing);
    let values =
        program.vars.iter().map(|(id, _)| interpreter.layout().get(&state, id).to_string()).collect();
    (parsed.accepted, program.errors[parsed.error as usize].clone(), parsed.consumed, values)
}

#[test]
fn a_whole_stack_is_parsed() {
    let (accepted, error, consumed, values) = parse(&[0, 4, 0, 7, 9]);
    assert_eq!((accepted, error.as_str(), consumed), (true, "NoError", 4));
    assert_eq!(values, ["2", "0", "1", "3", "1", "1", "2"]);
}

#[test]
fn a_truncated_element_is_not_touched() {
    let (accepted, error, consumed, values) = parse(&[0, 4, 0]);
    assert_eq!((accepted, error.as_str(), consumed), (false, "PacketTooShort", 2));
    assert_eq!(values, ["2", "0", "1", "0", "0", "0", "1"]);
}

#[test]
fn a_third_element_is_out_of_bounds() {
    let (accepted, error, consumed, _) = parse(&[0, 4, 0, 6, 0, 1]);
    assert_eq!((accepted, error.as_str(), consumed), (false, "StackOutOfBounds", 4));
}
