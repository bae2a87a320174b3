//! Boolean functions over facts as reduced ordered binary decision diagrams (Bryant 1986): equal
//! functions are the same diagram.
//!
//! Diagrams can grow exponentially, so an operation has a budget of steps and fails when it is used
//! up. Diagrams that nothing refers to are removed from time to time. The results do not depend on
//! the order of a hash table.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::state_set::{Node, Set};

/// The last fact in the variable order. Newer facts come first because they change more often, and
/// a change near the root does not change the diagrams below it.
pub(super) const LAST_FACT: u32 = 1 << 30;

/// The result of an operation; `None` if its budget of steps was not sufficient.
pub(super) type WithinBudget<T> = Option<T>;

/// The number of new decisions after which unreferenced ones are removed.
const DECISIONS_UNTIL_SWEEP: usize = 20_000;

/// The store of all decision diagrams.
pub(super) struct Diagrams {
    computed: FxHashMap<(u64, u64, u64), Set>,
    /// The decisions by fact, [`LAST_FACT`] first. Equal decisions are stored once.
    levels: Vec<FxHashMap<(u64, u64), Set>>,
    /// The number of decisions that were ever created, including the two leaves.
    created: u64,
    stored: usize,
    sweep_at: usize,
    budget: usize,
    depth: usize,
    /// Steps that all operations have taken.
    spent: u64,
}

/// The maximum recursion depth of an operation. Each level of a diagram adds 1 to the depth.
const MAX_DEPTH: usize = 1_200;

impl Diagrams {
    pub fn new() -> Diagrams {
        Diagrams {
            computed: FxHashMap::default(),
            levels: Vec::new(),
            created: 2,
            stored: 0,
            sweep_at: DECISIONS_UNTIL_SWEEP,
            budget: 0,
            depth: 0,
            spent: 0,
        }
    }

    /// Returns the steps that all operations have taken, which are the cost of the analysis.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Adds steps that were taken outside the operations.
    pub fn spend(&mut self, steps: usize) {
        self.spent += steps as u64;
    }

    /// Returns the number of decisions created so far. If this number has not grown, no set has
    /// grown.
    pub fn created(&self) -> u64 {
        self.created
    }

    /// Sets the budget of the next operations, in steps, and removes unreferenced decisions if
    /// there are many.
    pub fn set_budget(&mut self, steps: usize) {
        self.budget = steps;
        self.depth = 0;
        if self.stored >= self.sweep_at || self.computed.len() >= 2 * self.sweep_at {
            self.sweep();
        }
    }

    /// Frees the decisions that no set uses any more.
    fn sweep(&mut self) {
        self.computed.clear();
        self.stored = 0;
        // From the root level down: removing a decision releases those below it before their level
        // is swept.
        for level in self.levels.iter_mut().rev() {
            level.retain(|_, set| matches!(set, Set::Split(node) if Rc::strong_count(node) > 1));
            self.stored += level.len();
        }
        // A sweep visits every level, so the threshold grows with the number of levels.
        self.sweep_at = 2 * self.stored + DECISIONS_UNTIL_SWEEP + 8 * self.levels.len();
    }

