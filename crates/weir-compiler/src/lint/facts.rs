//! Sets of program states, as Boolean functions over yes-or-no facts ("this header is valid", "this variable has a value").
//!
//! Reduced ordered binary decision diagrams (Bryant 1986): equal sets have equal handles, and the relations between facts
//! that make or break a warning ("TCP is valid only where IPv4 is") are kept exactly. Diagrams can grow exponentially in
//! the worst case, so there is a limit; past it every answer is [`States::NONE`] and [`Facts::exhausted`] says so.

use rustc_hash::FxHashMap;

/// A set of states. Equal handles of the same [`Facts`] mean equal sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct States(u32);

impl States {
    /// No state: such a place is not reached.
    pub const NONE: States = States(0);
    /// Every state.
    pub const ALL: States = States(1);

    pub fn is_none(self) -> bool {
        self == States::NONE
    }
}

/// A yes-or-no property of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Fact(u32);

/// A decision: the set where `fact` does not hold, and the set where it does.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    fact: u32,
    without: States,
    with: States,
}

/// Decisions that one analysis may make; some megabytes, and tens of milliseconds.
const MAX_NODES: usize = 60_000;

/// Facts that one analysis may tell apart: operations recur once for each.
const MAX_FACTS: u32 = 4_000;

/// The store of all diagrams.
pub(super) struct Facts {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, States>,
    computed: FxHashMap<(States, States, States), States>,
    facts: u32,
    exhausted: bool,
}

impl Facts {
    pub fn new() -> Facts {
        let leaf = |set| Node { fact: u32::MAX, without: set, with: set };
        Facts {
            nodes: vec![leaf(States::NONE), leaf(States::ALL)],
            unique: FxHashMap::default(),
            computed: FxHashMap::default(),
            facts: 0,
            exhausted: false,
        }
    }

    /// Whether the limit was met, and answers mean nothing any more.
    pub fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// Another fact, of which nothing is known.
    pub fn fresh(&mut self) -> Fact {
        self.facts += 1;
        self.exhausted |= self.facts > MAX_FACTS;
        Fact(self.facts - 1)
    }

    fn node(&mut self, fact: u32, without: States, with: States) -> States {
        if without == with {
            return with;
        }
        let node = Node { fact, without, with };
        if let Some(&known) = self.unique.get(&node) {
            return known;
        }
        if self.nodes.len() >= MAX_NODES {
            self.exhausted = true;
            return States::NONE;
        }
        let handle = States(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, handle);
        handle
    }

    /// `set` under the assumption that `fact` is decided first.
    fn split(&self, set: States, fact: u32) -> (States, States) {
        let node = self.nodes[set.0 as usize];
        if node.fact == fact { (node.without, node.with) } else { (set, set) }
    }

    /// The states in `then` where `condition` holds, and those in `otherwise` where it does not.
    pub fn choose(&mut self, condition: States, then: States, otherwise: States) -> States {
        match (condition, then, otherwise) {
            _ if self.exhausted => return States::NONE,
            (States::ALL, then, _) => return then,
            (States::NONE, _, otherwise) => return otherwise,
            (_, then, otherwise) if then == otherwise => return then,
            (condition, States::ALL, States::NONE) => return condition,
            _ => {}
        }
        if let Some(&known) = self.computed.get(&(condition, then, otherwise)) {
            return known;
        }
        let top = |set: States| self.nodes[set.0 as usize].fact;
        let fact = top(condition).min(top(then)).min(top(otherwise));
        let (c0, c1) = self.split(condition, fact);
        let (t0, t1) = self.split(then, fact);
        let (o0, o1) = self.split(otherwise, fact);
        let without = self.choose(c0, t0, o0);
        let with = self.choose(c1, t1, o1);
        let result = self.node(fact, without, with);
        self.computed.insert((condition, then, otherwise), result);
        result
    }

    pub fn both(&mut self, a: States, b: States) -> States {
        self.choose(a, b, States::NONE)
    }

    pub fn either(&mut self, a: States, b: States) -> States {
        self.choose(a, States::ALL, b)
    }

    pub fn not(&mut self, a: States) -> States {
        self.choose(a, States::NONE, States::ALL)
    }

    /// All states where `fact` holds.
    pub fn holds(&mut self, fact: Fact) -> States {
        self.node(fact.0, States::NONE, States::ALL)
    }

