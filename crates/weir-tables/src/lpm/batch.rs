//! Longest-prefix lookups of many keys together.

use std::hint::select_unpredictable;

use super::{BATCH_KEYS, Form};
use crate::bit_string::BitString;
use crate::pages::ReadWords;
use crate::trie::{Nodes, is_expanded};

/// The state of each key of a batch: its next node, the position of its best leaf so far, and the
/// leaf that is used if there is no such leaf.
pub(super) struct Lanes {
    next: [u32; BATCH_KEYS],
    best: [u32; BATCH_KEYS],
    covers: [u64; BATCH_KEYS],
    /// The lanes that are not finished, in the first `many` elements.
    open: [u8; BATCH_KEYS],
    many: usize,
}

impl Lanes {
    fn new() -> Self {
        Self {
            next: [0; BATCH_KEYS],
            best: [0; BATCH_KEYS],
            covers: [0; BATCH_KEYS],
            open: [0; BATCH_KEYS],
            many: 0,
        }
    }

    /// Finishes all lanes, with one step of each lane at a time. The memory of a lane's step is
    /// loaded while the other lanes take their steps, and no branch depends on a single key.
    #[inline(always)]
    fn finish_lanes<'a, K: BitString, W: ReadWords<'a>>(
        &mut self,
        nodes: Nodes<W>,
        keys: &mut [K; BATCH_KEYS],
    ) {
        while self.many > 0 {
            let mut left = 0;
            for turn in 0..self.many {
                let lane = usize::from(self.open[turn % BATCH_KEYS]) % BATCH_KEYS;
                let step = nodes.step(self.next[lane], &mut keys[lane], self.best[lane]);
                nodes.prefetch_after(step);
                (self.next[lane], self.best[lane]) = (step.next, step.best);
                self.open[left % BATCH_KEYS] = lane as u8;
                left += usize::from(step.goes_on);
            }
            self.many = left;
        }
    }

    /// Returns the result of a lane.
    #[inline(always)]
    fn leaf<'a, W: ReadWords<'a>>(&self, nodes: Nodes<W>, lane: usize) -> u64 {
        let leaf = nodes.leaf(self.best[lane]);
        select_unpredictable(self.best[lane] == 0, self.covers[lane], leaf)
    }
}

/// Looks up at most [`BATCH_KEYS`] keys through the array of cells.
#[inline(never)]
pub(super) fn find_direct<'a, K: BitString, W: ReadWords<'a>, T>(
    form: Form,
    (nodes, direct): (Nodes<W>, W),
    keys: &mut [K; BATCH_KEYS],
    into: &mut [T],
    convert: impl Fn(u64) -> T,
) {
    let count = into.len().min(BATCH_KEYS);
    keys[..count].iter().for_each(|key| direct.prefetch(form.first_bits(*key)));
    let mut lanes = Lanes::new();
    for (lane, key) in keys[..count].iter_mut().enumerate() {
        let cell = direct.get(form.first_bits(*key));
        *key = key.without_first(form.bits);
        let all = (cell >> 63).wrapping_neg();
        lanes.covers[lane] = cell & !all;
        lanes.next[lane] = (cell & all) as u32;
        nodes.prefetch(lanes.next[lane]);
        lanes.open[lanes.many % BATCH_KEYS] = lane as u8;
        lanes.many += (cell >> 63) as usize;
    }
    lanes.finish_lanes(nodes, keys);
    lanes.best[..count].iter().for_each(|best| nodes.prefetch_leaf(*best));
    for (lane, into) in into[..count].iter_mut().enumerate() {
        *into = convert(lanes.leaf(nodes, lane));
    }
}

/// Looks up at most [`BATCH_KEYS`] keys through fixed roots. Most lookups end there.
#[inline(never)]
pub(super) fn find_fixed<'a, K: BitString, W: ReadWords<'a>, T>(
    form: Form,
    nodes: Nodes<W>,
    keys: &[K; BATCH_KEYS],
    into: &mut [T],
    convert: impl Fn(u64) -> T,
) {
    let count = into.len().min(BATCH_KEYS);
    // These are loads and not prefetches, because a processor may ignore prefetches of pages that
    // are not in its TLB. There are only few instructions between two loads, so that many loads are
    // in flight at once.
    let mut heads = [0; BATCH_KEYS];
    let (mut others, mut many) = ([0u8; BATCH_KEYS], 0);
    for (lane, (head, key)) in heads.iter_mut().zip(&keys[..count]).enumerate() {
        *head = nodes.head(form.first_bits(*key) as u32);
        others[many % BATCH_KEYS] = lane as u8;
        many += is_expanded(*head);
    }
    let (others, mut lanes, mut rests) = (&others[..many], Lanes::new(), *keys);
    let others = || others.iter().map(|lane| usize::from(*lane) % BATCH_KEYS);
    for lane in others() {
        let root = nodes.root(form.first_bits(keys[lane]) as u32);
        rests[lane] = rests[lane].without_first(form.bits);
        let (step, cover) = nodes.enter_expanded(root, &mut rests[lane]);
        nodes.prefetch_after(step);
        (lanes.next[lane], lanes.best[lane], lanes.covers[lane]) = (step.next, step.best, cover);
        lanes.open[lanes.many % BATCH_KEYS] = lane as u8;
        lanes.many += usize::from(step.goes_on);
    }
    lanes.finish_lanes(nodes, &mut rests);
    others().for_each(|lane| nodes.prefetch_leaf(lanes.best[lane]));
    // The leaves of the other lanes are loaded at the same time.
    for ((head, key), into) in heads.iter().zip(keys).zip(&mut *into) {
        let root = nodes.root_with_head(*head, form.first_bits(*key) as u32);
        *into = convert(root.find_inline(key.without_first(form.bits)));
    }
    for lane in others() {
        into[lane] = convert(lanes.leaf(nodes, lane));
    }
}
