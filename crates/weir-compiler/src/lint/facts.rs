//! Sets of program states, over yes-or-no facts ("this header is valid", "this variable has a value").
//!
//! The relations between facts that make or break a warning ("TCP is valid only where IPv4 is") are kept exactly, as decision
//! diagrams, while those stay small. Where they grow past their limits, relations are forgotten, in both directions: a
//! set is then known to hold at most some states and at least some others. What is said to be *never* so follows from the
//! first, what is said to be *possibly* so from the second; so forgetting loses warnings and invents none.

use rustc_hash::FxHashSet;

use super::diagram::{Diagrams, Done, LAST};
use super::state_set::Set;

/// A set of states, as far as it is known.
#[derive(Clone)]
pub(super) struct States {
    /// No other states are in it.
    most: Set,
    /// These are in it.
    least: Set,
}

impl States {
    /// No state: such a place is not reached.
    pub const NONE: States = States { most: Set::None, least: Set::None };
    /// Every state.
    pub const ALL: States = States { most: Set::All, least: Set::All };
    /// Nothing is known of the set.
    pub const UNKNOWN: States = States { most: Set::All, least: Set::None };

    fn exactly(set: Set) -> States {
        States { least: set.clone(), most: set }
    }

    fn is_exact(&self) -> bool {
        self.most == self.least
    }

    /// Whether there is no state in it for certain.
    pub fn is_none(&self) -> bool {
        self.most.is_none()
    }

    /// Whether there is a state in it for certain.
    pub fn is_some(&self) -> bool {
        !self.least.is_none()
    }

    /// Whether the set leaves room for no more than the other: a search for states is done when nothing more can come.
    pub fn no_wider_than(&self, before: &States) -> bool {
        self.most == before.most
    }

    /// The set, leaving room for all states.
    pub fn widest(&self) -> States {
        States { most: Set::All, least: self.least.clone() }
    }
}

/// A yes-or-no property of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Fact(u32);

/// What facts say; the first are forgotten last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// A header is valid.
    Valid,
    /// A variable has a value.
    HasValue,
    /// A header came in invalid, a packet was dropped, a Boolean is true.
    Mark,
    /// A variable or field equals a number.
    Equals,
}

/// How large sets may be, so that each step has its price, and what is left over is told.
#[derive(Clone, Copy)]
struct Limits {
    /// Decisions that a set may have before relations are forgotten, besides two for each of its first `room` facts.
    size: usize,
    room: usize,
    /// Facts that a set that is cut down still tells.
    literals: usize,
}

const LIMITS: Limits = Limits { size: 250, room: 60, literals: 300 };

/// Those for programs of very many statements, where every step counts.
const LIMITS_OF_LONG: Limits = Limits { size: 50, room: 15, literals: 80 };

/// Those once the purse is empty: what is the same in all states, and little else.
const LIMITS_OF_POOR: Limits = Limits { size: 36, room: 0, literals: 12 };

/// The purse: steps that all operations may take together before sets are kept as small as can be, so that the time grows with
/// the program and not faster.
const PURSE: u64 = 500_000;
const PURSE_A_STATEMENT: u64 = 20;

/// Steps that one operation may take before relations are forgotten, and with an empty purse.
const MAX_STEPS: usize = 5_000;
const MAX_STEPS_OF_POOR: usize = 100;

/// Facts that one analysis may tell apart; each costs little until it is used.
const MAX_FACTS: usize = 200_000;

/// The store of all sets.
pub(super) struct Facts {
    diagrams: Diagrams,
    kinds: Vec<Kind>,
    /// How many decisions had been made when a set was measured last.
    measured: u64,
    limits: Limits,
    /// Steps that may be spent before sets are kept small.
    purse: u64,
}

/// Programs of more statements are long: less is told apart in them.
pub(super) const LONG: usize = 2_000;

impl Facts {
    /// Of a program of so many statements.
    pub fn new(statements: usize) -> Facts {
        let limits = if statements > LONG { LIMITS_OF_LONG } else { LIMITS };
        let purse = PURSE + PURSE_A_STATEMENT * statements as u64;
        Facts { diagrams: Diagrams::new(), kinds: Vec::new(), measured: 0, limits, purse }
    }

    fn is_poor(&self) -> bool {
        self.diagrams.spent() > self.purse
    }

    /// Steps for the next operation.
    fn allow(&mut self) {
        let poor = self.is_poor();
        if poor {
            self.limits = LIMITS_OF_POOR;
        }
        self.diagrams.allow(if poor { MAX_STEPS_OF_POOR } else { MAX_STEPS });
    }

    /// Another fact, of which nothing is known.
    pub fn fresh(&mut self, kind: Kind) -> Fact {
        self.kinds.push(kind);
        Fact(LAST + 1 - self.kinds.len() as u32)
    }

    /// What the fact says, and a number that is larger for later facts.
    fn kind(&self, fact: u32) -> (Kind, u32) {
        (self.kinds[(LAST - fact) as usize], LAST - fact)
    }

    /// Whether there are so many facts that nothing more should be followed.
    pub fn enough(&self) -> bool {
        self.kinds.len() >= MAX_FACTS
    }

