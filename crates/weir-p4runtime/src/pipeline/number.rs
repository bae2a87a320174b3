//! Numbers as controllers write them (specification, "Bytestrings"). Controllers may write byte
//! strings with leading zeros; the switch answers with the shortest form.

use weir_ir::Bits;

use weir_grpc::Problem;

/// Removes the leading zeros of a byte string.
fn significant(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    &bytes[zeros..]
}

/// Reads an unsigned number of at most `width` bits.
pub(crate) fn number(bytes: &[u8], width: u32) -> Result<Bits, Problem> {
    if bytes.is_empty() {
        return Err(Problem::out_of_range("an empty byte string is not a number; zero is the byte 0"));
    }
    let digits = significant(bytes);
    let needs = match digits.first() {
        Some(first) => digits.len() as u64 * 8 - u64::from(first.leading_zeros()),
        None => 0,
    };
    if needs > u64::from(width) {
        return Err(Problem::out_of_range(format!("the value needs {needs} bits, of which it has {width}")));
    }
    Ok(Bits::from_be_bytes(width, digits))
}

/// Reads a signed number of at most `width` bits in two's complement.
pub(crate) fn signed_number(bytes: &[u8], width: u32) -> Result<Bits, Problem> {
    let Some(first) = bytes.first() else {
        return Err(Problem::out_of_range("an empty byte string is not a number; zero is the byte 0"));
    };
    let negative = *first >= 0x80;
    let sign = if negative { 0xff } else { 0 };
    let digits = &bytes[bytes.iter().take_while(|byte| **byte == sign).count()..];
    // The number needs the bits after the leading copies of the sign bit, and one bit for the sign.
    let needs = match digits.first() {
        Some(first) => digits.len() as u64 * 8 + 1 - u64::from((first ^ sign).leading_zeros()),
        None => 1,
    };
    if needs > u64::from(width) {
        return Err(Problem::out_of_range(format!("the value needs {needs} bits, of which it has {width}")));
    }
    let whole = digits.len() as u32 * 8;
    let value = Bits::from_be_bytes(whole, digits);
    Ok(if negative {
        Bits::ones(width).shl(u64::from(whole)).or(&value.resize(width))
    } else {
        value.resize(width)
    })
}

/// Converts a number to a width of `bits` bits.
pub(crate) fn fit(value: &Bits, bits: u32) -> Result<Bits, Problem> {
    let needs = value.to_biguint().bits();
    if needs > u64::from(bits) {
        return Err(Problem::out_of_range(format!(
            "the value needs {needs} bits, but the program has {bits}"
        )));
    }
    Ok(value.resize(bits))
}

#[cfg(test)]
mod tests {
    use weir_grpc::Code;

    use super::*;
    use crate::wire::{shortest, shortest_signed};

    /// Tests the tables of the specification's section "Bytestrings".
    #[test]
    fn byte_strings_of_unsigned_numbers() {
        for (width, given, value) in [
            (8, &[0x63][..], 0x63),
            (16, &[0, 0x63], 0x63),
            (16, &[0x63], 0x63),
            (16, &[0x30, 0x64], 0x3064),
            (16, &[0, 0x30, 0x64], 0x3064),
            (12, &[0, 0, 0x63], 0x63),
            (12, &[0x0f, 0xff], 0xfff),
            (9, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff], 0x1ff),
            (8, &[0], 0),
            (0, &[0], 0),
        ] {
            assert_eq!(number(given, width), Ok(Bits::new(width, value)), "bit<{width}> {given:?}");
        }
        for (width, given) in [
            (8, &[1, 0x63][..]),
            (8, &[]),
            (16, &[1, 0, 0x63]),
            (12, &[0x10, 0x63]),
            (12, &[1, 0, 0x63]),
            (12, &[0, 0x40, 0x63]),
        ] {
            assert_eq!(number(given, width).unwrap_err().code, Code::OutOfRange, "bit<{width}> {given:?}");
        }
    }

    #[test]
    fn byte_strings_of_signed_numbers() {
        for (width, given, value) in [
            (8, &[0x63][..], 99),
            (8, &[0x9d], -99),
            (8, &[0xff, 0x9d], -99),
            (12, &[0xfd, 0x1d], -739),
            (16, &[0, 0], 0),
            (16, &[0], 0),
            (16, &[0xff], -1),
            (1, &[0xff, 0xff], -1),
        ] {
            let expected = Bits::wrap_signed(width, &i32::into(value));
            assert_eq!(signed_number(given, width), Ok(expected), "int<{width}> {given:?}");
        }
        for (width, given) in [(8, &[0, 0x9d][..]), (12, &[0x8d, 0x1d]), (16, &[]), (8, &[0xff, 0x7f])] {
            assert_eq!(signed_number(given, width).unwrap_err().code, Code::OutOfRange, "{given:?}");
        }
    }

    #[test]
    fn answers_are_as_short_as_possible() {
        assert_eq!(shortest(&Bits::new(32, 0)), [0]);
        assert_eq!(shortest(&Bits::new(32, 0x100)), [1, 0]);
        assert_eq!(shortest(&Bits::new(64, 0x8000_0000_0000_0000)), [0x80, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(shortest(&Bits::new(128, 7)), [7]);
        assert_eq!(shortest(&Bits::new(200, 0)), [0]);
        for (value, bytes) in
            [(99, &[0x63][..]), (-99, &[0x9d]), (-739, &[0xfd, 0x1d]), (0, &[0]), (128, &[0, 0x80])]
        {
            assert_eq!(shortest_signed(&Bits::wrap_signed(12, &i32::into(value))), bytes, "{value}");
        }
    }
}