    /// The states of `set` where `fact` is as said.
    pub fn where_fact(&mut self, set: States, fact: Fact, holds: bool) -> States {
        let wanted = self.holds(fact);
        if holds { self.both(set, wanted) } else { self.choose(wanted, States::NONE, set) }
    }

    /// `set` after nothing is known of `fact` any more.
    pub fn forget(&mut self, set: States, fact: Fact) -> States {
        let (without, with) = self.cofactors(set, fact);
        self.either(without, with)
    }

    /// `set` after `fact` came to be as said.
    pub fn set(&mut self, set: States, fact: Fact, holds: bool) -> States {
        let forgotten = self.forget(set, fact);
        self.where_fact(forgotten, fact, holds)
    }

    /// `set` after `fact` came to be what `value` says of the state before.
    pub fn assign(&mut self, set: States, fact: Fact, value: States) -> States {
        let holding = self.both(set, value);
        let lacking = self.choose(value, States::NONE, set);
        let holding = self.set(holding, fact, true);
        let lacking = self.set(lacking, fact, false);
        self.either(holding, lacking)
    }

    /// `set` as it looks where the fact does not hold, and where it does, with the fact itself removed.
    fn cofactors(&mut self, set: States, fact: Fact) -> (States, States) {
        let mut done = FxHashMap::default();
        let without = self.cofactor(set, fact.0, false, &mut done);
        done.clear();
        (without, self.cofactor(set, fact.0, true, &mut done))
    }

    fn cofactor(
        &mut self,
        set: States,
        fact: u32,
        holds: bool,
        done: &mut FxHashMap<States, States>,
    ) -> States {
        let node = self.nodes[set.0 as usize];
        if node.fact > fact || self.exhausted {
            return set;
        }
        if node.fact == fact {
            return if holds { node.with } else { node.without };
        }
        if let Some(&known) = done.get(&set) {
            return known;
        }
        let without = self.cofactor(node.without, fact, holds, done);
        let with = self.cofactor(node.with, fact, holds, done);
        let result = self.node(node.fact, without, with);
        done.insert(set, result);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_equal_handles() {
        let mut facts = Facts::new();
        let (a, b) = (facts.fresh(), facts.fresh());
        let (a, b) = (facts.holds(a), facts.holds(b));
        let both = facts.both(a, b);
        let neither = {
            let (a, b) = (facts.not(a), facts.not(b));
            facts.either(a, b)
        };
        assert_eq!(facts.not(neither), both);
        assert_ne!(both, facts.either(a, b));
    }

    #[test]
    fn relations_between_facts_are_kept() {
        let mut facts = Facts::new();
        let (ip, tcp) = (facts.fresh(), facts.fresh());
        let start = facts.set(States::ALL, ip, false);
        let start = facts.set(start, tcp, false);
        let with_ip = facts.set(start, ip, true);
        let with_tcp = facts.set(with_ip, tcp, true);
        let accepted = facts.either(start, with_ip);
        let accepted = facts.either(accepted, with_tcp);
        let tcp_seen = facts.where_fact(accepted, tcp, true);
        assert!(facts.where_fact(tcp_seen, ip, false).is_none());
        assert!(!facts.where_fact(accepted, ip, false).is_none());
    }

    #[test]
    fn an_assignment_reads_the_state_before_it() {
        let mut facts = Facts::new();
        let (a, b) = (facts.fresh(), facts.fresh());
        let copied = {
            let value = facts.holds(a);
            facts.assign(States::ALL, b, value)
        };
        let cleared = facts.set(copied, a, false);
        // b still says what a was.
        assert!(!facts.where_fact(cleared, b, true).is_none());
        assert!(facts.where_fact(cleared, a, true).is_none());
    }

    #[test]
    fn past_the_limit_it_says_so() {
        let mut facts = Facts::new();
        // x1 = y1, x2 = y2, … with all the x before all the y needs 2^n decisions.
        let left: Vec<Fact> = (0..24).map(|_| facts.fresh()).collect();
        let mut set = States::ALL;
        for fact in left {
            let copy = facts.fresh();
            let value = facts.holds(fact);
            set = facts.assign(set, copy, value);
        }
        assert!(facts.exhausted());
    }
}
