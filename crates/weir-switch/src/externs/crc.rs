//! Computes cyclic redundancy checks of any polynomial up to 32 bits. The parameters are those of
//! R. Williams, "A painless guide to CRC error detection algorithms" (1993), which catalogues of
//! CRCs use.

/// A CRC algorithm with parameters that the control plane can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrcAlgorithm {
    /// `crc16_custom`.
    Crc16,
    /// `crc32_custom`.
    Crc32,
}

/// The calculations with parameters that the control plane can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calculation {
    /// All calculations of an algorithm in the whole program.
    All(CrcAlgorithm),
    /// The calculation at this position in
    /// [`Schema::calculations`](crate::control::Schema::calculations).
    One(usize),
}

impl CrcAlgorithm {
    /// Returns the name as P4 programs spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crc16 => "crc16_custom",
            Self::Crc32 => "crc32_custom",
        }
    }

    /// Returns the width of the algorithm's results and numeric parameters in bits.
    pub fn width(self) -> u32 {
        match self {
            Self::Crc16 => 16,
            Self::Crc32 => 32,
        }
    }
}

/// The parameters of a CRC, in the terms of R. Williams' model, which catalogues of CRCs use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrcParameters {
    /// The divisor's coefficients without the highest one. For a CRC of 16 bits, the top bit is the
    /// coefficient of x^15: `0x8005`.
    pub polynomial: u32,
    /// The initial value of the register.
    pub initial: u32,
    /// The value that is XORed with the register at the end, after any reflection.
    pub final_xor: u32,
    /// Whether the lowest bit of each byte is processed first.
    pub reflect_in: bool,
    /// Whether the bits of the register are reversed at the end.
    pub reflect_out: bool,
}

/// A CRC with its lookup table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CustomCrc {
    /// The width in bits: 16 or 32.
    pub width: u32,
    pub parameters: CrcParameters,
    /// The effect of each byte value on a register of 32 bits. The upper bits of the register hold
    /// the CRC.
    table: Vec<u32>,
}

impl CustomCrc {
    /// Creates CRC-16/ARC.
    pub(crate) fn crc16() -> Self {
        let parameters = CrcParameters {
            polynomial: 0x8005,
            initial: 0,
            final_xor: 0,
            reflect_in: true,
            reflect_out: true,
        };
        Self::new(16, parameters)
    }

    /// Creates CRC-32/ISO-HDLC.
    pub(crate) fn crc32() -> Self {
        let parameters = CrcParameters {
            polynomial: 0x04c1_1db7,
            initial: 0xffff_ffff,
            final_xor: 0xffff_ffff,
            reflect_in: true,
            reflect_out: true,
        };
        Self::new(32, parameters)
    }

    /// Returns the CRC that the algorithm computes until its parameters are set.
    pub(crate) fn standard(algorithm: CrcAlgorithm) -> Self {
        match algorithm {
            CrcAlgorithm::Crc16 => Self::crc16(),
            CrcAlgorithm::Crc32 => Self::crc32(),
        }
    }

    /// Creates a CRC of `width` bits, at most 32. The parameters must fit the width.
    pub(crate) fn new(width: u32, parameters: CrcParameters) -> Self {
        let polynomial = parameters.polynomial << (32 - width);
        let step = |register: u32, _| {
            if register >> 31 == 1 { register << 1 ^ polynomial } else { register << 1 }
        };
        Self { width, parameters, table: (0..256u32).map(|byte| (0..8).fold(byte << 24, step)).collect() }
    }

    pub(crate) fn compute(&self, bytes: &[u8]) -> u64 {
        let CrcParameters { initial, final_xor, reflect_in, reflect_out, .. } = self.parameters;
        let spare = 32 - self.width;
        let register = bytes.iter().fold(initial << spare, |register, byte| {
            let byte = if reflect_in { byte.reverse_bits() } else { *byte };
            register << 8 ^ self.table[(register >> 24) as usize ^ usize::from(byte)]
        });
        let remainder = if reflect_out { register.reverse_bits() } else { register >> spare };
        u64::from(remainder ^ final_xor)
    }
}

#[cfg(test)]
mod tests {
    use crc::{Algorithm, Crc, Width};
    use proptest::prelude::*;

    use super::*;

