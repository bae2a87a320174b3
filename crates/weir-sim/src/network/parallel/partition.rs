//! Divides a network into parts of similar load, with long delays between them.

use std::collections::{BTreeMap, BTreeSet};

use weir_device::Nanos;

/// How far the largest part may exceed its fair share of the load, in per cent. Within this
/// tolerance, a longer look-ahead is preferred to a better balance.
const TOLERANCE: u64 = 15;
/// The maximum number of delays that are tried as the shortest delay between two parts.
const MAX_DELAYS: usize = 12;
/// The number of rounds in which groups at the borders of parts may move to another part.
const ROUNDS: usize = 4;

/// A network as a graph.
pub(super) struct Graph {
    /// The expected load of each node.
    pub(super) loads: Vec<u64>,
    pub(super) links: Vec<GraphLink>,
    /// Pairs of nodes that must be in the same part.
    pub(super) together: Vec<(usize, usize)>,
}

/// A link of the graph.
pub(super) struct GraphLink {
    pub(super) ends: [usize; 2],
    /// The minimum time that a frame takes; with 0, both ends are in the same part.
    pub(super) delay: Nanos,
    /// The expected load of the link.
    pub(super) load: u64,
}

/// A division of a network into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Partition {
    /// The part of each node.
    pub(super) part_of: Vec<u16>,
    /// The number of parts.
    pub(super) parts: usize,
    /// The shortest delay between two parts.
    pub(super) lookahead: Nanos,
}

/// Sets of nodes that are in the same part, as a forest.
struct Groups(Vec<usize>);

impl Groups {
    fn find(&mut self, node: usize) -> usize {
        let mut root = node;
        while self.0[root] != root {
            self.0[root] = self.0[self.0[root]];
            root = self.0[root];
        }
        root
    }

    /// Joins two sets; the smaller number becomes the root.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

impl Graph {
    /// Divides the network into at most this many parts. Returns `None` if one thread would do
    /// nearly all of the work.
    pub(super) fn divide(&self, parts: usize) -> Option<Partition> {
        let mut delays: BTreeSet<Nanos> =
            self.links.iter().map(|link| link.delay).filter(|delay| *delay > 0).collect();
        let least = delays.first().copied();
        // Parts of the network may have no link between them.
        delays.insert(Nanos::MAX);
        let step = delays.len().div_ceil(MAX_DELAYS);
        let tried = delays.into_iter().rev().step_by(step).filter(|delay| Some(*delay) != least).chain(least);
        let total: u64 = self.loads.iter().sum();
        let mut best: Option<(u64, Partition)> = None;
        for shortest in tried {
            let Some(partition) = self.divide_at(shortest, parts) else { continue };
            let largest = partition.largest(&self.loads);
            if largest * parts as u64 * 100 <= total * (100 + TOLERANCE) {
                return Some(partition);
            }
            if best.as_ref().is_none_or(|(load, _)| largest < *load) {
                best = Some((largest, partition));
            }
        }
        best.filter(|(largest, _)| largest * 10 <= total * 9).map(|(_, partition)| partition)
    }

    /// Returns whether a partition satisfies the rules of this graph, and updates its look-ahead.
    pub(super) fn still_fits(&self, partition: &mut Partition) -> bool {
        let part_of = &partition.part_of;
        let crosses = |a: usize, b: usize| part_of[a] != part_of[b];
        if part_of.len() != self.loads.len() || self.together.iter().any(|(a, b)| crosses(*a, *b)) {
            return false;
        }
        let cut = self.links.iter().filter(|link| crosses(link.ends[0], link.ends[1]));
        partition.lookahead = cut.map(|link| link.delay).min().unwrap_or(Nanos::MAX);
        partition.lookahead > 0
    }

    /// Divides the network at links with at least this delay.
    fn divide_at(&self, shortest: Nanos, parts: usize) -> Option<Partition> {
        let mut groups = Groups((0..self.loads.len()).collect());
        self.together.iter().for_each(|(a, b)| groups.join(*a, *b));
        for link in self.links.iter().filter(|link| link.delay < shortest) {
            groups.join(link.ends[0], link.ends[1]);
        }
        let roots: Vec<usize> = (0..self.loads.len()).map(|node| groups.find(node)).collect();
        let mut loads = BTreeMap::new();
        for (root, load) in roots.iter().zip(&self.loads) {
            *loads.entry(*root).or_insert(0) += load;
        }
        if loads.len() < 2 {
            return None;
        }
        let mut neighbours: BTreeMap<usize, BTreeMap<usize, u64>> = BTreeMap::new();
        for link in &self.links {
            let [a, b] = link.ends.map(|end| roots[end]);
            if a != b {
                for (from, to) in [(a, b), (b, a)] {
                    *neighbours.entry(from).or_default().entry(to).or_insert(0) += link.load;
                }
            }
        }
        let mut assigned = Assigned { loads, neighbours, parts, part_of: BTreeMap::new(), sums: Vec::new() };
        assigned.grow();
        assigned.improve();
        let part_of: Vec<u16> = roots.iter().map(|root| assigned.part_of[root] as u16).collect();
        let cut = self.links.iter().filter(|link| part_of[link.ends[0]] != part_of[link.ends[1]]);
        // Without a link between the parts, nothing ever passes from one to another.
        let lookahead = cut.map(|link| link.delay).min().unwrap_or(Nanos::MAX);
        Some(Partition { part_of, parts: assigned.sums.len(), lookahead })
    }
}

impl Partition {
    /// Returns the load of the part with the most load.
    fn largest(&self, loads: &[u64]) -> u64 {
        let mut sums = vec![0; self.parts];
        loads.iter().zip(&self.part_of).for_each(|(load, part)| sums[usize::from(*part)] += load);
        sums.into_iter().max().unwrap_or(0)
    }
}

/// The groups of nodes, and the parts to which they are assigned.
struct Assigned {
    /// The loads of the groups.
    loads: BTreeMap<usize, u64>,
    /// The loads of the links between groups.
    neighbours: BTreeMap<usize, BTreeMap<usize, u64>>,
    /// The maximum number of parts.
    parts: usize,
    part_of: BTreeMap<usize, usize>,
    /// The loads of the parts.
    sums: Vec<u64>,
}

impl Assigned {
    fn links_of(&self, group: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.neighbours.get(&group).into_iter().flatten().map(|(other, load)| (*other, *load))
    }

