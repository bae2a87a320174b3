//! The cases of `select`.

use num_bigint::BigInt;
use num_traits::{One, Zero};
use weir_compiler::hir::{Declaration, Expr, KeysetElement, Program, SelectCase, Transition, Type, Types};
use weir_compiler::{Value, evaluate};

use crate::code::Code;
use crate::names::{bits, may_vary, number};
use crate::report::Report;
use crate::rules::{
    ALL_VALUES_FIRST, CASE_TWICE, CONSTANT_SELECT_KEY, NO_MATCH, VALUE_SET_CASE, VALUE_SET_ERROR,
    VALUE_SET_PLACE, VARIABLE_CASE,
};

/// The values that one key matches, as far as they are known.
#[derive(Clone, PartialEq, Debug)]
enum Set {
    All { written: bool },
    Value(Value),
    Mask(BigInt, BigInt),
    Range(BigInt, BigInt),
    Unknown,
}

/// Checks the cases of `select`.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    for declaration in &program.declarations {
        if let Declaration::ValueSet(id) = declaration {
            report.add(&VALUE_SET_PLACE, program.value_sets[*id].name.span, "");
        }
    }
    let states = code.blocks.iter().flat_map(|block| block.states.iter());
    for &state in states {
        let state = &program.states[state];
        let Transition::Select { subjects, cases } = &state.transition else { continue };
        // p4c chooses the case itself if all keys are constant.
        let is_constant = |subject: &&Expr| evaluate(program, subject).is_some();
        if !subjects.iter().all(|subject| is_constant(&subject)) {
            for subject in subjects.iter().filter(is_constant) {
                report.add(&CONSTANT_SELECT_KEY, subject.span, "always the same value");
            }
        }
        cases.iter().for_each(|case| values(program, case, report));
        let sets: Vec<Vec<Set>> = cases.iter().map(|case| case_sets(program, subjects, case)).collect();
        order(cases, &sets, report);
        let is_all = |sets: &Vec<Set>| sets.iter().all(|set| matches!(set, Set::All { .. }));
        if !sets.iter().any(is_all) && !covers_all_values(program, subjects, &sets) {
            report.add(&NO_MATCH, state.transition_span, "not all values have a case");
        }
    }
}

/// Reports cases whose values are not constants.
fn values(program: &Program, case: &SelectCase, report: &mut Report<'_>) {
    let elements = &case.keyset.elements;
    for element in elements {
        match element {
            KeysetElement::Value(value) if may_vary(program, value) => {
                report.add(&VARIABLE_CASE, value.span, "a variable");
            }
            KeysetElement::ValueSet(id) => {
                if elements.len() > 1 {
                    report.add(&VALUE_SET_CASE, case.keyset.span, "");
                }
                if program.value_sets[*id].element == Types::ERROR {
                    report.add(&VALUE_SET_ERROR, program.value_sets[*id].name.span, "");
                }
            }
            _ => {}
        }
    }
}

/// Reports cases that p4c puts into another order, and cases that repeat values.
fn order(cases: &[SelectCase], sets: &[Vec<Set>], report: &mut Report<'_>) {
    let plain =
        |sets: &Vec<Set>| sets.iter().all(|set| matches!(set, Set::Value(_) | Set::All { written: true }));
    let all_plain = sets.iter().all(plain);
    for (position, (case, found)) in cases.iter().zip(sets).enumerate() {
        let all = found.iter().all(|set| matches!(set, Set::All { .. }));
        let written = found.iter().all(|set| matches!(set, Set::All { written: true }));
        let others_follow = cases[position + 1..].iter().any(|later| later.target != case.target);
        if all && !written && others_follow {
            report.add(&ALL_VALUES_FIRST, case.span, "all values");
        }
        let are_known = !all && found.iter().all(|set| *set != Set::Unknown);
        let earlier = sets[..position].iter().position(|earlier| earlier == found);
        if let Some(earlier) = earlier.filter(|_| are_known && !all_plain)
            && cases[earlier].target != case.target
        {
            report.add(&CASE_TWICE, case.span, "the same values as a case above");
        }
    }
}

fn case_sets(program: &Program, subjects: &[Expr], case: &SelectCase) -> Vec<Set> {
    let elements = &case.keyset.elements;
    if elements.len() != subjects.len() {
        return vec![Set::Unknown; subjects.len()];
    }
    elements.iter().zip(subjects).map(|(element, subject)| set(program, element, subject)).collect()
}

/// Returns the set of values that an element of a keyset stands for.
fn set(program: &Program, element: &KeysetElement, subject: &Expr) -> Set {
    let number = |expr: &Expr| number(program, expr);
    let values = match element {
        KeysetElement::Any => Some(Set::All { written: true }),
        KeysetElement::Value(value) => evaluate(program, value).map(Set::Value),
        KeysetElement::Mask { value, mask } => number(value).zip(number(mask)).map(|(value, mask)| {
            if mask.is_zero() { Set::All { written: false } } else { Set::Mask(value & &mask, mask) }
        }),
        KeysetElement::Range { low, high } => number(low).zip(number(high)).map(|(low, high)| {
            if contains_all_values(program, subject, &low, &high) {
                Set::All { written: false }
            } else {
                Set::Range(low, high)
            }
        }),
        KeysetElement::ValueSet(_) => None,
    };
    values.unwrap_or(Set::Unknown)
}

/// Returns whether a range has all values of an unsigned key.
fn contains_all_values(program: &Program, subject: &Expr, low: &BigInt, high: &BigInt) -> bool {
    match bits(program, subject.ty) {
        Some((false, width)) => low.is_zero() && *high == (BigInt::one() << width) - 1,
        _ => false,
    }
}

/// Returns whether the cases list all values of the only key; true if that is not known.
fn covers_all_values(program: &Program, subjects: &[Expr], sets: &[Vec<Set>]) -> bool {
    let [subject] = subjects else { return false };
    let values = match program.types[subject.ty] {
        Type::Bool => 2,
        Type::Bits { width, .. } if width <= 8 => 1 << width,
        Type::Enum(decl) if program.enums[decl].underlying.is_none() => program.enums[decl].members.len(),
        _ => return false,
    };
    let mut listed: Vec<&Value> = Vec::new();
    for set in sets {
        match set.as_slice() {
            [Set::Value(value)] if !listed.contains(&value) => listed.push(value),
            [Set::Value(_)] => {}
            _ => return true,
        }
    }
    listed.len() == values
}
