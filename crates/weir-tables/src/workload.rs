//! Synthetic tables for measurements and tests. They depend only on the seed.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::key::{Field, FieldKind, KeyLayout};
use crate::pattern::Pattern;

/// A generator of pseudorandom numbers: `SplitMix64` (source: see
/// [`select_member`](crate::select_member)).
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// Creates a generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Draws the next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Draws the next number, below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(end)) >> 64) as u64
    }
}

/// The entries of a table, and keys to look up.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The kind of table.
    pub name: &'static str,
    /// The key's fields.
    pub layout: KeyLayout,
    /// The patterns, priority, action position, data.
    pub entries: Vec<(Vec<Pattern>, u32, u32, [u64; 2])>,
    /// The keys, one after the other.
    pub keys: Vec<u64>,
    /// The new entries that replace entries of the table.
    pub others: Vec<Vec<Pattern>>,
}

/// Words of action data in a [`Workload`]: a port and a MAC address.
pub const DATA_WORDS: usize = 2;
/// The number of different next hops in a [`Workload`].
const NEXT_HOPS: u64 = 256;
/// The number of keys that a workload looks up.
const LOOKED_UP_KEYS: usize = 1 << 20;
/// The maximum number of further entries of a workload, which its table does not hold at first.
const MAX_FURTHER_ENTRIES: usize = 100_000;

fn next_hop(numbers: &mut Numbers) -> [u64; 2] {
    let hop = numbers.below(NEXT_HOPS);
    [hop, 0x0200_0000_0000 | hop]
}

/// Returns the low bytes of a value that hold `width` bits.
fn bytes(value: u128, width: u32) -> Box<[u8]> {
    value.to_be_bytes()[16 - width.div_ceil(8) as usize..].into()
}