    fn parameters<W: Width + Copy + Into<u32>>(a: &Algorithm<W>) -> CrcParameters {
        let (polynomial, initial, final_xor) = (a.poly.into(), a.init.into(), a.xorout.into());
        CrcParameters { polynomial, initial, final_xor, reflect_in: a.refin, reflect_out: a.refout }
    }

    #[test]
    fn crcs_have_the_check_values_of_the_catalogue() {
        let check = |width, polynomial, initial, reflect, final_xor| {
            let (reflect_in, reflect_out) = (reflect, reflect);
            let parameters = CrcParameters { polynomial, initial, final_xor, reflect_in, reflect_out };
            CustomCrc::new(width, parameters).compute(b"123456789")
        };
        let sixteen = [
            (check(16, 0x8005, 0, true, 0), 0xbb3d, "CRC-16/ARC"),
            (check(16, 0x8005, 0xffff, true, 0), 0x4b37, "CRC-16/MODBUS"),
            (check(16, 0x8005, 0xffff, true, 0xffff), 0xb4c8, "CRC-16/USB"),
            (check(16, 0x8005, 0, true, 0xffff), 0x44c2, "CRC-16/MAXIM-DOW"),
            (check(16, 0x8005, 0, false, 0), 0xfee8, "CRC-16/UMTS"),
            (check(16, 0x1021, 0, false, 0), 0x31c3, "CRC-16/XMODEM"),
            (check(16, 0x1021, 0xffff, false, 0), 0x29b1, "CRC-16/IBM-3740"),
            (check(16, 0x1021, 0xffff, false, 0xffff), 0xd64e, "CRC-16/GENIBUS"),
            (check(16, 0x1021, 0, true, 0), 0x2189, "CRC-16/KERMIT"),
            (check(16, 0x1021, 0xffff, true, 0xffff), 0x906e, "CRC-16/IBM-SDLC"),
            (check(16, 0x3d65, 0, true, 0xffff), 0xea82, "CRC-16/DNP"),
            (check(16, 0x8bb7, 0, false, 0), 0xd0db, "CRC-16/T10-DIF"),
        ];
        let thirty_two = [
            (check(32, 0x04c1_1db7, !0, true, !0), 0xcbf4_3926, "CRC-32/ISO-HDLC"),
            (check(32, 0x04c1_1db7, !0, false, !0), 0xfc89_1918, "CRC-32/BZIP2"),
            (check(32, 0x04c1_1db7, !0, false, 0), 0x0376_e6e7, "CRC-32/MPEG-2"),
            (check(32, 0x04c1_1db7, 0, false, !0), 0x765e_7680, "CRC-32/CKSUM"),
            (check(32, 0x04c1_1db7, !0, true, 0), 0x340b_c6d9, "CRC-32/JAMCRC"),
            (check(32, 0x1edc_6f41, !0, true, !0), 0xe306_9283, "CRC-32/ISCSI"),
            (check(32, 0xa833_982b, !0, true, !0), 0x8731_5576, "CRC-32/BASE91-D"),
            (check(32, 0x8141_41ab, 0, false, 0), 0x3010_bf7f, "CRC-32/AIXM"),
            (check(32, 0x0000_00af, 0, false, 0), 0xbd0b_e338, "CRC-32/XFER"),
        ];
        for (got, wanted, name) in sixteen.into_iter().chain(thirty_two) {
            assert_eq!(got, wanted, "{name}");
        }
    }

    proptest! {
        #[test]
        fn crcs_agree_with_the_crc_crate(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            for algorithm in [&crc::CRC_16_ARC, &crc::CRC_16_KERMIT, &crc::CRC_16_GENIBUS, &crc::CRC_16_DNP] {
                let ours = CustomCrc::new(16, parameters(algorithm)).compute(&bytes);
                prop_assert_eq!(ours, u64::from(Crc::<u16>::new(algorithm).checksum(&bytes)));
            }
            for algorithm in [&crc::CRC_32_ISO_HDLC, &crc::CRC_32_BZIP2, &crc::CRC_32_ISCSI, &crc::CRC_32_AIXM] {
                let ours = CustomCrc::new(32, parameters(algorithm)).compute(&bytes);
                prop_assert_eq!(ours, u64::from(Crc::<u32>::new(algorithm).checksum(&bytes)));
            }
        }
    }
}
