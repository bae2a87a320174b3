//! Random numbers and values.

use weir_ir::*;

/// A random number generator that depends only on its seed (splitmix64).
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn number_below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }

    /// Returns a random value: one of the limits of the width, a small number, or any number.
    pub fn bits(&mut self, width: u32) -> Bits {
        match self.number_below(6) {
            0 => Bits::zero(width),
            1 => Bits::ones(width),
            2 => Bits::new(width, u128::from(self.next() % 8)),
            _ => {
                let bytes = self.bytes(width.div_ceil(8) as usize);
                Bits::from_be_bytes(width, &bytes)
            }
        }
    }

    pub fn value(&mut self, program: &Program, ty: Type) -> Bits {
        match ty {
            Type::Error => Bits::new(32, self.number_below(program.errors.len()) as u128),
            Type::Enum(id) => Bits::new(32, self.number_below(program.enums[id].members.len()) as u128),
            Type::Varbit { max } => {
                let width = self.number_below(max as usize + 1) as u32;
                self.bits(width)
            }
            Type::Bool | Type::Bits { .. } => self.bits(ty.width()),
        }
    }
}

/// Returns the entropy for the program of a seed, which is mostly short and sometimes long.
pub fn program_entropy(seed: u64) -> Vec<u8> {
    let mut rng = Rng(seed ^ 0x5eed);
    let length = [200, 600, 1500, 3000][rng.number_below(4)];
    let length = rng.number_below(length);
    rng.bytes(length)
}

/// Returns a random packet: any bytes, or mostly zeros or ones, or headers that many programs
/// parse, with numbers with which the program compares.
pub fn packet(rng: &mut Rng, numbers: &[(u32, u64)]) -> Vec<u8> {
    let most = [128, 128, 128, 40, 700][rng.number_below(5)];
    let length = rng.number_below(most);
    let mut packet = match rng.number_below(8) {
        0 => vec![0; length],
        1 => vec![0xff; length],
        _ => rng.bytes(length),
    };
    if rng.number_below(2) == 0 && length >= 34 {
        packet[12..14].copy_from_slice(&[[8, 0], [8, 6], [0x86, 0xdd], [0x81, 0]][rng.number_below(4)]);
        packet[14] = [0x45, 0x46, 0x60][rng.number_below(3)];
        packet[23] = [6, 17, 1, 4][rng.number_below(4)];
    }
    for _ in 0..rng.number_below(4) {
        if numbers.is_empty() || length == 0 {
            break;
        }
        let (width, number) = numbers[rng.number_below(numbers.len())];
        let bytes = number.to_be_bytes();
        let bytes = &bytes[8 - (width.div_ceil(8) as usize).min(8)..];
        let at = rng.number_below(length);
        for (to, from) in packet[at..].iter_mut().zip(bytes) {
            *to = *from;
        }
    }
    packet
}

/// Returns the numbers in the `select`s of a program's parsers, with their widths.
pub fn select_numbers(program: &Program) -> Vec<(u32, u64)> {
    let mut numbers = Vec::new();
    for state in program.parsers.values().flat_map(|parser| parser.states.values()) {
        let Transition::Select { cases, .. } = &state.transition else { continue };
        for keyset in cases.iter().flat_map(|case| &case.keysets) {
            if let Keyset::Value(value) | Keyset::Mask(value, _) | Keyset::Range(value, _) = keyset {
                numbers.push((value.width(), value.low_u64()));
            }
        }
    }
    numbers
}
