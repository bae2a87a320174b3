//! Computes Bob Jenkins' hash function lookup3 (`hashlittle`), with 0 as its initial value.

/// Computes the hash of some bytes.
pub(crate) fn lookup3(bytes: &[u8]) -> u32 {
    let start = 0xdead_beefu32.wrapping_add(bytes.len() as u32);
    let mut state = [start; 3];
    let mut rest = bytes;
    while rest.len() > 12 {
        let (block, after) = rest.split_at(12);
        add(&mut state, block);
        mix(&mut state);
        rest = after;
    }
    if !rest.is_empty() {
        add(&mut state, rest);
        finish(&mut state);
    }
    state[2]
}

/// Adds up to 12 bytes, as numbers whose lowest byte comes first.
fn add(state: &mut [u32; 3], bytes: &[u8]) {
    for (position, byte) in bytes.iter().enumerate() {
        let word = &mut state[position / 4];
        *word = word.wrapping_add(u32::from(*byte) << (position % 4 * 8));
    }
}

/// Mixes the state between blocks: alternately subtracts, rotates and adds words.
fn mix([a, b, c]: &mut [u32; 3]) {
    let step = |x: &mut u32, y: u32, bits: u32| *x = x.wrapping_sub(y) ^ y.rotate_left(bits);
    for [first, second, third] in [[4, 6, 8], [16, 19, 4]] {
        step(a, *c, first);
        *c = c.wrapping_add(*b);
        step(b, *a, second);
        *a = a.wrapping_add(*c);
        step(c, *b, third);
        *b = b.wrapping_add(*a);
    }
}

/// Mixes the state after the last block.
fn finish([a, b, c]: &mut [u32; 3]) {
    let step = |x: &mut u32, y: u32, bits: u32| *x = (*x ^ y).wrapping_sub(y.rotate_left(bits));
    step(c, *b, 14);
    step(a, *c, 11);
    step(b, *a, 25);
    step(c, *b, 16);
    step(a, *c, 4);
    step(b, *a, 14);
    step(c, *b, 24);
}

#[cfg(test)]
mod tests {
    use super::lookup3;

    #[test]
    fn hashes_are_those_of_the_authors_tests() {
        assert_eq!(lookup3(b""), 0xdead_beef);
        assert_eq!(lookup3(b"Four score and seven years ago"), 0x1777_0551);
    }
}