    /// Returns the decision with these cofactors; equal decisions are created only once.
    fn node(&mut self, fact: u32, without: Set, with: Set) -> Set {
        if without == with {
            return with;
        }
        let level = (LAST_FACT - fact) as usize;
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, FxHashMap::default);
        }
        let (created, stored) = (&mut self.created, &mut self.stored);
        let known = self.levels[level].entry((without.id(), with.id()));
        let new = known.or_insert_with(|| {
            *created += 1;
            *stored += 1;
            Set::Split(Rc::new(Node { id: *created - 1, fact, without, with }))
        });
        new.clone()
    }

    /// Enters one level of recursion; `None` if the budget or the depth is exhausted.
    fn descend(&mut self) -> WithinBudget<()> {
        self.budget = self.budget.checked_sub(1)?;
        self.depth += 1;
        self.spent += 1;
        (self.depth <= MAX_DEPTH).then_some(())
    }

    /// Returns the states in `then` where `condition` holds, and those in `otherwise` where it does
    /// not.
    pub fn choose(&mut self, condition: &Set, then: &Set, otherwise: &Set) -> WithinBudget<Set> {
        match (condition, then, otherwise) {
            (Set::All, then, _) => return Some(then.clone()),
            (Set::None, _, otherwise) => return Some(otherwise.clone()),
            (_, then, otherwise) if then == otherwise => return Some(then.clone()),
            (condition, Set::All, Set::None) => return Some(condition.clone()),
            _ => {}
        }
        let key = (condition.id(), then.id(), otherwise.id());
        if let Some(known) = self.computed.get(&key) {
            return Some(known.clone());
        }
        self.descend()?;
        let fact = condition.fact().min(then.fact()).min(otherwise.fact());
        let (c0, c1) = condition.cofactors(fact);
        let (t0, t1) = then.cofactors(fact);
        let (o0, o1) = otherwise.cofactors(fact);
        let without = self.choose(&c0, &t0, &o0)?;
        let with_fact = self.choose(&c1, &t1, &o1)?;
        self.depth -= 1;
        let result = self.node(fact, without, with_fact);
        self.computed.insert(key, result.clone());
        Some(result)
    }

    /// Returns the set of all states in which `fact` has the value `holds`.
    pub fn literal(&mut self, fact: u32, holds: bool) -> Set {
        if holds { self.node(fact, Set::None, Set::All) } else { self.node(fact, Set::All, Set::None) }
    }

    /// Returns all states in which the facts have the given values; `literals` must be sorted.
    pub fn cube(&mut self, literals: &[(u32, bool)]) -> Set {
        literals.iter().rev().fold(Set::All, |below, &(fact, holds)| {
            if holds { self.node(fact, Set::None, below) } else { self.node(fact, below, Set::None) }
        })
    }

    /// Returns `set` after `fact` has been set to `holds`.
    pub fn set_fact(&mut self, set: &Set, fact: u32, holds: bool) -> WithinBudget<Set> {
        self.set_fact_in(set, fact, holds, &mut FxHashMap::default())
    }

    fn set_fact_in(
        &mut self,
        set: &Set,
        fact: u32,
        holds: bool,
        done: &mut FxHashMap<u64, Set>,
    ) -> WithinBudget<Set> {
        let below = match set {
            Set::None => return Some(Set::None),
            Set::Split(node) if node.fact < fact => {
                if let Some(known) = done.get(&node.id) {
                    return Some(known.clone());
                }
                self.descend()?;
                let without = self.set_fact_in(&node.without, fact, holds, done)?;
                let with_fact = self.set_fact_in(&node.with, fact, holds, done)?;
                self.depth -= 1;
                let result = self.node(node.fact, without, with_fact);
                done.insert(node.id, result.clone());
                return Some(result);
            }
            Set::Split(node) if node.fact == fact => self.choose(&node.without, &Set::All, &node.with)?,
            set => set.clone(),
        };
        Some(if holds { self.node(fact, Set::None, below) } else { self.node(fact, below, Set::None) })
    }

    /// Returns `set` after removing all knowledge of the facts for which `forgotten` returns true.
    /// All of these facts are at most `last`.
    pub fn forget_facts(
        &mut self,
        set: &Set,
        forgotten: &dyn Fn(u32) -> bool,
        last: u32,
    ) -> WithinBudget<Set> {
        self.forget_in(set, forgotten, last, &mut FxHashMap::default())
    }

    fn forget_in(
        &mut self,
        set: &Set,
        forgotten: &dyn Fn(u32) -> bool,
        last: u32,
        done: &mut FxHashMap<u64, Set>,
    ) -> WithinBudget<Set> {
        let Set::Split(node) = set else { return Some(set.clone()) };
        if node.fact > last {
            return Some(set.clone());
        }
        if let Some(known) = done.get(&node.id) {
            return Some(known.clone());
        }
        self.descend()?;
        let without = self.forget_in(&node.without, forgotten, last, done)?;
        let with_fact = self.forget_in(&node.with, forgotten, last, done)?;
        self.depth -= 1;
        let result = if forgotten(node.fact) {
            self.choose(&without, &Set::All, &with_fact)?
        } else {
            self.node(node.fact, without, with_fact)
        };
        done.insert(node.id, result.clone());
        Some(result)
    }
}

