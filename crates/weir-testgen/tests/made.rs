//! Random programs contain everything that programs can contain, except the constructs listed here.

use std::collections::BTreeSet;

use weir_exec::{ExternSemantics, Stage};
use weir_ir::visit::{Visitor, walk_expr, walk_program, walk_stmt};
use weir_ir::{
    ArgValue, BinaryOp, ExprKind, HeaderRef, Keyset, Leaf, Place, Program, Stmt, StmtKind, Target,
    Transition, Type, UnaryOp, validate,
};

/// Names for all variants of a type. A variant without a name is a compile error.
macro_rules! names {
    ($all:ident $name_of:ident($ty:ty) $($name:literal: $pattern:pat,)*) => {
        const $all: &[&str] = &[$($name),*];
        fn $name_of(value: &$ty) -> &'static str {
            match value {
                $($pattern => $name,)*
            }
        }
    };
}

names! { STMTS stmt(StmtKind)
    "assign": StmtKind::Assign(Place::Var(_), _),
    "assign by index": StmtKind::Assign(Place::Indexed(..), _),
    "set valid": StmtKind::SetValid(_),
    "set invalid": StmtKind::SetInvalid(_),
    "invalidate others": StmtKind::InvalidateOthers(_),
    "copy": StmtKind::Copy { .. },
    "set next index": StmtKind::SetNextIndex(..),
    "push front": StmtKind::PushFront(..),
    "pop front": StmtKind::PopFront(..),
    "if": StmtKind::If { .. },
    "switch": StmtKind::Switch { .. },
    "loop": StmtKind::Loop { .. },
    "break": StmtKind::Break,
    "continue": StmtKind::Continue,
    "return": StmtKind::Return,
    "exit": StmtKind::Exit,
    "call": StmtKind::Call(_),
    "call of an action": StmtKind::CallAction(_),
    "apply": StmtKind::Apply { hit: None, action_run: None, .. },
    "apply, then hit": StmtKind::Apply { hit: Some(_), action_run: None, .. },
    "apply, then action": StmtKind::Apply { hit: None, action_run: Some(_), .. },
    "apply, then both": StmtKind::Apply { .. },
    "extract": StmtKind::Extract { varbit_bits: None, .. },
    "extract with a varbit": StmtKind::Extract { .. },
    "lookahead": StmtKind::Lookahead(Place::Var(_)),
    "lookahead by index": StmtKind::Lookahead(Place::Indexed(..)),
    "advance": StmtKind::Advance(_),
    "verify": StmtKind::Verify { .. },
    "emit": StmtKind::Emit(_),
    "extern": StmtKind::Extern(_),
}

names! { EXPRS expr(ExprKind)
    "constant": ExprKind::Const(_),
    "variable": ExprKind::Var(_),
    "variable by index": ExprKind::Indexed { .. },
    "!": ExprKind::Unary(UnaryOp::Not, _),
    "~": ExprKind::Unary(UnaryOp::BitNot, _),
    "- of one": ExprKind::Unary(UnaryOp::Neg, _),
    "+": ExprKind::Binary(BinaryOp::Add, ..),
    "-": ExprKind::Binary(BinaryOp::Sub, ..),
    "*": ExprKind::Binary(BinaryOp::Mul, ..),
    "/": ExprKind::Binary(BinaryOp::Div, ..),
    "%": ExprKind::Binary(BinaryOp::Mod, ..),
    "|+|": ExprKind::Binary(BinaryOp::SatAdd, ..),
    "|-|": ExprKind::Binary(BinaryOp::SatSub, ..),
    "&": ExprKind::Binary(BinaryOp::BitAnd, ..),
    "|": ExprKind::Binary(BinaryOp::BitOr, ..),
    "^": ExprKind::Binary(BinaryOp::BitXor, ..),
    "<<": ExprKind::Binary(BinaryOp::Shl, ..),
    ">>": ExprKind::Binary(BinaryOp::Shr, ..),
    "==": ExprKind::Binary(BinaryOp::Eq, ..),
    "!=": ExprKind::Binary(BinaryOp::Ne, ..),
    "<": ExprKind::Binary(BinaryOp::Lt, ..),
    "<=": ExprKind::Binary(BinaryOp::Le, ..),
    ">": ExprKind::Binary(BinaryOp::Gt, ..),
    ">=": ExprKind::Binary(BinaryOp::Ge, ..),
    "&&": ExprKind::Binary(BinaryOp::And, ..),
    "||": ExprKind::Binary(BinaryOp::Or, ..),
    "++": ExprKind::Binary(BinaryOp::Concat, ..),
    "slice": ExprKind::Slice { .. },
    "cast": ExprKind::Cast(_),
    "mux": ExprKind::Mux(..),
    "packet length": ExprKind::PacketLength,
}

names! { TYPES ty(Type)
    "bool": Type::Bool,
    "bit": Type::Bits { signed: false, .. },
    "int": Type::Bits { .. },
    "varbit": Type::Varbit { .. },
    "error": Type::Error,
    "enum": Type::Enum(_),
}

