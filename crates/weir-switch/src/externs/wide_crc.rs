//! Computes cyclic redundancy checks of up to 64 bits.

/// A CRC with its lookup table.
#[derive(Clone, Debug)]
pub(crate) struct WideCrc {
    /// The width in bits, from 1 to 64.
    pub width: u32,
    parameters: WideParameters,
    /// The effect of each byte value on a register of 64 bits. The upper bits of the register hold
    /// the CRC.
    table: Box<[u64; 256]>,
}

/// The parameters of a CRC, as in [`CrcParameters`](super::CrcParameters).
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideParameters {
    pub polynomial: u64,
    pub initial: u64,
    pub final_xor: u64,
    /// Whether the lowest bit of each byte is processed first, and the register is reversed.
    pub reflected: bool,
}

impl WideCrc {
    /// Creates a CRC. The parameters fit the width.
    pub(crate) fn new(width: u32, parameters: WideParameters) -> Self {
        let polynomial = parameters.polynomial << (64 - width);
        let step = |register: u64, _| {
            if register >> 63 == 1 { register << 1 ^ polynomial } else { register << 1 }
        };
        let mut table = Box::new([0; 256]);
        for (byte, effect) in table.iter_mut().enumerate() {
            *effect = (0..8).fold((byte as u64) << 56, step);
        }
        Self { width, parameters, table }
    }

    pub(crate) fn compute(&self, bytes: &[u8]) -> u64 {
        let WideParameters { initial, final_xor, reflected, .. } = self.parameters;
        let spare = 64 - self.width;
        let register = bytes.iter().fold(initial << spare, |register, byte| {
            let byte = if reflected { byte.reverse_bits() } else { *byte };
            register << 8 ^ self.table[(register >> 56) as usize ^ usize::from(byte)]
        });
        let remainder = if reflected { register.reverse_bits() } else { register >> spare };
        remainder ^ final_xor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crcs_have_the_check_values_of_the_catalogue() {
        let check = |width, polynomial, initial, reflected, final_xor| {
            let parameters = WideParameters { polynomial, initial, final_xor, reflected };
            WideCrc::new(width, parameters).compute(b"123456789")
        };
        assert_eq!(check(5, 0x05, 0x1f, true, 0x1f), 0x19, "CRC-5/USB");
        assert_eq!(check(8, 0x07, 0, false, 0), 0xf4, "CRC-8/SMBUS");
        assert_eq!(check(16, 0x1021, 0xffff, false, 0), 0x29b1, "CRC-16/IBM-3740");
        assert_eq!(check(24, 0x86_4cfb, 0xb7_04ce, false, 0), 0x21_cf02, "CRC-24/OPENPGP");
        assert_eq!(check(32, 0x04c1_1db7, 0xffff_ffff, true, 0xffff_ffff), 0xcbf4_3926, "CRC-32/ISO-HDLC");
        assert_eq!(check(64, 0x42f0_e1eb_a9ea_3693, 0, false, 0), 0x6c40_df5f_0b49_7347, "CRC-64/ECMA-182");
        assert_eq!(check(64, 0x42f0_e1eb_a9ea_3693, !0, true, !0), 0x995d_c9bb_df19_39fa, "CRC-64/XZ");
    }
}
