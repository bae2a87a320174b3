//! Sends random packets to switches with random entries, for all programs of the repository.

pub mod agreeing;
pub mod configured;
pub mod programs;

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_device::{Nanos, Port};
use weir_ir::Bits;

/// The port of the controller, for programs that have one.
pub const CPU_PORT: Port = 255;

/// Time between packets. With one pass per microsecond, a test gives up on a packet that
/// recirculates forever after the passes that fit into this time.
pub const GAP: Nanos = 64_000;

pub fn below(random: &mut Pcg64Mcg, end: u64) -> u64 {
    random.next_u64() % end
}

/// Returns a random number of this width, mostly small.
pub fn number(random: &mut Pcg64Mcg, width: u32) -> Bits {
    match below(random, 4) {
        0 => {
            Bits::new(128, u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())).resize(width)
        }
        1 => Bits::ones(width),
        // The addresses of the packets below.
        2 => Bits::new(128, 0x0a00_0000 + u128::from(below(random, 4))).resize(width),
        _ => Bits::new(width, u128::from(below(random, 12))),
    }
}

pub fn port(random: &mut Pcg64Mcg) -> Port {
    let port = below(random, 14) as Port;
    if port == 13 { CPU_PORT } else { port }
}

pub fn bytes(random: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = vec![0; below(random, 100) as usize];
    match below(random, 4) {
        0 => random.fill_bytes(&mut bytes),
        1 => bytes.iter_mut().for_each(|byte| *byte = below(random, 10) as u8),
        _ => {
            // An Ethernet and an IPv4 header with a few bytes changed.
            let header = [
                2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, 0, 40, 0, 1, 0, 0, 64, 17, 0x66, 0xc2, 10,
                0, 0, 1, 10, 0, 0, 2, 0, 80, 0, 53, 0, 20, 0, 0,
            ];
            let length = bytes.len().min(header.len());
            bytes[..length].copy_from_slice(&header[..length]);
            for _ in 0..below(random, 6) {
                let place = below(random, bytes.len().max(1) as u64) as usize;
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = if below(random, 2) == 0 { below(random, 256) } else { below(random, 10) } as u8;
                }
            }
        }
    }
    bytes
}
