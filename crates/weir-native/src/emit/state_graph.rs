//! The states of a parser as a graph.

use weir_exec::LOOP_LIMIT;
use weir_ir::{Id, Parser, ParserState, Program, Target, Transition, Work};

/// Returns the successors of a state, once for each case.
pub(super) fn next_states(state: &ParserState) -> Vec<usize> {
    let target = |target: &Target| match target {
        Target::State(id) => Some(id.index()),
        Target::Accept | Target::Reject => None,
    };
    match &state.transition {
        Transition::Goto(to) => target(to).into_iter().collect(),
        Transition::Select { cases, .. } => cases.iter().filter_map(|case| target(&case.target)).collect(),
    }
}

/// Returns the reachable states, each after all states that lead to it, except within cycles.
pub(super) fn order(parser: &Parser) -> Vec<Id<ParserState>> {
    let mut seen = vec![false; parser.states.len()];
    let mut order = Vec::with_capacity(seen.len());
    // The states on the current path, with their remaining successors.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let start = parser.start.index();
    seen[start] = true;
    open.push((start, next_states(&parser.states[parser.start])));
    while let Some((state, next)) = open.last_mut() {
        match next.pop() {
            Some(next) if !std::mem::replace(&mut seen[next], true) => {
                open.push((next, next_states(&parser.states[Id::new(next)])));
            }
            Some(_) => {}
            None => {
                order.push(Id::new(*state));
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Returns whether the parser's code must count the states that it enters, to stop at
/// [`LOOP_LIMIT`]. It need not if each state is entered at most once and the weights of all states
/// ([`Work::state_weight`]) add up to less than this limit.
pub(super) fn needs_state_limit(program: &Program, work: &Work, parser: &Parser) -> bool {
    let once = parser.states.values().map(|state| u64::from(work.state_weight(program, state)));
    has_cycle(parser) || once.fold(0, u64::saturating_add) >= u64::from(LOOP_LIMIT)
}

/// Returns whether a state can be entered more than once.
fn has_cycle(parser: &Parser) -> bool {
    // This removes states without remaining successors, until no state is left or all states have
    // successors.
    let next: Vec<Vec<usize>> = parser.states.values().map(next_states).collect();
    let mut before = vec![Vec::new(); next.len()];
    let mut leads: Vec<usize> = next.iter().map(Vec::len).collect();
    for (from, to) in next.iter().enumerate() {
        to.iter().for_each(|to| before[*to].push(from));
    }
    let mut ends: Vec<usize> = (0..next.len()).filter(|state| leads[*state] == 0).collect();
    let mut removed = 0;
    while let Some(state) = ends.pop() {
        removed += 1;
        for from in &before[state] {
            leads[*from] -= 1;
            if leads[*from] == 0 {
                ends.push(*from);
            }
        }
    }
    removed < next.len() || {
        let start: Id<ParserState> = parser.start;
        start.index() >= next.len()
    }
}
