//! Which numbers a program compares its variables and fields with. Of values that are copied, only what will be asked for is
//! worth following.

use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

use super::walk::{self, Visitor};
use crate::check::constant::{Value, evaluate};
use crate::hir::{
    BinaryOp, Expr, ExprKind, KeysetElement, Program, RecordId, Stmt, StmtKind, Transition, Type, VarId,
};

/// What a comparison looks at: a variable, or a field in all values of its record.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Var(VarId),
    Field(RecordId, usize),
}

/// Numbers that are handed on from a place to those that it is copied from.
const MOST: usize = 64;

/// The numbers by place.
pub(super) struct Questions(FxHashMap<Place, FxHashSet<BigInt>>);

impl Questions {
    /// Those of a program. A place whose value is assigned to another is asked what that one is asked.
    pub fn of(program: &Program) -> Questions {
        let mut search = Search { program, questions: Questions(FxHashMap::default()), copies: Vec::new() };
        walk::program(program, &mut search);
        for (_, state) in program.states.iter() {
            let Transition::Select { subjects, cases } = &state.transition else { continue };
            for case in cases {
                for (element, subject) in case.keyset.elements.iter().zip(subjects) {
                    if let KeysetElement::Value(value) = element {
                        search.ask(subject, value);
                    }
                }
            }
        }
        let Search { mut questions, mut copies, .. } = search;
        let mut seen = FxHashSet::default();
        copies.retain(|copy| seen.insert(*copy));
        // Copies of copies in programs are few in a row.
        for _ in 0..4 {
            for (from, to) in &copies {
                // Of a place that is asked much, most is not followed anyway.
                let few = questions.0.get(to).filter(|numbers| numbers.len() <= MOST).cloned();
                if let Some(few) = few {
                    questions.0.entry(*from).or_default().extend(few);
                }
            }
        }
        questions
    }

    /// Whether the place is compared with the number anywhere.
    pub fn ask(&self, place: Place, number: &BigInt) -> bool {
        self.0.get(&place).is_some_and(|numbers| numbers.contains(number))
    }
}

struct Search<'a> {
    program: &'a Program,
    questions: Questions,
    /// From which place to which.
    copies: Vec<(Place, Place)>,
}

impl Search<'_> {
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

    fn ask(&mut self, subject: &Expr, value: &Expr) {
        if let (Some(place), Some(Value::Int(number))) = (self.place(subject), evaluate(self.program, value))
        {
            self.questions.0.entry(place).or_default().insert(number);
        }
    }
}

impl Visitor for Search<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) = &expr.kind {
            self.ask(left, right);
            self.ask(right, left);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::SwitchValue { subject, cases, .. } => {
                for value in cases.iter().flat_map(|case| &case.values) {
                    self.ask(subject, value);
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
