//! Branches and loops of a parser state that apply a parser. IR statements cannot contain such an
//! application, so they become states.

use weir_ir as ir;
use weir_ir::{Bits, Expr, Keyset, ParserStateId, Target, Transition};
use weir_syntax::Span;

use super::state_builder::StateLoop;
use super::{Lowered, Lowerer, fold, scan};
use crate::hir;

impl Lowerer<'_> {
    /// Returns whether the statements must be split into several states.
    pub(super) fn needs_states(&self, stmts: &[hir::Stmt]) -> bool {
        let in_state_loop = matches!(self.cx.loops.last(), Some(Some(_)));
        self.applies_parser(stmts) || in_state_loop && scan::leaves_loop(stmts)
    }

    /// Returns whether statements of a state apply a parser.
    pub(super) fn applies_parser(&self, stmts: &[hir::Stmt]) -> bool {
        self.cx.states.is_some() && scan::applies_parser(stmts)
    }

    /// Returns whether the current code follows a jump and is therefore unreachable.
    pub(super) fn is_unreachable(&self) -> bool {
        self.cx.states.as_ref().is_some_and(|states| states.current().is_none())
    }

    /// Lowers an `if` with its `else if` chain, whose branches become states.
    pub(super) fn branch_between_states(
        &mut self,
        links: &[hir::IfLink],
        otherwise: Option<&hir::Block>,
    ) -> Lowered<()> {
        let name = self.current_state_name();
        let add = |this: &mut Self, part: &str| this.new_state(&format!("{name}${part}"), Span::NONE);
        let mut join = None;
        let mut result = Ok(());
        let mut ends = false;
        for link in links {
            self.cx.loc = self.loc(link.span);
            let condition = self.scalar(&link.condition)?;
            match fold::as_bool(&condition) {
                Some(true) => {
                    result = result.and(self.block(&link.then));
                    ends = true;
                    break;
                }
                Some(false) => continue,
                None => {}
            }
            self.count_item(link.span)?;
            self.count_item(link.span)?;
            let (then, later) = (add(self, "then"), add(self, "else"));
            let join = *join.get_or_insert_with(|| add(self, "join"));
            self.leave_for(condition, then, later);
            self.enter_state(then);
            result = result.and(self.block(&link.then));
            self.go_to(join);
            self.enter_state(later);
        }
        if !ends {
            result = result.and(self.else_block(otherwise));
        }
        if let Some(join) = join {
            self.go_to(join);
            self.enter_state(join);
        }
        result
    }

    /// Lowers a loop to states. The condition is evaluated before each iteration and `step` runs
    /// after it.
    pub(super) fn loop_of_states(
        &mut self,
        condition: impl FnOnce(&mut Self) -> Lowered<Expr>,
        body: impl FnOnce(&mut Self) -> Lowered<()>,
        step: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let [head, turn, next, done] = self.add_states(["loop", "turn", "step", "done"]);
        self.go_to(head);
        self.enter_state(head);
        let condition = condition(self)?;
        self.leave_for(condition, turn, done);
        self.enter_state(turn);
        self.cx.loops.push(Some(StateLoop { step: next, done }));
        let body = body(self);
        self.cx.loops.pop();
        self.go_to(next);
        self.enter_state(next);
        let step = step(self);
        self.go_to(head);
        self.enter_state(done);
        body.and(step)
    }

    /// Lowers `break` and `continue`.
    pub(super) fn leave_loop(&mut self, kind: ir::StmtKind) {
        match self.cx.loops.last() {
            Some(Some(states)) => {
                let target = if kind == ir::StmtKind::Break { states.done } else { states.step };
                self.go_to(target);
            }
            _ => self.emit(kind),
        }
    }

    /// Adds states with names derived from that of the current state.
    pub(super) fn add_states<const N: usize>(&mut self, parts: [&str; N]) -> [ParserStateId; N] {
        let name = self.current_state_name();
        parts.map(|part| self.new_state(&format!("{name}${part}"), Span::NONE))
    }

    fn go_to(&mut self, state: ParserStateId) {
        self.leave_state(Transition::Goto(Target::State(state)));
    }

    fn leave_for(&mut self, condition: Expr, then: ParserStateId, otherwise: ParserStateId) {
        let loc = self.cx.loc;
        let case =
            |keyset, state| ir::SelectCase { keysets: vec![keyset], target: Target::State(state), loc };
        let cases = vec![case(Keyset::Value(Bits::bool(true)), then), case(Keyset::Any, otherwise)];
        self.leave_state(Transition::Select { keys: vec![condition], cases, loc });
    }
}