    /// The states in `then` where `condition` holds, and those in `otherwise` where it does not.
    pub fn choose(&mut self, condition: &States, then: &States, otherwise: &States) -> States {
        let states = self.chosen(condition, then, otherwise).or_else(|| {
            let [condition, then, otherwise] = [condition, then, otherwise].map(|set| self.cut(set));
            self.chosen(&condition, &then, &otherwise)
        });
        self.measured(states.unwrap_or(States::UNKNOWN))
    }

    fn chosen(&mut self, condition: &States, then: &States, otherwise: &States) -> Option<States> {
        self.allow();
        let d = &mut self.diagrams;
        if condition.is_exact() && then.is_exact() && otherwise.is_exact() {
            return Some(States::exactly(d.choose(&condition.most, &then.most, &otherwise.most)?));
        }
        // Where the condition may hold, and where it may not.
        let yes = d.choose(&condition.most, &then.most, &Set::None)?;
        let no = d.choose(&condition.least, &Set::None, &otherwise.most)?;
        let most = d.choose(&yes, &Set::All, &no)?;
        let yes = d.choose(&condition.least, &then.least, &Set::None)?;
        let no = d.choose(&condition.most, &Set::None, &otherwise.least)?;
        Some(States { most, least: d.choose(&yes, &Set::All, &no)? })
    }

    pub fn both(&mut self, a: &States, b: &States) -> States {
        self.choose(a, b, &States::NONE)
    }

    pub fn either(&mut self, a: &States, b: &States) -> States {
        self.choose(a, &States::ALL, b)
    }

    /// The states of `a` that are not in `b`.
    pub fn except(&mut self, a: &States, b: &States) -> States {
        self.choose(b, &States::NONE, a)
    }

    pub fn not(&mut self, a: &States) -> States {
        self.except(&States::ALL, a)
    }

    /// All states where `fact` holds.
    pub fn holds(&mut self, fact: Fact) -> States {
        States::exactly(self.diagrams.literal(fact.0, true))
    }

    /// The states of `set` where `fact` is as said.
    pub fn where_fact(&mut self, set: &States, fact: Fact, holds: bool) -> States {
        let wanted = States::exactly(self.diagrams.literal(fact.0, holds));
        self.both(set, &wanted)
    }

    /// `set` after nothing is known of `fact` any more.
    pub fn forget(&mut self, set: &States, fact: Fact) -> States {
        self.changed(set, |diagrams, set| diagrams.forget(set, &|other| other == fact.0, fact.0))
    }

    /// The same of several facts, in one go.
    pub fn forget_all(&mut self, set: &States, facts: &[Fact]) -> States {
        let Some(last) = facts.iter().map(|fact| fact.0).max() else { return set.clone() };
        let forgotten: FxHashSet<u32> = facts.iter().map(|fact| fact.0).collect();
        self.changed(set, |diagrams, set| diagrams.forget(set, &|fact| forgotten.contains(&fact), last))
    }

    /// All states where `fact` holds and none of `others`.
    pub fn only(&mut self, fact: Fact, others: impl Iterator<Item = Fact>) -> States {
        let mut literals: Vec<(u32, bool)> = others.map(|other| (other.0, false)).collect();
        literals.push((fact.0, true));
        literals.sort_unstable();
        States::exactly(self.diagrams.cube(&literals))
    }

    /// `set` after `fact` came to be as said.
    pub fn set(&mut self, set: &States, fact: Fact, holds: bool) -> States {
        self.changed(set, |diagrams, set| diagrams.set(set, fact.0, holds))
    }

    fn changed(&mut self, set: &States, change: impl Fn(&mut Diagrams, &Set) -> Done<Set>) -> States {
        let attempt = |set: &States, facts: &mut Facts| {
            facts.allow();
            let most = change(&mut facts.diagrams, &set.most)?;
            let least = if set.is_exact() { most.clone() } else { change(&mut facts.diagrams, &set.least)? };
            Some(States { most, least })
        };
        let states = attempt(set, self)
            .or_else(|| attempt(&self.cut(set), self))
            .or_else(|| attempt(&States::UNKNOWN, self));
        self.measured(states.unwrap_or(States::UNKNOWN))
    }

    /// `set` after `fact` came to be what `value` says of the state before.
    pub fn assign(&mut self, set: &States, fact: Fact, value: &States) -> States {
        let holding = self.both(set, value);
        let lacking = self.except(set, value);
        let holding = self.set(&holding, fact, true);
        let lacking = self.set(&lacking, fact, false);
        self.either(&holding, &lacking)
    }

    /// The set, cut down if it grew too large. Sets are measured when enough decisions were made for one to have grown.
    fn measured(&mut self, states: States) -> States {
        if self.diagrams.made() < self.measured + self.limits.size as u64 / 4 {
            return states;
        }
        self.measured = self.diagrams.made();
        let Limits { size: most, room, .. } = self.limits;
        let mut looked_at = 0;
        let mut small = |set: &Set| {
            let size = set.size();
            looked_at += size;
            size <= most || size <= most + 2 * set.support().len().min(room)
        };
        let small_enough = small(&states.most) && (states.is_exact() || small(&states.least));
        self.diagrams.spend(looked_at);
        if small_enough { states } else { self.cut(&states) }
    }

