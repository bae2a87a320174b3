//! Sets of program states, over yes-or-no facts ("this header is valid", "this variable has a
//! value").
//!
//! Relations between facts ("TCP is valid only if IPv4 is valid") decide whether a warning is
//! correct. They are kept exactly, as decision diagrams, while the diagrams are small. A set whose
//! diagram grows past its limits is approximated by an upper bound (a superset) and a lower bound
//! (a subset). A warning that something never happens uses the upper bound, and a warning that
//! something possibly happens uses the lower bound. So an approximation can lose warnings, but
//! cannot cause false ones.

use rustc_hash::FxHashSet;

use super::diagram::{Diagrams, LAST_FACT, WithinBudget};
use super::state_set::Set;

/// A set of states between two bounds; the bounds are equal if the set is known exactly.
#[derive(Clone)]
pub(super) struct States {
    /// The upper bound: a superset.
    most: Set,
    /// The lower bound: a subset.
    least: Set,
}

impl States {
    /// The empty set of states: the code is unreachable.
    pub const NONE: States = States { most: Set::None, least: Set::None };
    /// The set of all states.
    pub const ALL: States = States { most: Set::All, least: Set::All };
    /// A set of which nothing is known.
    pub const UNKNOWN: States = States { most: Set::All, least: Set::None };

    /// Returns states that are known exactly.
    fn exactly(set: Set) -> States {
        States { least: set.clone(), most: set }
    }

    fn is_exact(&self) -> bool {
        self.most == self.least
    }

    /// Returns whether the set is certainly empty.
    pub fn is_none(&self) -> bool {
        self.most.is_none()
    }

    /// Returns whether the set certainly contains a state.
    pub fn is_some(&self) -> bool {
        !self.least.is_none()
    }

    /// Returns whether the upper bound is the same as before, so that a fixed-point iteration is
    /// complete.
    pub fn no_wider_than(&self, before: &States) -> bool {
        self.most == before.most
    }

    /// Returns the set with all states as its upper bound.
    pub fn widest(&self) -> States {
        States { most: Set::All, least: self.least.clone() }
    }
}

/// A yes-or-no property of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Fact(u32);

/// The kinds of facts, in the order of their importance: approximation forgets the last kinds
/// first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// A header is valid.
    Valid,
    /// A variable has a value.
    HasValue,
    /// A header was invalid on entry, a packet was dropped, or a Boolean is true.
    Mark,
    /// A variable or field equals a number.
    Equals,
}

/// Limits on the size of sets, which bound the cost of each step.
#[derive(Clone, Copy)]
struct Limits {
    /// The maximum number of decisions of a set that is not approximated. A set may have two more
    /// decisions for each of its first `support` facts.
    size: usize,
    support: usize,
    /// The maximum number of facts that an approximated set keeps.
    literals: usize,
}

/// The limits on the size of diagrams.
const LIMITS: Limits = Limits { size: 250, support: 60, literals: 300 };

/// The limits for programs of more than [`LONG_PROGRAM`] statements.
const LIMITS_FOR_LONG: Limits = Limits { size: 50, support: 15, literals: 80 };

/// The limits after the budget is used up. Sets keep little more than the facts that are the same
/// in all states.
const LIMITS_OVER_BUDGET: Limits = Limits { size: 36, support: 0, literals: 12 };

/// The budget: the steps that all operations may take together before sets are kept as small as
/// possible, so that the time is linear in the size of the program.
const BUDGET: u64 = 500_000;
const BUDGET_PER_STATEMENT: u64 = 20;

/// The steps that one operation may take before its operands are approximated, within and over the
/// budget.
const MAX_STEPS: usize = 5_000;
const MAX_STEPS_OVER_BUDGET: usize = 100;

/// The maximum number of facts of one analysis.
const MAX_FACTS: usize = 200_000;

/// The store of all facts and sets of states.
pub(super) struct Facts {
    diagrams: Diagrams,
    kinds: Vec<Kind>,
    /// The number of decisions that had been created when a set was last measured.
    measured: u64,
    limits: Limits,
    /// The steps that may be taken before sets are kept small.
    budget: u64,
}

/// Programs with more statements have smaller limits.
pub(super) const LONG_PROGRAM: usize = 2_000;

impl Facts {
    /// Creates the store for a program with this number of statements.
    pub fn new(statements: usize) -> Facts {
        let limits = if statements > LONG_PROGRAM { LIMITS_FOR_LONG } else { LIMITS };
        let budget = BUDGET + BUDGET_PER_STATEMENT * statements as u64;
        Facts { diagrams: Diagrams::new(), kinds: Vec::new(), measured: 0, limits, budget }
    }