    /// Fills one part after the other: each takes the group with the strongest links to it.
    fn grow(&mut self) {
        let mut left: u64 = self.loads.values().sum();
        let mut free: BTreeSet<usize> = self.loads.keys().copied().collect();
        for part in 0..self.parts {
            let target = left / (self.parts - part) as u64;
            let (mut sum, mut reached) = (0, BTreeMap::<usize, u64>::new());
            // The groups that are linked to the part, with the strongest links last.
            let mut border = BTreeSet::new();
            while let Some(group) = border.pop_last().map(|(_, group)| group).or(free.first().copied()) {
                let load = self.loads[&group];
                // A part stops growing before it gets too much load, unless it is empty or the last
                // part.
                let is_last = part + 1 == self.parts;
                if !is_last && sum > 0 && (sum >= target || sum + load > 2 * target - sum) {
                    break;
                }
                sum += load;
                free.remove(&group);
                self.part_of.insert(group, part);
                for (other, strength) in self.neighbours.get(&group).into_iter().flatten() {
                    if free.contains(other) {
                        let reached = reached.entry(*other).or_insert(0);
                        border.remove(&(*reached, *other));
                        *reached += strength;
                        border.insert((*reached, *other));
                    }
                }
            }
            if sum == 0 {
                break;
            }
            left -= sum;
            self.sums.push(sum);
        }
    }

    /// Moves groups to other parts where that makes the links between parts weaker, or the largest
    /// part smaller.
    fn improve(&mut self) {
        let fair = self.loads.values().sum::<u64>() / self.sums.len() as u64;
        let groups: Vec<(usize, u64)> = self.loads.iter().map(|(group, load)| (*group, *load)).collect();
        for _ in 0..ROUNDS {
            let mut moved = false;
            for (group, load) in &groups {
                let from = self.part_of[group];
                let mut strengths = vec![0; self.sums.len()];
                for (other, strength) in self.links_of(*group) {
                    strengths[self.part_of[&other]] += strength;
                }
                if self.sums[from] == *load {
                    continue;
                }
                let weaker = |to: &usize| {
                    strengths[*to] > strengths[from] && self.sums[*to] + load <= fair + fair * TOLERANCE / 200
                };
                let smaller =
                    |to: &usize| strengths[*to] == strengths[from] && self.sums[*to] + load < self.sums[from];
                let best = (0..self.sums.len())
                    .filter(|to| *to != from && (weaker(to) || smaller(to)))
                    .max_by_key(|to| (strengths[*to], std::cmp::Reverse(self.sums[*to])));
                if let Some(to) = best {
                    self.sums[from] -= load;
                    self.sums[to] += load;
                    self.part_of.insert(*group, to);
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(loads: &[u64], links: &[(usize, usize, Nanos)], together: &[(usize, usize)]) -> Graph {
        let link =
            |(a, b, delay): &(usize, usize, Nanos)| GraphLink { ends: [*a, *b], delay: *delay, load: 1 };
        Graph { loads: loads.to_vec(), links: links.iter().map(link).collect(), together: together.to_vec() }
    }

    #[test]
    fn networks_are_cut_at_long_links() {
        // Two stars, with a long link between them.
        let links = [(0, 1, 10), (0, 2, 10), (0, 3, 900), (3, 4, 10), (3, 5, 10)];
        let partition = graph(&[2, 1, 1, 2, 1, 1], &links, &[]).divide(2).unwrap();
        assert_eq!((partition.part_of, partition.lookahead), (vec![0, 0, 0, 1, 1, 1], 900));
    }

    #[test]
    fn nodes_without_delay_or_tied_together_stay_together() {
        let links = [(0, 1, 0), (1, 2, 5), (2, 3, 0)];
        let partition = graph(&[1; 4], &links, &[]).divide(4).unwrap();
        assert_eq!((partition.part_of, partition.lookahead), (vec![0, 0, 1, 1], 5));
        assert_eq!(graph(&[1; 4], &links, &[(0, 3)]).divide(4), None);
    }

    #[test]
    fn balance_matters_more_than_the_delay() {
        // The long link would leave nearly everything in one part.
        let links = [(0, 1, 1000), (1, 2, 10), (2, 3, 10), (3, 4, 10)];
        let partition = graph(&[1, 10, 10, 10, 10], &links, &[]).divide(2).unwrap();
        assert_eq!((partition.part_of, partition.lookahead), (vec![0, 0, 0, 1, 1], 10));
        assert_eq!(graph(&[1, 100], &[(0, 1, 1000)], &[]).divide(2), None);
    }

    #[test]
    fn separate_networks_never_wait_for_each_other() {
        let partition = graph(&[1; 4], &[(0, 1, 7), (2, 3, 7)], &[]).divide(2).unwrap();
        assert_eq!((partition.part_of, partition.lookahead), (vec![0, 0, 1, 1], Nanos::MAX));
    }
}
