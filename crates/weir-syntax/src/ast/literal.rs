//! Integer literals.

use num_bigint::BigInt;

/// An integer literal (specification section "Integer literals").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegerLiteral {
    /// The value of the digits; never negative. It might not fit the width, which the type checker
    /// reports.
    pub value: BigInt,
    /// The width in bits and signedness, if written: `8w…`, `8s…`.
    pub width: Option<LiteralWidth>,
    /// The base of the digits, for printing.
    pub base: IntegerBase,
}

/// The `8w` or `8s` of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LiteralWidth {
    /// Width in bits.
    pub bits: u32,
    /// True for `s` (two's complement), false for `w`.
    pub signed: bool,
}

/// The base of an integer literal's digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerBase {
    /// `0b101`
    Binary,
    /// `0o17`
    Octal,
    /// `15`, `0d15`; a leading zero alone does not make a literal octal
    Decimal,
    /// `0xF`
    Hexadecimal,
}

impl IntegerBase {
    /// Returns the base as a number: 2, 8, 10 or 16.
    pub fn radix(self) -> u32 {
        match self {
            IntegerBase::Binary => 2,
            IntegerBase::Octal => 8,
            IntegerBase::Decimal => 10,
            IntegerBase::Hexadecimal => 16,
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            IntegerBase::Binary => "0b",
            IntegerBase::Octal => "0o",
            IntegerBase::Decimal => "",
            IntegerBase::Hexadecimal => "0x",
        }
    }
}

impl IntegerLiteral {
    /// Maximum number of digits, which keeps conversion fast: about 300 000 bits in hexadecimal.
    pub const MAX_DIGITS: usize = 80_000;

    /// Returns a decimal literal without width.
    pub fn plain(value: impl Into<BigInt>) -> IntegerLiteral {
        IntegerLiteral { value: value.into(), width: None, base: IntegerBase::Decimal }
    }

    /// Parses a literal as written in a program. The error is a message for the user.
    pub fn from_spelling(text: &str) -> Result<IntegerLiteral, String> {
        let (width, digits) = match text.find(|c: char| !c.is_ascii_digit()) {
            Some(at) if at > 0 && matches!(text.as_bytes()[at], b'w' | b's') => {
                let bits: u32 =
                    text[..at].parse().map_err(|_| format!("width `{}` is too large", &text[..at]))?;
                let signed = text.as_bytes()[at] == b's';
                (Some(LiteralWidth { bits, signed }), &text[at + 1..])
            }
            _ => (None, text),
        };
        let (base, digits) = match digits.get(..2) {
            Some("0x" | "0X") => (IntegerBase::Hexadecimal, &digits[2..]),
            Some("0o" | "0O") => (IntegerBase::Octal, &digits[2..]),
            Some("0b" | "0B") => (IntegerBase::Binary, &digits[2..]),
            Some("0d" | "0D") => (IntegerBase::Decimal, &digits[2..]),
            _ if digits.starts_with('_') => {
                return Err("the digits of a literal cannot start with `_`".to_string());
            }
            _ => (IntegerBase::Decimal, digits),
        };
        if let Some(bad) = digits.chars().find(|c| *c != '_' && !c.is_digit(base.radix())) {
            return Err(format!("`{bad}` is not a digit of base {}", base.radix()));
        }
        let digits: Vec<u8> = digits.bytes().filter(|b| *b != b'_').collect();
        if digits.len() > IntegerLiteral::MAX_DIGITS {
            return Err(format!("a literal may have at most {} digits", IntegerLiteral::MAX_DIGITS));
        }
        match BigInt::parse_bytes(&digits, base.radix()) {
            Some(value) => Ok(IntegerLiteral { value, width, base }),
            None => Err("a literal needs at least one digit".to_string()),
        }
    }
}

impl std::fmt::Display for IntegerLiteral {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(width) = self.width {
            write!(f, "{}{}", width.bits, if width.signed { 's' } else { 'w' })?;
        }
        write!(f, "{}{}", self.base.prefix(), self.value.to_str_radix(self.base.radix()))
    }
}