    fn is_over_budget(&self) -> bool {
        self.diagrams.spent() > self.budget
    }

    /// Sets the step limit of the next operation.
    fn reset_budget(&mut self) {
        let over_budget = self.is_over_budget();
        if over_budget {
            self.limits = LIMITS_OVER_BUDGET;
        }
        self.diagrams.set_budget(if over_budget { MAX_STEPS_OVER_BUDGET } else { MAX_STEPS });
    }

    /// Creates a fact about which nothing is known.
    pub fn new_fact(&mut self, kind: Kind) -> Fact {
        self.kinds.push(kind);
        Fact(LAST_FACT + 1 - self.kinds.len() as u32)
    }

    /// Returns the kind of the fact, and a number that is larger for newer facts.
    fn kind(&self, fact: u32) -> (Kind, u32) {
        (self.kinds[(LAST_FACT - fact) as usize], LAST_FACT - fact)
    }

    /// Returns whether the limit on facts is reached.
    pub fn is_full(&self) -> bool {
        self.kinds.len() >= MAX_FACTS
    }

    /// Returns the states in `then` where `condition` holds, and those in `otherwise` where it does
    /// not.
    pub fn choose(&mut self, condition: &States, then: &States, otherwise: &States) -> States {
        let states = self.choose_states(condition, then, otherwise).or_else(|| {
            let [condition, then, otherwise] = [condition, then, otherwise].map(|set| self.approximate(set));
            self.choose_states(&condition, &then, &otherwise)
        });
        self.limit_size(states.unwrap_or(States::UNKNOWN))
    }

    fn choose_states(&mut self, condition: &States, then: &States, otherwise: &States) -> Option<States> {
        self.reset_budget();
        let d = &mut self.diagrams;
        if condition.is_exact() && then.is_exact() && otherwise.is_exact() {
            return Some(States::exactly(d.choose(&condition.most, &then.most, &otherwise.most)?));
        }
        // The states in which the condition can hold, and those in which it can fail.
        let yes = d.choose(&condition.most, &then.most, &Set::None)?;
        let no = d.choose(&condition.least, &Set::None, &otherwise.most)?;
        let most = d.choose(&yes, &Set::All, &no)?;
        let yes = d.choose(&condition.least, &then.least, &Set::None)?;
        let no = d.choose(&condition.most, &Set::None, &otherwise.least)?;
        Some(States { most, least: d.choose(&yes, &Set::All, &no)? })
    }

    /// Returns the states that are in both sets.
    pub fn intersection(&mut self, a: &States, b: &States) -> States {
        self.choose(a, b, &States::NONE)
    }

    /// Returns the states that are in either set.
    pub fn union(&mut self, a: &States, b: &States) -> States {
        self.choose(a, &States::ALL, b)
    }

    /// Returns the states of `a` that are not in `b`.
    pub fn except(&mut self, a: &States, b: &States) -> States {
        self.choose(b, &States::NONE, a)
    }

    /// Returns the states that are not in the set.
    pub fn not(&mut self, a: &States) -> States {
        self.except(&States::ALL, a)
    }

    /// Returns all states where `fact` holds.
    pub fn holds(&mut self, fact: Fact) -> States {
        States::exactly(self.diagrams.literal(fact.0, true))
    }

    /// Returns the states of `set` in which `fact` has the value `holds`.
    pub fn where_fact(&mut self, set: &States, fact: Fact, holds: bool) -> States {
        let wanted = States::exactly(self.diagrams.literal(fact.0, holds));
        self.intersection(set, &wanted)
    }

    /// Returns `set` after removing all knowledge of `fact`.
    pub fn forget_fact(&mut self, set: &States, fact: Fact) -> States {
        self.change_states(set, |diagrams, set| diagrams.forget_facts(set, &|other| other == fact.0, fact.0))
    }

    /// Returns `set` after removing all knowledge of several facts.
    pub fn forget_all(&mut self, set: &States, facts: &[Fact]) -> States {
        let Some(last) = facts.iter().map(|fact| fact.0).max() else { return set.clone() };
        let forgotten: FxHashSet<u32> = facts.iter().map(|fact| fact.0).collect();
        self.change_states(set, |diagrams, set| {
            diagrams.forget_facts(set, &|fact| forgotten.contains(&fact), last)
        })
    }