/// Splits a value into words, the low one first.
fn words(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

impl Workload {
    /// Makes a workload of distinct random entries, which `entry` draws.
    fn generate(
        name: &'static str,
        fields: Vec<Field>,
        entries: usize,
        numbers: &mut Numbers,
        mut entry: impl FnMut(&mut Numbers) -> Vec<Pattern>,
    ) -> Self {
        let mut seen = BTreeSet::new();
        let mut new = |numbers: &mut Numbers| {
            // Duplicates are drawn again, a limited number of times.
            let drawn = (0..1000).map(|_| entry(numbers)).find(|patterns| {
                let mut hasher = DefaultHasher::new();
                patterns.hash(&mut hasher);
                seen.insert(hasher.finish())
            });
            drawn.expect("the pages of entries is far larger than their number")
        };
        let inserted = (0..entries).map(|index| {
            let patterns = new(numbers);
            (patterns, (entries - index) as u32, 0, next_hop(numbers))
        });
        let inserted = inserted.collect();
        let others = (0..MAX_FURTHER_ENTRIES.min(entries)).map(|_| new(numbers)).collect();
        Self { name, layout: KeyLayout::new(fields), entries: inserted, keys: Vec::new(), others }
    }

    /// Makes the workload of a MAC table: keys of 48 bits, each the key of a random entry.
    pub fn exact(entries: usize) -> Self {
        let mut numbers = Numbers::new(1);
        let field = Field { width: 48, kind: FieldKind::Exact };
        let mut workload = Self::generate("exact 48", vec![field], entries, &mut numbers, |numbers| {
            vec![Pattern::Value(bytes(u128::from(numbers.draw() >> 16), 48))]
        });
        workload.keys = (0..LOOKED_UP_KEYS)
            .map(|_| match &workload.entries[numbers.below(entries as u64) as usize].0[0] {
                Pattern::Value(value) => value.iter().fold(0, |key, byte| key << 8 | u64::from(*byte)),
                _ => 0,
            })
            .collect();
        workload
    }

    /// Makes a workload of IPv4 routes: random prefixes, more than half of them /24 as in the
    /// Internet's table, and a default route; keys are random destinations.
    pub fn ipv4(entries: usize) -> Self {
        let mut numbers = Numbers::new(2);
        let field = Field { width: 32, kind: FieldKind::Lpm };
        let mut first = true;
        let mut workload = Self::generate("lpm 32", vec![field], entries, &mut numbers, |numbers| {
            let len = match numbers.below(100) {
                _ if std::mem::take(&mut first) => 0,
                0..1 => 8 + numbers.below(8) as u32,
                1..12 => 16 + numbers.below(4) as u32,
                12..40 => 20 + numbers.below(4) as u32,
                40..97 => 24,
                _ => 25 + numbers.below(8) as u32,
            };
            let value = (numbers.draw() as u32).checked_shr(32 - len).unwrap_or(0);
            let value = value.checked_shl(32 - len).unwrap_or(0);
            vec![Pattern::Prefix(bytes(u128::from(value), 32), len)]
        });
        workload.keys = (0..LOOKED_UP_KEYS).map(|_| numbers.draw() >> 32).collect();
        workload
    }

    /// Makes a workload of IPv6 routes below 2000::/3, most from /32 to /48 and some /64; keys are
    /// destinations in random routes.
    pub fn ipv6(entries: usize) -> Self {
        let mut numbers = Numbers::new(3);
        let field = Field { width: 128, kind: FieldKind::Lpm };
        // There are providers with a /32 or shorter prefix, and their customers.
        let providers: Vec<u128> = (0..entries / 8 + 1)
            .map(|_| {
                0x2000 << 112
                    | u128::from(numbers.below(1 << 18)) << 107 & (0x1fff << 112)
                    | u128::from(numbers.below(1 << 16)) << 96
            })
            .collect();
        let mut workload = Self::generate("lpm 128", vec![field], entries, &mut numbers, |numbers| {
            let len = match numbers.below(100) {
                0..3 => 20 + numbers.below(12) as u32,
                3..20 => 32,
                20..45 => 36 + 4 * numbers.below(3) as u32,
                45..95 => 48,
                _ => 64,
            };
            let provider = providers[numbers.below(providers.len() as u64) as usize];
            let value = provider | u128::from(numbers.draw()) << 32;
            vec![Pattern::Prefix(bytes(value & u128::MAX << (128 - len), 128), len)]
        });
        workload.keys = (0..LOOKED_UP_KEYS)
            .flat_map(|_| match &workload.entries[numbers.below(entries as u64) as usize].0[0] {
                Pattern::Prefix(value, len) => {
                    let value = value.iter().fold(0, |key, byte| key << 8 | u128::from(*byte));
                    words(
                        value
                            | u128::from(numbers.draw()) << 64 >> len
                            | u128::from(numbers.draw()) >> (len / 2),
                    )
                }
                _ => [0; 2],
            })
            .collect();
        workload
    }

    /// Returns a 5-tuple access list similar to ClassBench (D. Taylor, J. Turner, IEEE/ACM
    /// Transactions on Networking, 2007): prefixes of few lengths for source and destination, port
    /// ranges of its five classes, few protocols. Most keys match a random rule, some match none.
    pub fn acl(entries: usize) -> Self {
        let mut numbers = Numbers::new(4);
        let field = |width, kind| Field { width, kind };
        let fields = vec![
            field(32, FieldKind::Ternary),
            field(32, FieldKind::Ternary),
            field(16, FieldKind::Range),
            field(16, FieldKind::Range),
            field(8, FieldKind::Ternary),
        ];
        let sites: Vec<u32> = (0..entries / 50 + 4).map(|_| numbers.draw() as u32).collect();
        let mut workload = Self::generate("ternary 5-tuple", fields, entries, &mut numbers, |numbers| {
            let mut address = |lens: &[(u64, u32)]| {
                let mut draw = numbers.below(100);
                let mut len = 32;
                for (move_to_pages, one) in lens {
                    if draw < *move_to_pages {
                        len = *one;
                        break;
                    }
                    draw -= move_to_pages;
                }
                let site = sites[numbers.below(sites.len() as u64) as usize];
                let value = site & 0xffff_0000 | (site ^ numbers.draw() as u32 & 0x0fff) & 0xffff;
                let mask = u32::MAX.checked_shl(32 - len).unwrap_or(0);
                Pattern::Mask(bytes(u128::from(value & mask), 32), bytes(u128::from(mask), 32))
            };
            let source =
                address(&[(20, 0), (5, 8), (5, 16), (8, 20), (7, 23), (15, 24), (5, 27), (5, 28), (5, 30)]);
            let target =
                address(&[(4, 0), (3, 16), (5, 20), (5, 21), (5, 23), (20, 24), (5, 26), (8, 28), (5, 30)]);
            let mut port = |wild: u64| {
                let well_known = [20, 21, 22, 25, 53, 80, 110, 123, 143, 443, 993, 1433, 1521, 3306, 8080];
                let one = well_known[numbers.below(well_known.len() as u64) as usize];
                let (low, high) = match numbers.below(100) {
                    draw if draw < wild => (0, 65535),
                    draw if draw < wild + (100 - wild) / 6 => (1024, 65535),
                    draw if draw < wild + (100 - wild) / 5 => (0, 1023),
                    draw if draw < wild + (100 - wild) / 3 => {
                        let low = numbers.below(60000);
                        (low, low + 1 + numbers.below(2000))
                    }
                    _ => (one, one),
                };
                Pattern::Range(bytes(u128::from(low), 16), bytes(u128::from(high), 16))
            };
            let (source_port, target_port) = (port(90), port(30));
            let (protocol, mask) = [(6, 255), (6, 255), (6, 255), (17, 255), (17, 255), (1, 255), (0, 0)]
                [numbers.below(7) as usize];
            let protocol = Pattern::Mask([protocol].into(), [mask].into());
            vec![source, target, source_port, target_port, protocol]
        });
        workload.keys = (0..LOOKED_UP_KEYS / 4)
            .flat_map(|_| {
                let rule = &workload.entries[numbers.below(entries as u64) as usize].0;
                let stray = numbers.below(10) == 0;
                let number = |bytes: &[u8]| bytes.iter().fold(0, |key, byte| key << 8 | u64::from(*byte));
                let mut draw = |pattern: &Pattern| match pattern {
                    Pattern::Mask(value, mask) if !stray => number(value) | numbers.draw() & !number(mask),
                    Pattern::Range(low, high) => number(low) + numbers.below(number(high) - number(low) + 1),
                    _ => numbers.draw(),
                };
                [draw(&rule[0]), draw(&rule[1]), draw(&rule[2]), draw(&rule[3]), draw(&rule[4])]
            })
            .collect();
        let widths = workload.layout.fields().iter().map(|field| u64::MAX >> (64 - field.width)).cycle();
        workload.keys.iter_mut().zip(widths).for_each(|(word, mask)| *word &= mask);
        workload
    }
}
