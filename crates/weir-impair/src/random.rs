//! Seeded random streams, one for each consumer.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// A stream of pseudo-random numbers (PCG XSL RR 128/64). It depends only on the seed of the
/// network and the name of its consumer, so a new consumer never changes the numbers that another
/// one draws.
#[derive(Clone, Debug)]
pub struct Random(Pcg64);

impl Random {
    /// Creates the random stream of the consumer `name` in a network with this seed.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a with 128 bits. Unlike the standard library's hashers, it never changes.
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        for byte in name.bytes() {
            hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
        }
        let state =
            u128::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) ^ hash.rotate_left(64);
        let mut generator = Pcg64::new(state, hash);
        // The first outputs of similar states are similar, so some are discarded.
        for _ in 0..8 {
            generator.next_u64();
        }
        Random(generator)
    }

    /// Draws 64 uniform random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a uniform integer from 0 to `last` inclusive (bias below 2^-64 · `last`).
    #[inline]
    pub fn up_to(&mut self, last: u64) -> u64 {
        ((u128::from(self.next_u64()) * (u128::from(last) + 1)) >> 64) as u64
    }

    /// Draws a uniform number in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        // A double has 53 bits of precision.
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Draws a uniform number in (0, 1], whose logarithm is finite.
    #[inline]
    pub fn positive_unit(&mut self) -> f64 {
        1.0 - self.unit()
    }

    /// Returns true with this probability: never for 0, always for 1.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(seed: u64, name: &str) -> Vec<u64> {
        let mut random = Random::new(seed, name);
        (0..4).map(|_| random.next_u64()).collect()
    }

    #[test]
    fn a_stream_depends_on_seed_and_name_alone() {
        assert_eq!(draw(1, "h1"), draw(1, "h1"));
        assert_ne!(draw(1, "h1"), draw(1, "h2"));
        assert_ne!(draw(1, "h1"), draw(2, "h1"));
    }

    #[test]
    fn bounds_are_reached_and_kept() {
        let mut random = Random::new(7, "bounds");
        let mut seen = [false; 3];
        for _ in 0..100 {
            seen[random.up_to(2) as usize] = true;
        }
        assert_eq!(seen, [true; 3]);
        assert_eq!(random.up_to(0), 0);
        assert!((0..1000).all(|_| !random.chance(0.0) && random.chance(1.0)));
    }
}
