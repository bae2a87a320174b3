//! Sets of states as binary decision diagrams, and queries on a diagram.
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

/// A decision: the subset where `fact` is false, and the subset where it is true.
pub(super) struct Node {
    pub id: u64,
    pub fact: u32,
    pub without: Set,
    pub with: Set,
}

impl Set {
    /// Returns a number that identifies the set within its [`Diagrams`](super::diagram::Diagrams).
    pub fn id(&self) -> u64 {
        match self {
            Set::None => 0,
            Set::All => 1,
            Set::Split(node) => node.id,
        }
    }

    /// Returns the fact of the root decision; larger than any fact for a leaf.
    pub fn fact(&self) -> u32 {
        match self {
            Set::Split(node) => node.fact,
            _ => u32::MAX,
        }
    }

    pub fn is_none(&self) -> bool {
        matches!(self, Set::None)
    }

    /// Returns the cofactors: the subsets for `fact` false and `fact` true.
    pub fn cofactors(&self, fact: u32) -> (Set, Set) {
        match self {
            Set::Split(node) if node.fact == fact => (node.without.clone(), node.with.clone()),
            _ => (self.clone(), self.clone()),
        }
    }

    /// Returns the number of decisions in the diagram.
    pub fn size(&self) -> usize {
        let mut count = 0;
        self.visit(|_| count += 1);
        count
    }

    /// Visits each decision of the diagram once.
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

    /// Returns the facts that have the same value in all states of the set, in order, with that
    /// value.
    pub fn decided_facts(&self) -> Vec<(u32, bool)> {
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
            // Facts that an edge skips can have either value on that path.
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

    /// Returns the facts that the diagram depends on, in order.
    pub fn support(&self) -> Vec<u32> {
        let mut facts = FxHashSet::default();
        self.visit(|node| {
            facts.insert(node.fact);
        });
        let mut facts: Vec<u32> = facts.into_iter().collect();
        facts.sort_unstable();
        facts
    }

    /// Returns the decisions on one path through the diagram on which `fact` has the value `holds`.
    /// Other facts are false where possible.
    pub fn path(&self, fact: u32, holds: bool) -> Option<Vec<(u32, bool)>> {
        let mut dead = FxHashSet::default();
        let mut path = Vec::new();
        self.search_path((fact, holds), false, &mut dead, &mut path).then_some(path)
    }

    fn search_path(
        &self,
        goal: (u32, bool),
        found: bool,
        dead: &mut FxHashSet<u64>,
        path: &mut Vec<(u32, bool)>,
    ) -> bool {
        let Set::Split(node) = self else { return found && !self.is_none() };
        // Every decision below `fact` leads to a state, so only decisions up to `fact` can be dead
        // ends.
        if !found && (node.fact > goal.0 || dead.contains(&node.id)) {
            return false;
        }
        for (holds, end) in [(false, &node.without), (true, &node.with)] {
            if node.fact == goal.0 && holds != goal.1 {
                continue;
            }
            path.push((node.fact, holds));
            if end.search_path(goal, found || node.fact == goal.0, dead, path) {
                return true;
            }
            path.pop();
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
