//! The tables of hashes whose function and inputs clients set.

use weir_switch::control::{HashAlgorithm, HashSchema};

use super::{Action, DataField, FieldType, KeyField, Object, Table, numbered};

/// The numbers of fields and actions.
pub mod ids {
    /// The rotation of the result, in bits. The seed, and whether a narrower result has
    /// the upper bits and a wider one repeats the hash, follow.
    pub const ROTATE: u32 = 65570;
    /// The seed.
    pub const SEED: u32 = 65571;
    /// Whether a narrower result has the upper bits.
    pub const MSB: u32 = 65572;
    /// Whether a wider result repeats the hash.
    pub const EXTEND: u32 = 65573;
    /// A hash.
    pub const VALUE: u32 = 65574;
    /// The lowest bit of a part.
    pub const START_BIT: u32 = 65575;
    /// The number of bits of a part.
    pub const LENGTH: u32 = 65576;
    /// The place of a part among all parts, from 1 on.
    pub const ORDER: u32 = 65577;
    /// A function with a name.
    pub const PRE_DEFINED: u32 = 65578;
    /// A function with a polynomial.
    pub const USER_DEFINED: u32 = 65579;

    /// The name of a function.
    pub const NAME: u32 = 1;
    /// Whether bits are processed in reverse.
    pub const REVERSE: u32 = 1;
    /// The polynomial.
    pub const POLYNOMIAL: u32 = 2;
    /// The initial value.
    pub const INIT: u32 = 3;
    /// The number that is combined with the result.
    pub const FINAL_XOR: u32 = 4;
    /// The width.
    pub const WIDTH: u32 = 5;
}

