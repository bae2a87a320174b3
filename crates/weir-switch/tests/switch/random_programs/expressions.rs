//! Random expressions.

use super::Maker;

impl Maker {
    /// Returns a random expression of type `bit<8>`.
    pub(super) fn byte(&mut self, depth: u32) -> String {
        let leaves = ["hdr.first.a", "hdr.first.c", "hdr.more[0].x", "hdr.more[1].x", "meta.colour"];
        if depth == 0 || self.chance(3) {
            return if self.chance(3) { format!("8w{}", self.below(12)) } else { self.pick(&leaves).into() };
        }
        match self.below(6) {
            0 => format!("((bit<8>) {})", self.word(depth - 1)),
            1 => {
                let low = self.below(9);
                format!("({})[{}:{low}]", self.word(depth - 1), low + 7)
            }
            2 => {
                let (condition, one) = (self.condition(depth - 1), self.byte(depth - 1));
                format!("({condition} ? {one} : {})", self.byte(depth - 1))
            }
            3 => format!("(~{})", self.byte(depth - 1)),
            4 => format!("(bit<8>) (hdr.first.s |-| (int<8>) {})", self.byte(depth - 1)),
            _ => {
                let (one, op) = (self.byte(depth - 1), self.operator());
                format!("({one} {op} {})", self.byte(depth - 1))
            }
        }
    }

    /// Returns a random expression of type `bit<16>`.
    pub(super) fn word(&mut self, depth: u32) -> String {
        let leaves = [
            "hdr.first.b",
            "hdr.first.d",
            "hdr.more[0].y",
            "meta.kept",
            "meta.lost",
            "meta.r16",
            "meta.pair.low",
        ];
        if depth == 0 || self.chance(3) {
            return if self.chance(4) { format!("16w{}", self.below(70)) } else { self.pick(&leaves).into() };
        }
        match self.below(4) {
            0 => format!("({} ++ {})", self.byte(depth - 1), self.byte(depth - 1)),
            1 => format!("((bit<16>) {})", self.byte(depth - 1)),
            2 => format!("(-{})", self.word(depth - 1)),
            _ => {
                let (one, op) = (self.word(depth - 1), self.operator());
                format!("({one} {op} {})", self.word(depth - 1))
            }
        }
    }

    /// Returns a random expression of type `bool`.
    pub(super) fn condition(&mut self, depth: u32) -> String {
        match self.below(if depth == 0 { 3 } else { 6 }) {
            0 => self.pick(&["hdr.first.isValid()", "hdr.more[0].isValid()", "hdr.rest.isValid()"]).into(),
            1 => {
                let (one, op) = (self.byte(0), self.pick(&["==", "!=", "<", "<=", ">", ">="]));
                format!("({one} {op} {})", self.byte(0))
            }
            2 => format!("({} & {} != 0)", self.pick(&["hdr.first.a", "hdr.first.c"]), 1 << self.below(4)),
            3 => format!("(!{})", self.condition(depth - 1)),
            4 => {
                let (one, op) = (self.condition(depth - 1), self.pick(&["&&", "||"]));
                format!("({one} {op} {})", self.condition(depth - 1))
            }
            _ => {
                let (one, op) = (self.word(depth - 1), self.pick(&["==", "!=", "<", "<=", ">", ">="]));
                format!("({one} {op} {})", self.word(depth - 1))
            }
        }
    }

    fn operator(&mut self) -> &'static str {
        self.pick(&["+", "-", "*", "|+|", "|-|", "&", "|", "^", "<<", ">>"])
    }

    /// Returns a variable or field of type `bit<8>`.
    pub(super) fn byte_place(&mut self) -> &'static str {
        self.pick(&["hdr.first.c", "hdr.first.a", "hdr.more[0].x", "hdr.more[1].x", "meta.colour"])
    }

    /// Returns a variable or field of type `bit<16>`.
    pub(super) fn word_place(&mut self) -> &'static str {
        self.pick(&["hdr.first.b", "hdr.first.d", "hdr.more[0].y", "meta.kept", "meta.lost", "meta.r16"])
    }

    /// Returns a small random index.
    pub(super) fn index(&mut self) -> String {
        let index = self.byte(0);
        format!("(bit<32>) ({index} & 7)")
    }
}