    /// The set with fewer relations: room for more states, and certainty of fewer.
    fn cut(&mut self, states: &States) -> States {
        let least =
            if self.is_low(&states.least) { states.least.clone() } else { self.witnesses(&states.least) };
        States { most: self.loosened(&states.most), least }
    }

    /// A superset that is small: first without what is known of numbers, then without other relations, at last with what is
    /// the same in all states alone.
    fn loosened(&mut self, set: &Set) -> Set {
        let mut set = set.clone();
        let kinds: &[Kind] = if self.is_poor() { &[] } else { &[Kind::Equals, Kind::Mark] };
        for &kind in kinds {
            if self.is_low(&set) {
                return set;
            }
            self.allow();
            let shared = set.decided();
            let kinds = &self.kinds;
            let loose = |fact: u32| {
                kinds[(LAST - fact) as usize] == kind
                    && shared.binary_search_by_key(&fact, |&(fact, _)| fact).is_err()
            };
            match self.diagrams.forget(&set, &loose, u32::MAX - 1) {
                Some(loosened) => set = loosened,
                None => break,
            }
        }
        if self.is_low(&set) {
            return set;
        }
        let mut shared = set.decided();
        if shared.len() > self.limits.literals {
            shared.sort_by_key(|&(fact, _)| self.kind(fact));
            shared.truncate(self.limits.literals);
            shared.sort_unstable();
        }
        self.diagrams.cube(&shared)
    }

    /// A subset that is small: as many of the kinds of states that lack a header or variable, and of those that have it, as
    /// there is room for.
    fn witnesses(&mut self, set: &Set) -> Set {
        if self.is_poor() {
            return Set::None;
        }
        let mut facts = set.support();
        facts.sort_by_key(|&fact| self.kind(fact));
        let mut kept = Set::None;
        let mut seen: FxHashSet<(u32, bool)> = FxHashSet::default();
        for (fact, holds) in facts.iter().flat_map(|&fact| [(fact, false), (fact, true)]) {
            if seen.contains(&(fact, holds)) {
                continue;
            }
            let Some(way) = set.way(fact, holds).filter(|way| way.len() <= self.limits.literals) else {
                continue;
            };
            let cube = self.diagrams.cube(&way);
            self.allow();
            match self.diagrams.choose(&kept, &Set::All, &cube) {
                Some(more) if self.is_low(&more) => kept = more,
                _ => break,
            }
            // What the way does not decide is both.
            let decided: FxHashSet<u32> = way.iter().map(|&(fact, _)| fact).collect();
            let free = facts.iter().filter(|fact| !decided.contains(fact));
            seen.extend(free.flat_map(|&fact| [(fact, false), (fact, true)]));
            seen.extend(way);
        }
        kept
    }

    /// Whether the set is far from being cut down.
    fn is_low(&self, set: &Set) -> bool {
        let Limits { size: most, room, .. } = self.limits;
        let size = set.size();
        size <= most / 2 || size <= most / 2 + set.support().len().min(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_between_facts_are_kept() {
        let mut facts = Facts::new(100);
        let (ip, tcp) = (facts.fresh(Kind::Valid), facts.fresh(Kind::Valid));
        let start = facts.set(&States::ALL, ip, false);
        let start = facts.set(&start, tcp, false);
        let with_ip = facts.set(&start, ip, true);
        let with_tcp = facts.set(&with_ip, tcp, true);
        let accepted = facts.either(&start, &with_ip);
        let accepted = facts.either(&accepted, &with_tcp);
        let tcp_seen = facts.where_fact(&accepted, tcp, true);
        assert!(facts.where_fact(&tcp_seen, ip, false).is_none());
        assert!(facts.where_fact(&accepted, ip, false).is_some());
    }

    #[test]
    fn an_assignment_reads_the_state_before_it() {
        let mut facts = Facts::new(100);
        let (a, b) = (facts.fresh(Kind::Mark), facts.fresh(Kind::Mark));
        let value = facts.holds(a);
        let copied = facts.assign(&States::ALL, b, &value);
        let cleared = facts.set(&copied, a, false);
        // b still says what a was.
        assert!(facts.where_fact(&cleared, b, true).is_some());
        assert!(facts.where_fact(&cleared, a, true).is_none());
    }

    /// x1 = y1, x2 = y2, … with all the x before all the y needs 2^n decisions: relations are forgotten, what is always so
    /// is not, and what is said to be possible is.
    #[test]
    fn past_the_limit_relations_are_forgotten() {
        let mut facts = Facts::new(100);
        let (always, never) = (facts.fresh(Kind::Valid), facts.fresh(Kind::Valid));
        let left: Vec<Fact> = (0..40).map(|_| facts.fresh(Kind::Valid)).collect();
        let mut states = facts.set(&States::ALL, always, true);
        states = facts.set(&states, never, false);
        let mut copies = Vec::new();
        for &fact in &left {
            let copy = facts.fresh(Kind::Valid);
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
