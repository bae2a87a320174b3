//! Computes the Toeplitz hash, by which network cards spread flows over queues (receive side
//! scaling).

/// The key of Microsoft's verification suite for receive side scaling, which most drivers use at
/// first.
const KEY: [u8; 40] = [
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0,
    0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42,
    0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
];

/// Computes the hash of some bytes. For more than 36 bytes, the key repeats.
pub(crate) fn toeplitz(bytes: &[u8]) -> u32 {
    let bits = KEY.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1));
    let mut next = bits.cycle().skip(32);
    let (mut window, mut hash) = (u32::from_be_bytes([KEY[0], KEY[1], KEY[2], KEY[3]]), 0);
    for byte in bytes {
        for at in (0..8).rev() {
            if byte >> at & 1 == 1 {
                hash ^= window;
            }
            window = window << 1 | next.next().map_or(0, u32::from);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_have_the_hashes_of_the_verification_suite() {
        let addresses = [66, 9, 149, 187, 161, 142, 100, 80];
        assert_eq!(toeplitz(&addresses), 0x323e_8fc2);
        let ports = [0x0a, 0xea, 0x06, 0xe6];
        assert_eq!(toeplitz(&[&addresses[..], &ports].concat()), 0x51cc_c178);
        assert_eq!((toeplitz(&[]), toeplitz(&[0; 100])), (0, 0));
        // The key has come back to its start.
        let mut late = [0; 41];
        late[40] = 0x80;
        assert_eq!(toeplitz(&late), toeplitz(&[0x80]));
    }
}
