//! Copies of packets: calls of extern functions with `@copies_packet` make them, and a control
//! whose package parameter has `@takes_copies` receives them, as v1model's egress does.

use num_bigint::BigInt;

use super::Flow;
use crate::facts::States;
use crate::hir::walk::{self, Visitor};
use crate::hir::{AnnotationValue, Call, Callee, ControlId, Param, Program, Type};
use crate::storage::{Part, TrackedPlace};

/// The maximum number of passes over a control that receives its own copies, until its fixed point.
const MAX_PASSES: usize = 8;

/// A field with `@tells_copies(before, own)`, whose value distinguishes the kinds of copies.
struct Kind {
    field: TrackedPlace,
    /// The value in copies that earlier blocks made.
    before: BigInt,
    /// The value in copies that the control itself made.
    own: BigInt,
}

impl Flow<'_> {
    /// Adds the states of copies to those in which packets reach a control. A copy made by an
    /// earlier block has the headers as the parser left them; a copy made by the control itself has
    /// the headers at the control's end.
    pub(super) fn add_states_of_copies(&mut self, control: ControlId, parsed: &States) {
        if !copies(self.program) {
            return;
        }
        let kind = self.copy_kind(&self.program.controls[control].params);
        let mut entry = self.now.clone();
        if let Some(kind) = &kind {
            entry = self.storage.forget_value(&mut self.facts, entry, kind.field);
            for value in [&kind.before, &kind.own] {
                let other_states = self.storage.differs(&mut self.facts, kind.field, value);
                entry = self.facts.intersection(&entry, &other_states);
            }
        }
        if self.makes_copies {
            let parsed = self.states_with_value(parsed, kind.as_ref().map(|kind| (kind.field, &kind.before)));
            entry = self.facts.union(&entry, &parsed);
        }
        let reporting = std::mem::replace(&mut self.reporting, false);
        let (visited, steps) = (self.visited.clone(), self.steps);
        for pass in 1..=MAX_PASSES {
            self.now = entry.clone();
            self.control(control, true);
            let ended = self.facts.union(&self.now, &self.exited);
            self.exited = States::NONE;
            // The pass that reports starts with its full number of steps.
            (self.visited, self.steps) = (visited.clone(), steps);
            let ended = self.facts.where_fact(&ended, self.copied, true);
            let ended = self.facts.set_fact(&ended, self.copied, false);
            let ended = self.facts.set_fact(&ended, self.dropped, false);
            let ended = self.states_with_value(&ended, kind.as_ref().map(|kind| (kind.field, &kind.own)));
            let next = self.facts.union(&entry, &ended);
            if next.no_wider_than(&entry) {
                break;
            }
            entry = if pass == MAX_PASSES { next.widest() } else { next };
        }
        self.now = entry;
        self.reporting = reporting;
    }

    /// Returns the states in which the field has the value.
    fn states_with_value(&mut self, states: &States, kind: Option<(TrackedPlace, &BigInt)>) -> States {
        let Some((field, value)) = kind else { return states.clone() };
        let states = self.storage.forget_value(&mut self.facts, states.clone(), field);
        let equal = self.storage.equals(&mut self.facts, field, value);
        self.facts.intersection(&states, &equal)
    }

    /// Returns the field of a parameter's record that tells copies apart.
    fn copy_kind(&self, params: &[Param]) -> Option<Kind> {
        params.iter().find_map(|param| {
            let Type::Record { decl, .. } = self.program.types[self.program.vars[param.var].ty] else {
                return None;
            };
            let Part::Struct(members) = self.storage.part(*self.bound.get(&param.var)?) else { return None };
            let mut fields = self.program.records[decl].fields.iter().zip(members);
            fields.find_map(|(field, member)| match field.annotations.get("tells_copies")?.values() {
                [AnnotationValue::Int(before), AnnotationValue::Int(own)] => {
                    let (before, own) = (before.clone(), own.clone());
                    Some(Kind { field: TrackedPlace::Part(*member), before, own })
                }
                _ => None,
            })
        })
    }
}

/// Returns whether the program copies packets anywhere.
fn copies(program: &Program) -> bool {
    /// Searches for a use of the analysed kind of data.
    struct Find<'a> {
        program: &'a Program,
        found: bool,
    }
    impl Visitor for Find<'_> {
        fn call(&mut self, call: &Call) {
            if let Callee::ExternFunction(id) = call.callee {
                self.found |= self.program.extern_functions[id].0.annotations.contains("copies_packet");
            }
        }
    }
    let mut find = Find { program, found: false };
    walk::program(program, &mut find);
    find.found
}
