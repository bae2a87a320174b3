//! Makes random changes to bytes.

use rand_core::Rng;

use crate::fields;

fn below(random: &mut impl Rng, bound: usize) -> usize {
    random.next_u32() as usize % bound.max(1)
}

/// Picks one of several values.
pub fn pick<'a, T>(random: &mut impl Rng, all: &'a [T]) -> &'a T {
    &all[below(random, all.len())]
}

/// Mutates bytes: bits and bytes are changed, inserted, removed, doubled, cut off, or combined from
/// two inputs; occasionally the result is empty or entirely random.
pub fn mutate(random: &mut impl Rng, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let times = match random.next_u32() % 16 {
        0 => 0,
        1 => {
            bytes = vec![0; below(random, 200)];
            random.fill_bytes(&mut bytes);
            0
        }
        _ => 1 + below(random, 4),
    };
    for _ in 0..times {
        let at = below(random, bytes.len());
        let until = (at + 1 + below(random, 8)).min(bytes.len());
        match random.next_u32() % 8 {
            0..2 if !bytes.is_empty() => bytes[at] ^= 1 << (random.next_u32() % 8),
            2 if !bytes.is_empty() => bytes[at] = *pick(random, &[0, 1, 0x7f, 0x80, 0xff]),
            3 => bytes.insert(at, random.next_u32() as u8),
            4 if at < until => drop(bytes.drain(at..until)),
            5 if at < until => {
                let again = bytes[at..until].to_vec();
                bytes.splice(at..at, again);
            }
            6 => bytes.truncate(at),
            7 => {
                bytes.truncate(at);
                bytes.extend(&other[below(random, other.len())..]);
            }
            _ => {}
        }
    }
    bytes
}

/// Picks one of several messages and mutates its fields or its bytes, with parts of another
/// message.
pub fn mutant(random: &mut impl Rng, all: &[Vec<u8>]) -> Vec<u8> {
    let (one, other) = (pick(random, all), pick(random, all));
    match fields::read(one) {
        Some(mut fields) if !random.next_u32().is_multiple_of(4) => {
            let other = fields::read(other).unwrap_or_default();
            for _ in 0..=below(random, 3) {
                fields::change(random, &mut fields, &other);
            }
            fields::write(&fields)
        }
        _ => mutate(random, one, other),
    }
}
