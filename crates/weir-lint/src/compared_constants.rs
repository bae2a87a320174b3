//! The constants with which a program compares its variables and fields. Copies of values need to
//! be tracked only for these constants.

use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::constant::{Value, evaluate};
use crate::hir::walk::{self, Visitor};
use crate::hir::{
    BinaryOp, Expr, ExprKind, KeysetElement, Program, RecordId, Stmt, StmtKind, Transition, Type, VarId,
};

/// The operand of a comparison: a variable, or a field in all values of its record type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Var(VarId),
    Field(RecordId, usize),
}

/// The maximum number of constants that are propagated from an operand to the sources it is copied
/// from.
const MAX_PROPAGATED: usize = 64;

/// The constants that operands are compared with, by operand.
pub(super) struct ComparedConstants(FxHashMap<Place, FxHashSet<BigInt>>);

impl ComparedConstants {
    /// Collects the constants of a program. The source of a copy gets the constants of its target.
    pub fn collect(program: &Program) -> ComparedConstants {
        let mut search =
            Search { program, constants: ComparedConstants(FxHashMap::default()), copies: Vec::new() };
        walk::program(program, &mut search);
        for (_, state) in program.states.iter() {
            let Transition::Select { subjects, cases } = &state.transition else { continue };
            for case in cases {
                for (element, subject) in case.keyset.elements.iter().zip(subjects) {
                    if let KeysetElement::Value(value) = element {
                        search.add(subject, value);
                    }
                }
            }
        }
        let Search { mut constants, mut copies, .. } = search;
        let mut seen = FxHashSet::default();
        copies.retain(|copy| seen.insert(*copy));
        // Chains of more than four copies are rare.
        for _ in 0..4 {
            for (from, to) in &copies {
                // Most comparisons with many constants are not tracked anyway.
                let few = constants.0.get(to).filter(|numbers| numbers.len() <= MAX_PROPAGATED).cloned();
                if let Some(few) = few {
                    constants.0.entry(*from).or_default().extend(few);
                }
            }
        }
        constants
    }

    /// Returns whether the program compares `place` with any number.
    pub fn contains_any(&self, place: Place) -> bool {
        self.0.get(&place).is_some_and(|numbers| !numbers.is_empty())
    }

    /// Returns whether the program compares `place` with `number` anywhere.
    pub fn contains(&self, place: Place, number: &BigInt) -> bool {
        self.0.get(&place).is_some_and(|numbers| numbers.contains(number))
    }
}

/// Collects the constants that places are compared with, and the copies between places.
struct Search<'a> {
    program: &'a Program,
    constants: ComparedConstants,
    /// Copies, each from its source to its target.
    copies: Vec<(Place, Place)>,
}

impl Search<'_> {
    /// Returns the place that an expression denotes, if it can be tracked.
    fn place(&self, expr: &Expr) -> Option<Place> {
        match &expr.kind {
            ExprKind::Var(var) => Some(Place::Var(*var)),
            ExprKind::Field { base, field } => match self.program.types[base.ty] {
                Type::Record { decl, .. } => Some(Place::Field(decl, *field)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds a comparison of a place with a constant.
    fn add(&mut self, subject: &Expr, value: &Expr) {
        if let (Some(place), Some(Value::Int(number))) = (self.place(subject), evaluate(self.program, value))
        {
            self.constants.0.entry(place).or_default().insert(number);
        }
    }
}

impl Visitor for Search<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) = &expr.kind {
            self.add(left, right);
            self.add(right, left);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::SwitchValue { subject, cases, .. } => {
                for value in cases.iter().flat_map(|case| &case.values) {
                    self.add(subject, value);
                }
            }
            StmtKind::Assign { target, value } => {
                if let (Some(to), Some(from)) = (self.place(target), self.place(value)) {
                    self.copies.push((from, to));
                }
            }
            StmtKind::Declare { var, init: Some(value) } => {
                if let Some(from) = self.place(value) {
                    self.copies.push((from, Place::Var(*var)));
                }
            }
            _ => {}
        }
    }
}