    /// Returns `set` after all of `cleared` have become false and all knowledge of `forgotten` is
    /// removed.
    pub fn clear_all(&mut self, set: &States, cleared: &[Fact], forgotten: &[Fact]) -> States {
        let changed: FxHashSet<u32> = cleared.iter().chain(forgotten).map(|fact| fact.0).collect();
        let Some(last) = changed.iter().max().copied() else { return set.clone() };
        let mut literals: Vec<(u32, bool)> = cleared.iter().map(|fact| (fact.0, false)).collect();
        literals.sort_unstable();
        let cube = self.diagrams.cube(&literals);
        self.change_states(set, |diagrams, set| {
            let set = diagrams.forget_facts(set, &|fact| changed.contains(&fact), last)?;
            diagrams.choose(&set, &cube, &Set::None)
        })
    }

    /// Returns all states where `fact` holds and none of `others`.
    pub fn where_only(&mut self, fact: Fact, others: impl Iterator<Item = Fact>) -> States {
        let mut literals: Vec<(u32, bool)> = others.map(|other| (other.0, false)).collect();
        literals.push((fact.0, true));
        literals.sort_unstable();
        States::exactly(self.diagrams.cube(&literals))
    }

    /// Returns `set` after `fact` has been set to `holds`.
    pub fn set_fact(&mut self, set: &States, fact: Fact, holds: bool) -> States {
        self.change_states(set, |diagrams, set| diagrams.set_fact(set, fact.0, holds))
    }

    fn change_states(
        &mut self,
        set: &States,
        change: impl Fn(&mut Diagrams, &Set) -> WithinBudget<Set>,
    ) -> States {
        let attempt = |set: &States, facts: &mut Facts| {
            facts.reset_budget();
            let most = change(&mut facts.diagrams, &set.most)?;
            let least = if set.is_exact() { most.clone() } else { change(&mut facts.diagrams, &set.least)? };
            Some(States { most, least })
        };
        let states = attempt(set, self)
            .or_else(|| attempt(&self.approximate(set), self))
            .or_else(|| attempt(&States::UNKNOWN, self));
        self.limit_size(states.unwrap_or(States::UNKNOWN))
    }

    /// Returns `set` after `fact` has been set to whether the previous state was in `value`.
    pub fn assign(&mut self, set: &States, fact: Fact, value: &States) -> States {
        let holding = self.intersection(set, value);
        let lacking = self.except(set, value);
        let holding = self.set_fact(&holding, fact, true);
        let lacking = self.set_fact(&lacking, fact, false);
        self.union(&holding, &lacking)
    }

    /// Returns the set, approximated if it is too large. Sets are measured only after enough new
    /// decisions for one to have grown.
    fn limit_size(&mut self, states: States) -> States {
        if self.diagrams.created() < self.measured + self.limits.size as u64 / 4 {
            return states;
        }
        self.measured = self.diagrams.created();
        let Limits { size: most, support, .. } = self.limits;
        let mut looked_at = 0;
        let mut small = |set: &Set| {
            let size = set.size();
            looked_at += size;
            size <= most || size <= most + 2 * set.support().len().min(support)
        };
        let small_enough = small(&states.most) && (states.is_exact() || small(&states.least));
        self.diagrams.spend(looked_at);
        if small_enough { states } else { self.approximate(&states) }
    }

    /// Returns the set with smaller diagrams: a larger upper bound and a smaller lower bound.
    fn approximate(&mut self, states: &States) -> States {
        let least =
            if self.is_small(&states.least) { states.least.clone() } else { self.lower_bound(&states.least) };
        States { most: self.upper_bound(&states.most), least }
    }

    /// Returns a superset with a small diagram. Knowledge is removed in steps: equalities with
    /// numbers, marks, and at last everything except the facts that are the same in all states.
    fn upper_bound(&mut self, set: &Set) -> Set {
        let mut set = set.clone();
        let kinds: &[Kind] = if self.is_over_budget() { &[] } else { &[Kind::Equals, Kind::Mark] };
        for &kind in kinds {
            if self.is_small(&set) {
                return set;
            }
            self.reset_budget();
            let shared = set.decided_facts();
            let kinds = &self.kinds;
            let loose = |fact: u32| {
                kinds[(LAST_FACT - fact) as usize] == kind
                    && shared.binary_search_by_key(&fact, |&(fact, _)| fact).is_err()
            };
            match self.diagrams.forget_facts(&set, &loose, u32::MAX - 1) {
                Some(loosened) => set = loosened,
                None => break,
            }
        }
        if self.is_small(&set) {
            return set;
        }
        let mut shared = set.decided_facts();
        if shared.len() > self.limits.literals {
            shared.sort_by_key(|&(fact, _)| self.kind(fact));
            shared.truncate(self.limits.literals);
            shared.sort_unstable();
        }
        self.diagrams.cube(&shared)
    }