/// The functions with a name: the width, the polynomial, the initial value, the number that is
/// combined with the result, and whether bits are processed in reverse ("Catalogue of parametrised
/// CRC algorithms").
type NamedFunction = (&'static str, u32, u64, u64, u64, bool);

const NAMED_FUNCTIONS: &[NamedFunction] = &[
    ("crc_8", 8, 0x07, 0, 0, false),
    ("crc_8_darc", 8, 0x39, 0, 0, true),
    ("crc_8_i_code", 8, 0x1d, 0xfd, 0, false),
    ("crc_8_itu", 8, 0x07, 0, 0x55, false),
    ("crc_8_maxim", 8, 0x31, 0, 0, true),
    ("crc_8_rohc", 8, 0x07, 0xff, 0, true),
    ("crc_8_wcdma", 8, 0x9b, 0, 0, true),
    ("crc_16", 16, 0x8005, 0, 0, true),
    ("crc_16_buypass", 16, 0x8005, 0, 0, false),
    ("crc_16_dds_110", 16, 0x8005, 0x800d, 0, false),
    ("crc_16_dnp", 16, 0x3d65, 0, 0xffff, true),
    ("crc_16_en_13757", 16, 0x3d65, 0, 0xffff, false),
    ("crc_16_maxim", 16, 0x8005, 0, 0xffff, true),
    ("crc_16_mcrf4xx", 16, 0x1021, 0xffff, 0, true),
    ("crc_16_t10_dif", 16, 0x8bb7, 0, 0, false),
    ("crc_16_teledisk", 16, 0xa097, 0, 0, false),
    ("crc_16_usb", 16, 0x8005, 0xffff, 0xffff, true),
    ("x_25", 16, 0x1021, 0xffff, 0xffff, true),
    ("xmodem", 16, 0x1021, 0, 0, false),
    ("modbus", 16, 0x8005, 0xffff, 0, true),
    ("kermit", 16, 0x1021, 0, 0, true),
    ("crc_ccitt_false", 16, 0x1021, 0xffff, 0, false),
    ("crc_aug_ccitt", 16, 0x1021, 0x1d0f, 0, false),
    ("crc_32", 32, 0x04c1_1db7, 0xffff_ffff, 0xffff_ffff, true),
    ("crc_32_bzip2", 32, 0x04c1_1db7, 0xffff_ffff, 0xffff_ffff, false),
    ("crc_32c", 32, 0x1edc_6f41, 0xffff_ffff, 0xffff_ffff, true),
    ("crc_32d", 32, 0xa833_982b, 0xffff_ffff, 0xffff_ffff, true),
    ("crc_32_mpeg", 32, 0x04c1_1db7, 0xffff_ffff, 0, false),
    ("posix", 32, 0x04c1_1db7, 0, 0xffff_ffff, false),
    ("crc_32q", 32, 0x8141_41ab, 0, 0, false),
    ("jamcrc", 32, 0x04c1_1db7, 0xffff_ffff, 0, true),
    ("xfer", 32, 0x0000_00af, 0, 0, false),
    ("crc_64", 64, 0x42f0_e1eb_a9ea_3693, 0, 0, false),
    ("crc_64_we", 64, 0x42f0_e1eb_a9ea_3693, u64::MAX, u64::MAX, false),
];

/// The function that returns the lowest bits.
const IDENTITY: &str = "IDENTITY";

/// The names of the functions.
const NAMES: [&str; NAMED_FUNCTIONS.len() + 1] = {
    let mut names = [IDENTITY; NAMED_FUNCTIONS.len() + 1];
    let mut place = 0;
    while place < NAMED_FUNCTIONS.len() {
        names[place + 1] = NAMED_FUNCTIONS[place].0;
        place += 1;
    }
    names
};

/// Returns the function with a name.
pub fn algorithm(name: &str, takes_upper: bool, repeats: bool) -> Option<HashAlgorithm> {
    if name == IDENTITY {
        return Some(HashAlgorithm::Identity);
    }
    let (_, width, polynomial, initial, final_xor, reflected) =
        *NAMED_FUNCTIONS.iter().find(|(known, ..)| *known == name)?;
    Some(HashAlgorithm::Crc { width, polynomial, initial, final_xor, reflected, takes_upper, repeats })
}

/// The first bytes of the numbers of the tables.
mod prefix {
    pub const CONFIGURE: u32 = 0x95 << 24;
    pub const COMPUTE: u32 = 0x96 << 24;
    pub const ALGORITHM: u32 = 0x97 << 24;
}

/// Makes the tables of a hash, whose name begins with the pipe.
pub(super) fn tables(name: &str, number: u32, hash: &HashSchema) -> [Table; 3] {
    let fields = || (1..).zip(&hash.fields);
    let configure = prefix::CONFIGURE | number;
    let parts = fields().map(|(id, (name, width))| DataField {
        repeated: true,
        ..DataField::new(id, name.clone(), FieldType::Parts(*width))
    });
    let keys = fields().map(|(id, (name, width))| KeyField {
        id,
        name: name.clone(),
        match_type: "Exact",
        mandatory: false,
        ty: FieldType::Bytes(*width),
    });
    let part_name = |kind: &str| format!("{name}.{kind}");
    let default = (FieldType::Uint(32, Some(0)), FieldType::Bool(Some(false)));
    let common = [("rotate", default.0), ("seed", default.0), ("msb", default.1), ("extend", default.1)];
    let long = FieldType::Uint(64, Some(0));
    let user_defined = [
        ("reverse", default.1),
        ("polynomial", FieldType::Uint(64, None)),
        ("init", long),
        ("final_xor", long),
        ("hash_bit_width", FieldType::Uint(64, None)),
    ];
    let action = |id, name: &str, data| Action {
        name: name.to_owned(),
        id,
        action: None,
        scope: Some("TableAndDefault"),
        data,
    };
    [
        Table {
            data: parts.collect(),
            ..Table::new(
                part_name("configure"),
                configure,
                Object::HashInputs(hash.id),
                "DynHashConfigure",
                1,
            )
        },
        Table {
            actions: vec![
                action(
                    ids::PRE_DEFINED,
                    "pre_defined",
                    numbered(ids::NAME, [("algorithm_name", FieldType::Text(&NAMES))]),
                ),
                action(ids::USER_DEFINED, "user_defined", numbered(ids::REVERSE, user_defined)),
            ],
            data: numbered(ids::ROTATE, common),
            depends_on: vec![configure],
            ..Table::new(
                part_name("algorithm"),
                prefix::ALGORITHM | number,
                Object::HashFunction(hash.id),
                "DynHashAlgorithm",
                1,
            )
        },
        Table {
            keys: keys.collect(),
            data: vec![DataField::new(ids::VALUE, "hash_value", FieldType::Bytes(hash.width)).read_only()],
            depends_on: vec![configure],
            ..Table::new(
                part_name("compute"),
                prefix::COMPUTE | number,
                Object::HashValue(hash.id),
                "DynHashCompute",
                1,
            )
        },
    ]
}
