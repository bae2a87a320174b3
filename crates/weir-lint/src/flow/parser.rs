//! Parsers: the possible states at `accept`.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{Accept, Block, Flow};
use crate::check::constant::{Value, evaluate};
use crate::facts::States;
use crate::hir::{Expr, KeysetElement, ParserId, SelectCase, StateId, Target, Transition, Types};
use crate::storage::TrackedPlace;
use weir_syntax::Span;

/// The maximum number of visits to each parser state on average while the fixed point is computed.
const MAX_VISITS: usize = 100;

/// The progress of the fixed-point iteration over a parser's states.
struct Edges {
    reached: FxHashMap<StateId, States>,
    /// The work list: the states whose set grew, in source order, which most parsers follow.
    grown: BTreeSet<StateId>,
    accepted: States,
}

impl Flow<'_> {
    /// Analyses a parser whose parameters are bound, up to `accept`. `outermost` is true if no
    /// other block applies the parser.
    pub(super) fn parser(&mut self, id: ParserId, outermost: bool) {
        if !self.enters_body(Block::Parser(id)) {
            return self.unknown();
        }
        let parser = &self.program.parsers[id];
        self.locals(&parser.locals);
        let reporting = std::mem::replace(&mut self.reporting, false);
        let mut edges =
            Edges { accepted: States::NONE, reached: FxHashMap::default(), grown: BTreeSet::new() };
        self.follow_edge(&mut edges, Target::State(parser.start), self.now.clone(), parser.span, false);
        let mut visits = parser.states.len() * MAX_VISITS;
        while let Some(state) = edges.grown.pop_first() {
            if visits == 0 || self.is_over_limit() {
                for &state in &parser.states {
                    let reached = edges.reached.entry(state).or_insert(States::UNKNOWN);
                    *reached = reached.widest();
                }
                break;
            }
            visits -= 1;
            self.parser_state(state, &mut edges, false);
        }
        self.reporting = reporting;
        let settled = edges.reached.clone();
        edges.accepted = States::NONE;
        for &state in &parser.states {
            if settled.contains_key(&state) {
                self.parser_state(state, &mut edges, outermost);
            }
        }
        self.now = edges.accepted;
        if !outermost {
            self.check_out_params(&parser.params, &parser.name.text);
        }
    }

    fn parser_state(&mut self, id: StateId, edges: &mut Edges, last: bool) {
        let state = &self.program.states[id];
        self.now = edges.reached.get(&id).cloned().unwrap_or(States::NONE);
        self.steps += 1;
        let outer = std::mem::replace(&mut self.in_loop, follows_itself(id, &state.transition));
        self.stmts(&state.stmts);
        self.in_loop = outer;
        match &state.transition {
            Transition::Direct(target) => {
                self.follow_edge(edges, *target, self.now.clone(), state.transition_span, last);
            }
            Transition::Select { subjects, cases } => {
                for subject in subjects {
                    self.read(subject);
                }
                self.select(subjects, cases, edges, last);
            }
        }
    }

    /// Follows the cases of a `select`.
    fn select(&mut self, subjects: &[Expr], cases: &[SelectCase], edges: &mut Edges, last: bool) {
        let mut left = self.now.clone();
        for case in cases {
            let (mut matching, mut missing) = (States::ALL, States::NONE);
            let lone_set = case.keyset.elements.len() != subjects.len();
            for (element, subject) in case.keyset.elements.iter().zip(subjects) {
                let (may, may_not) =
                    if lone_set { (States::ALL, States::ALL) } else { self.element(element, subject) };
                matching = self.facts.intersection(&matching, &may);
                missing = self.facts.union(&missing, &may_not);
            }
            let taken = self.facts.intersection(&left, &matching);
            self.follow_edge(edges, case.target, taken, case.span, last);
            left = self.facts.intersection(&left, &missing);
        }
    }

    /// Returns the states in which the subject can match the element, and those in which it can
    /// fail to match.
    fn element(&mut self, element: &KeysetElement, subject: &Expr) -> (States, States) {
        let value = match element {
            KeysetElement::Any => return (States::ALL, States::NONE),
            KeysetElement::Value(value) => evaluate(self.program, value),
            _ => None,
        };
        match (value, self.tracked_place(subject)) {
            (Some(Value::Bool(wanted)), _) if subject.ty == Types::BOOL => {
                let (yes, no) = self.branch(subject);
                self.now = self.facts.union(&yes, &no);
                if wanted { (yes, no) } else { (no, yes) }
            }
            (Some(Value::Int(number)), Some(spot @ (TrackedPlace::Part(_) | TrackedPlace::Field(..)))) => {
                let equal = self.storage.equals(&mut self.facts, spot, &number);
                (equal, self.storage.differs(&mut self.facts, spot, &number))
            }
            _ => (States::ALL, States::ALL),
        }
    }

    fn follow_edge(&mut self, edges: &mut Edges, target: Target, states: States, span: Span, last: bool) {
        if states.is_none() {
            return;
        }
        match target {
            Target::Reject => {}
            Target::Accept => {
                edges.accepted = self.facts.union(&edges.accepted, &states);
                if last {
                    self.accepts.push(Accept { span, states });
                }
            }
            Target::State(id) => {
                let before = edges.reached.get(&id).cloned().unwrap_or(States::NONE);
                let after = self.facts.union(&before, &states);
                if !after.no_wider_than(&before) {
                    edges.grown.insert(id);
                }
                edges.reached.insert(id, after);
            }
        }
    }
}

/// Returns whether one of the transition's targets is its own state.
fn follows_itself(state: StateId, transition: &Transition) -> bool {
    let itself = Target::State(state);
    match transition {
        Transition::Direct(target) => *target == itself,
        Transition::Select { cases, .. } => cases.iter().any(|case| case.target == itself),
    }
}