    /// Returns a subset with a small diagram: for as many facts as possible, a state in which the
    /// fact is false and one in which it is true.
    fn lower_bound(&mut self, set: &Set) -> Set {
        if self.is_over_budget() {
            return Set::None;
        }
        let mut facts = set.support();
        facts.sort_by_key(|&fact| self.kind(fact));
        let mut bound = Set::None;
        let mut seen: FxHashSet<(u32, bool)> = FxHashSet::default();
        for (fact, holds) in facts.iter().flat_map(|&fact| [(fact, false), (fact, true)]) {
            if seen.contains(&(fact, holds)) {
                continue;
            }
            let Some(path) = set.path(fact, holds).filter(|path| path.len() <= self.limits.literals) else {
                continue;
            };
            let cube = self.diagrams.cube(&path);
            self.reset_budget();
            match self.diagrams.choose(&bound, &Set::All, &cube) {
                Some(more) if self.is_small(&more) => bound = more,
                _ => break,
            }
            // Facts that the path does not decide can have either value.
            let decided: FxHashSet<u32> = path.iter().map(|&(fact, _)| fact).collect();
            let free = facts.iter().filter(|fact| !decided.contains(fact));
            seen.extend(free.flat_map(|&fact| [(fact, false), (fact, true)]));
            seen.extend(path);
        }
        bound
    }

    /// Returns whether the diagram is at most half as large as allowed.
    fn is_small(&self, set: &Set) -> bool {
        let Limits { size: most, support, .. } = self.limits;
        let size = set.size();
        size <= most / 2 || size <= most / 2 + set.support().len().min(support)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_between_facts_are_kept() {
        let mut facts = Facts::new(100);
        let (ip, tcp) = (facts.new_fact(Kind::Valid), facts.new_fact(Kind::Valid));
        let start = facts.set_fact(&States::ALL, ip, false);
        let start = facts.set_fact(&start, tcp, false);
        let with_ip = facts.set_fact(&start, ip, true);
        let with_tcp = facts.set_fact(&with_ip, tcp, true);
        let accepted = facts.union(&start, &with_ip);
        let accepted = facts.union(&accepted, &with_tcp);
        let tcp_seen = facts.where_fact(&accepted, tcp, true);
        assert!(facts.where_fact(&tcp_seen, ip, false).is_none());
        assert!(facts.where_fact(&accepted, ip, false).is_some());
    }

    #[test]
    fn an_assignment_reads_the_state_before_it() {
        let mut facts = Facts::new(100);
        let (a, b) = (facts.new_fact(Kind::Mark), facts.new_fact(Kind::Mark));
        let value = facts.holds(a);
        let copied = facts.assign(&States::ALL, b, &value);
        let cleared = facts.set_fact(&copied, a, false);
        // `b` still has the previous value of `a`.
        assert!(facts.where_fact(&cleared, b, true).is_some());
        assert!(facts.where_fact(&cleared, a, true).is_none());
    }

    /// Keeping x1 = y1, x2 = y2, … with all x before all y needs 2^n decisions. The approximation
    /// forgets these relations, but keeps the facts that are the same in all states, and is right
    /// about the states that it reports as possible.
    #[test]
    fn past_the_limit_relations_are_forgotten() {
        let mut facts = Facts::new(100);
        let (always, never) = (facts.new_fact(Kind::Valid), facts.new_fact(Kind::Valid));
        let left: Vec<Fact> = (0..40).map(|_| facts.new_fact(Kind::Valid)).collect();
        let mut states = facts.set_fact(&States::ALL, always, true);
        states = facts.set_fact(&states, never, false);
        let mut copies = Vec::new();
        for &fact in &left {
            let copy = facts.new_fact(Kind::Valid);
            let value = facts.holds(fact);
            states = facts.assign(&states, copy, &value);
            copies.push(copy);
        }
        assert!(!states.is_exact());
        assert!(states.most.size() < 2 * LIMITS.size && states.least.size() < 2 * LIMITS.size);
        assert!(facts.where_fact(&states, always, false).is_none());
        assert!(facts.where_fact(&states, never, true).is_none());
        assert!(facts.where_fact(&states, left[0], false).is_some(), "a witness is kept");
        for (&fact, copy) in left.iter().zip(copies) {
            let unlike = facts.where_fact(&states, fact, false);
            assert!(!facts.where_fact(&unlike, copy, true).is_some(), "no witness is invented");
        }
    }
}
