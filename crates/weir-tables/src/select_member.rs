//! The choice of a group's member for a flow, by rendezvous hashing.
//!
//! Each member gets one score per unit of its weight for the flow, and the member with the highest
//! score wins (D. Thaler and C. Ravishankar, "Using name-based mappings to increase hit rates",
//! IEEE/ACM Transactions on Networking, 1998). A score depends only on the flow and the member. So
//! if a member is removed, only its own flows move to other members, and if a member is added,
//! flows move only to it. The order of members does not matter, and each member gets flows in
//! proportion to its weight.

/// A member of a group, with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedMember {
    /// The number that identifies the member within its group. Scores depend on it.
    pub id: u64,
    /// The member's share relative to the others. 0 means that it is never chosen.
    pub weight: u32,
}

/// Returns the position of the member to which the flow goes; `None` if no member has a positive
/// weight. The time of the function is proportional to the sum of the weights.
pub fn select_member(flow: u64, members: impl IntoIterator<Item = WeightedMember>) -> Option<usize> {
    let flow = mix(flow);
    let highest_score = |member: WeightedMember| {
        let name = mix(member.id.wrapping_add(1).wrapping_mul(GOLDEN_RATIO));
        (0..u64::from(member.weight)).map(|unit| mix(flow ^ name.wrapping_add(unit))).max()
    };
    members
        .into_iter()
        .enumerate()
        .filter_map(|(position, member)| Some((highest_score(member)?, member.id, position)))
        .max()
        .map(|(_, _, position)| position)
}

/// The number 2^64 divided by the golden ratio.
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns a permutation in which each bit of the result depends on each bit of the argument:
/// `SplitMix64` (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014).
fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(GOLDEN_RATIO);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(ids: impl IntoIterator<Item = u64>) -> Vec<WeightedMember> {
        ids.into_iter().map(|id| WeightedMember { id, weight: 1 }).collect()
    }

    fn chosen(flow: u64, members: &[WeightedMember]) -> u64 {
        members[select_member(flow, members.iter().copied()).unwrap()].id
    }

    #[test]
    fn empty_groups_choose_no_member() {
        assert_eq!(select_member(7, []), None);
        assert_eq!(select_member(7, [WeightedMember { id: 1, weight: 0 }]), None);
        assert_eq!(
            select_member(7, [WeightedMember { id: 1, weight: 0 }, WeightedMember { id: 2, weight: 1 }]),
            Some(1)
        );
    }

    #[test]
    fn shares_are_as_even_as_random_shares() {
        for count in 2..=64u64 {
            let members = group(0..count);
            let mut flows = vec![0u64; count as usize];
            (0..100_000).for_each(|flow| flows[chosen(flow, &members) as usize] += 1);
            // Pearson's statistic has a mean of count - 1 and a variance of twice that.
            let expected = 100_000.0 / count as f64;
            let pearson: f64 = flows.iter().map(|n| (*n as f64 - expected).powi(2) / expected).sum();
            let mean = (count - 1) as f64;
            assert!(pearson < mean + 4.0 * (2.0 * mean).sqrt() + 6.0, "{count} members: {pearson}");
        }
    }

    #[test]
    fn selectors_balance_within_five_percent() {
        for count in 2..=32u64 {
            let members = group(0..count);
            let mut flows = vec![0u64; count as usize];
            (0..10_000 * count).for_each(|flow| flows[chosen(flow, &members) as usize] += 1);
            assert!(flows.iter().all(|n| n.abs_diff(10_000) <= 500), "{count} members: {flows:?}");
        }
    }

    #[test]
    fn shares_are_proportional_to_weights() {
        let members = [(1, 1), (2, 2), (3, 5)].map(|(id, weight)| WeightedMember { id, weight });
        let mut flows = [0u32; 4];
        (0..80_000).for_each(|flow| flows[chosen(flow, &members) as usize] += 1);
        for (id, move_to_pages) in [(1, 10_000), (2, 20_000), (3, 50_000)] {
            assert!(flows[id].abs_diff(move_to_pages) < move_to_pages / 20, "{flows:?}");
        }
    }

    #[test]
    fn removing_a_member_moves_only_its_flows() {
        for gone in 0..10 {
            let (all, rest) = (group(0..10), group((0..10).rev().filter(|id| *id != gone)));
            let mut heirs = [0; 10];
            for flow in 0..10_000 {
                let before = chosen(flow, &all);
                let without_first = chosen(flow, &rest);
                if before == gone {
                    heirs[without_first as usize] += 1;
                } else {
                    assert_eq!(before, without_first, "flow {flow} of a member that stays");
                }
            }
            assert!(heirs.iter().filter(|flows| **flows > 50).count() == 9, "{heirs:?}");
        }
    }
}