names! { HEADERS header(HeaderRef)
    "header": HeaderRef::Header(_),
    "element": HeaderRef::Element(..),
    "next element": HeaderRef::Next(_),
}

names! { KEYSETS keyset(Keyset)
    "any": Keyset::Any,
    "value": Keyset::Value(_),
    "mask": Keyset::Mask(..),
    "range": Keyset::Range(..),
    "set": Keyset::Set(_),
}

names! { TARGETS target(Target)
    "state": Target::State(_),
    "accept": Target::Accept,
    "reject": Target::Reject,
}

names! { ARGUMENTS argument(ArgValue)
    "leaves": ArgValue::Leaves(_),
    "written": ArgValue::Vars { .. },
    "text": ArgValue::Text(_),
    "object": ArgValue::Extern(_),
}

names! { LEAVES leaf(Leaf)
    "value": Leaf::Value(_),
    "header": Leaf::Header(_),
}

names! { STAGES stage(Stage)
    "parse": Stage::Parse { .. },
    "control": Stage::Control(_),
    "deparse": Stage::Deparse(_),
    "set": Stage::Set(..),
    "output": Stage::Output(..),
    "leave if": Stage::LeaveIf { .. },
    "leave if work is deferred": Stage::LeaveIfDeferred { .. },
    "restart": Stage::Restart,
}

names! { SEMANTICS semantics(ExternSemantics)
    "set": ExternSemantics::Set(_),
    "verify": ExternSemantics::VerifyChecksum { .. },
    "update": ExternSemantics::UpdateChecksum { .. },
    "checksum": ExternSemantics::Checksum { .. },
    "sum": ExternSemantics::Sum { .. },
    "words": ExternSemantics::Words(_),
    "call": ExternSemantics::Call,
}

/// The names of all kinds.
const ALL: [(&str, &[&str]); 10] = [
    ("statement", STMTS),
    ("expression", EXPRS),
    ("type", TYPES),
    ("header of an extract", HEADERS),
    ("keyset", KEYSETS),
    ("target", TARGETS),
    ("argument", ARGUMENTS),
    ("leaf", LEAVES),
    ("stage", STAGES),
    ("call that", SEMANTICS),
];

/// The constructs that random programs never contain, and why.
const NEVER: [&str; 0] = [];

/// The constructs generated so far.
#[derive(Default)]
struct Made(BTreeSet<(&'static str, &'static str)>);

impl Visitor for Made {
    fn stmt(&mut self, made: &Stmt) {
        self.0.insert(("statement", stmt(&made.kind)));
        match &made.kind {
            StmtKind::Extract { to, .. } => {
                self.0.insert(("header of an extract", header(to)));
            }
            StmtKind::Extern(call) => {
                for arg in &call.args {
                    self.0.insert(("argument", argument(&arg.value)));
                    if let ArgValue::Leaves(leaves) = &arg.value {
                        self.0.extend(leaves.iter().map(|value| ("leaf", leaf(value))));
                    }
                }
            }
            _ => {}
        }
        walk_stmt(self, made);
    }

    fn expr(&mut self, made: &weir_ir::Expr) {
        self.0.extend([("expression", expr(&made.kind)), ("type", ty(&made.ty))]);
        walk_expr(self, made);
    }
}

impl Made {
    fn transitions(&mut self, program: &Program) {
        for state in program.parsers.values().flat_map(|parser| parser.states.values()) {
            match &state.transition {
                Transition::Goto(to) => {
                    self.0.insert(("target", target(to)));
                }
                Transition::Select { cases, .. } => {
                    for case in cases {
                        self.0.insert(("target", target(&case.target)));
                        self.0.extend(case.keysets.iter().map(|set| ("keyset", keyset(set))));
                    }
                }
            }
        }
    }
}

/// Makes pseudo-random bytes, which are the same for the same seed (splitmix64).
fn entropy(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    (0..length).map(|_| next() as u8).collect()
}

#[test]
fn random_programs_make_everything() {
    let mut constructs = Made::default();
    for seed in 0..200 {
        let program = weir_testgen::program(&entropy(seed, 1200));
        let program = validate(program).expect("random programs are valid");
        walk_program(&mut constructs, &program);
        constructs.transitions(&program);
        let pipeline = weir_testgen::pipeline(&program, &entropy(!seed, 160));
        constructs.0.extend(pipeline.stages().iter().map(|kind| ("stage", stage(kind))));
        let calls = pipeline.spec().extern_semantics.iter();
        constructs.0.extend(calls.map(|(_, call)| ("call that", semantics(call))));
    }
    let all = ALL.iter().flat_map(|(what, names)| names.iter().map(move |name| (*what, *name)));
    let missing = all.filter(|one| !constructs.0.contains(one)).map(|(what, name)| format!("{what}: {name}"));
    assert_eq!(missing.collect::<Vec<_>>(), NEVER);
}
