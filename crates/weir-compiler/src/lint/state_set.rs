//! Sets of states as binary decision diagrams, and what can be read off a diagram.
//!
//! [`super::diagram`] builds the sets.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

/// A set of states. Equal sets of the same [`Diagrams`](super::diagram::Diagrams) compare equal.
#[derive(Clone)]
pub(super) enum Set {
    None,
    All,
    Split(Rc<Node>),
}

/// A decision: the set where `fact` does not hold, and the set where it does.
pub(super) struct Node {
    pub id: u64,
    pub fact: u32,
    pub without: Set,
    pub with: Set,
}

impl Set {
    /// A number that identifies the set within its [`Diagrams`](super::diagram::Diagrams).
    pub fn id(&self) -> u64 {
        match self {
            Set::None => 0,
            Set::All => 1,
            Set::Split(node) => node.id,
        }
    }

    /// The first fact decided, by number; beyond all where none is.
    pub fn fact(&self) -> u32 {
        match self {
            Set::Split(node) => node.fact,
            _ => u32::MAX,
        }
    }

    pub fn is_none(&self) -> bool {
        matches!(self, Set::None)
    }

    /// The two parts if `fact` is decided first.
    pub fn split(&self, fact: u32) -> (Set, Set) {
        match self {
            Set::Split(node) if node.fact == fact => (node.without.clone(), node.with.clone()),
            _ => (self.clone(), self.clone()),
        }
    }

    /// How many decisions it has.
    pub fn size(&self) -> usize {
        let mut count = 0;
        self.visit(|_| count += 1);
        count
    }

    /// Each of its decisions once.
    fn visit<'a>(&'a self, mut each: impl FnMut(&'a Node)) {
        let mut seen = FxHashSet::default();
        let mut open = vec![self];
        while let Some(set) = open.pop() {
            if let Set::Split(node) = set
                && seen.insert(node.id)
            {
                each(node);
                open.extend([&node.without, &node.with]);
            }
        }
    }

    /// The facts that are the same in all its states, in order, and how they are.
    pub fn decided(&self) -> Vec<(u32, bool)> {
        let mut open: FxHashMap<u32, bool> = FxHashMap::default();
        let mut edges = Vec::new();
        self.visit(|node| {
            let holds = match (&node.without, &node.with) {
                (Set::None, _) => Some(true),
                (_, Set::None) => Some(false),
                _ => None,
            };
            let same = holds.is_some_and(|holds| *open.entry(node.fact).or_insert(holds) == holds);
            if !same {
                edges.push((node.fact, node.fact + 1));
            }
            // Facts that an edge jumps over are free on that way.
            for end in [&node.without, &node.with] {
                if !end.is_none() && end.fact() > node.fact + 1 {
                    edges.push((node.fact + 1, end.fact()));
                }
            }
        });
        edges.push((0, self.fact()));
        edges.sort_unstable();
        let mut decided: Vec<(u32, bool)> = open.into_iter().collect();
        decided.sort_unstable();
        let (mut edges, mut free_until) = (edges.into_iter().peekable(), 0);
        decided.retain(|&(fact, _)| {
            while let Some((_, end)) = edges.next_if(|&(start, _)| start <= fact) {
                free_until = free_until.max(end);
            }
            fact >= free_until
        });
        decided
    }

    /// The facts that it tells apart, in order.
    pub fn support(&self) -> Vec<u32> {
        let mut facts = FxHashSet::default();
        self.visit(|node| {
            facts.insert(node.fact);
        });
        let mut facts: Vec<u32> = facts.into_iter().collect();
        facts.sort_unstable();
        facts
    }

    /// One way through the diagram on which `fact` is decided as said, as the decisions on it: of others where they can be
    /// that they do not hold.
    pub fn way(&self, fact: u32, holds: bool) -> Option<Vec<(u32, bool)>> {
        let mut dead = FxHashSet::default();
        let mut way = Vec::new();
        self.seek((fact, holds), false, &mut dead, &mut way).then_some(way)
    }

    fn seek(
        &self,
        goal: (u32, bool),
        found: bool,
        dead: &mut FxHashSet<u64>,
        way: &mut Vec<(u32, bool)>,
    ) -> bool {
        let Set::Split(node) = self else { return found && !self.is_none() };
        // Behind the fact every decision leads on, so only decisions up to it can be dead.
        if !found && (node.fact > goal.0 || dead.contains(&node.id)) {
            return false;
        }
        for (holds, end) in [(false, &node.without), (true, &node.with)] {
            if node.fact == goal.0 && holds != goal.1 {
                continue;
            }
            way.push((node.fact, holds));
            if end.seek(goal, found || node.fact == goal.0, dead, way) {
                return true;
            }
            way.pop();
        }
        dead.insert(node.id);
        false
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        self.id() == other.id()
    }
}
