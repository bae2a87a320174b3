//! Records transitions to `reject`, which set no error, in a hidden variable.

use weir_ir::{
    Bits, Block, Expr, ExprKind, Loc, Parser, ParserState, Place, Program, Stmt, StmtKind, Target,
    Transition, Type, VarId,
};

use super::{REJECTED, hidden};

/// The name of the state that comes before `reject`.
const STATE: &str = "$reject";

/// Leads all transitions to `reject` through a state that sets the hidden variable, unless the
/// program was prepared before.
pub(super) fn record(program: &mut Program) {
    let Some(rejected) = hidden::find(program, REJECTED) else { return };
    for parser in program.parsers.values_mut() {
        if parser.states.values().all(|state| state.name != STATE) {
            record_in(parser, rejected);
        }
    }
}

fn record_in(parser: &mut Parser, rejected: VarId) {
    if !parser.states.values_mut().flat_map(targets).any(|target| *target == Target::Reject) {
        return;
    }
    let one = Expr { ty: Type::bit(1), kind: ExprKind::Const(Bits::new(1, 1)) };
    let set = Stmt { kind: StmtKind::Assign(Place::Var(rejected), one), loc: Loc::NONE };
    let last = parser.states.push(ParserState {
        name: STATE.to_owned(),
        body: Block(vec![set]),
        transition: Transition::Goto(Target::Reject),
        loc: Loc::NONE,
    });
    let other_states = parser.states.values_mut().filter(|state| state.name != STATE);
    for target in other_states.flat_map(targets).filter(|target| **target == Target::Reject) {
        *target = Target::State(last);
    }
}

/// Returns the targets of a state's transition.
fn targets(state: &mut ParserState) -> Vec<&mut Target> {
    match &mut state.transition {
        Transition::Goto(target) => vec![target],
        Transition::Select { cases, .. } => cases.iter_mut().map(|case| &mut case.target).collect(),
    }
}