impl Drop for Diagrams {
    /// Drops the levels from the root down, so that dropping a decision is not recursive.
    fn drop(&mut self) {
        self.computed.clear();
        while self.levels.pop().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first of the six facts.
    const FIRST_FACT: u32 = LAST_FACT - 5;

    fn diagrams() -> Diagrams {
        let mut diagrams = Diagrams::new();
        diagrams.set_budget(1_000_000);
        diagrams
    }

    fn both(d: &mut Diagrams, a: &Set, b: &Set) -> Set {
        d.choose(a, b, &Set::None).expect("enough budget")
    }

    fn either(d: &mut Diagrams, a: &Set, b: &Set) -> Set {
        d.choose(a, &Set::All, b).expect("enough budget")
    }

    /// Returns a set of states over six facts, and the list of its states.
    fn some_set(d: &mut Diagrams, seed: u64) -> (Set, Vec<u32>) {
        let states: Vec<u32> = (0..64).filter(|n| seed >> n & 1 == 1).collect();
        let mut set = Set::None;
        for state in &states {
            let cube =
                d.cube(&(0..6).map(|fact| (FIRST_FACT + fact, state >> fact & 1 == 1)).collect::<Vec<_>>());
            set = either(d, &set, &cube);
        }
        (set, states)
    }

    /// Seeds of sets, from empty to full.
    const SEEDS: [u64; 8] = [
        0,
        u64::MAX,
        1,
        0x8000_0000_0000_0001,
        0x0f0f_0f0f_0000_0000,
        0xaaaa_aaaa_aaaa_aaaa,
        0x1234_5678_9abc_def0,
        0x0000_00ff_0000_ff00,
    ];

    #[test]
    fn equal_sets_are_equal() {
        let mut d = diagrams();
        for (a, b) in SEEDS.iter().flat_map(|a| SEEDS.iter().map(move |b| (*a, *b))) {
            let ((a_set, _), (b_set, _)) = (some_set(&mut d, a), some_set(&mut d, b));
            assert!(both(&mut d, &a_set, &b_set) == some_set(&mut d, a & b).0);
            assert!(either(&mut d, &a_set, &b_set) == some_set(&mut d, a | b).0);
        }
    }

    #[test]
    fn decided_facts_hold_in_all_states() {
        let mut d = diagrams();
        for seed in SEEDS {
            let (set, states) = some_set(&mut d, seed);
            let shared = (0..6).filter_map(|fact| {
                let first = states.first()? >> fact & 1;
                states
                    .iter()
                    .all(|state| state >> fact & 1 == first)
                    .then_some((FIRST_FACT + fact, first == 1))
            });
            assert_eq!(set.decided_facts(), shared.collect::<Vec<_>>(), "{seed:x}");
        }
    }

    #[test]
    fn a_path_is_within_the_set() {
        let mut d = diagrams();
        for seed in SEEDS {
            let (set, states) = some_set(&mut d, seed);
            for (fact, holds) in (0..6).flat_map(|fact| [(fact, false), (fact, true)]) {
                let Some(path) = set.path(FIRST_FACT + fact, holds) else {
                    let told_apart = set.support().contains(&(FIRST_FACT + fact));
                    assert!(!told_apart || states.iter().all(|state| (state >> fact & 1 == 1) != holds));
                    continue;
                };
                let cube = d.cube(&path);
                assert!(both(&mut d, &cube, &set) == cube);
                assert!(path.contains(&(FIRST_FACT + fact, holds)));
            }
        }
    }

    #[test]
    fn a_fact_can_be_changed_and_forgotten() {
        let mut d = diagrams();
        for (seed, fact) in SEEDS.iter().flat_map(|seed| (0..6).map(move |fact| (*seed, fact))) {
            let (set, states) = some_set(&mut d, seed);
            let changed = d.set_fact(&set, FIRST_FACT + fact, true).expect("enough budget");
            let seed = states.iter().fold(0u64, |seed, state| seed | 1 << (state | 1 << fact));
            assert!(changed == some_set(&mut d, seed).0);
            let forgotten =
                d.forget_facts(&set, &|f| f == FIRST_FACT + fact, FIRST_FACT + fact).expect("enough budget");
            let seed = states.iter().fold(seed, |seed, state| seed | 1 << (state & !(1 << fact)));
            assert!(forgotten == some_set(&mut d, seed).0);
        }
    }

    #[test]
    fn referenced_sets_survive_a_sweep() {
        let mut d = diagrams();
        let (kept, _) = some_set(&mut d, SEEDS[6]);
        for seed in 1..2_000u64 {
            some_set(&mut d, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        d.sweep();
        assert_eq!(d.stored, kept.size());
        assert!(some_set(&mut d, SEEDS[6]).0 == kept);
    }

    #[test]
    fn an_operation_past_its_budget_fails() {
        let mut d = Diagrams::new();
        d.set_budget(1_000_000);
        let (a, _) = some_set(&mut d, SEEDS[6]);
        let (b, _) = some_set(&mut d, 0x9e37_79b9_7f4a_7c15);
        d.sweep();
        d.set_budget(2);
        assert!(d.choose(&a, &b, &Set::None).is_none());
    }
}
