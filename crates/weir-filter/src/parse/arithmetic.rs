//! Comparisons of arithmetic expressions: lengths and bytes of the frame.

use super::{MAX_DEPTH, Parser, Subject, number, subject};
use crate::FilterError;
use crate::eval::{Base, Number, Operator, Relation, Test};
use crate::lex::FLAGS;

impl Parser<'_> {
    /// Parses a comparison of two numbers.
    pub(super) fn comparison(&mut self) -> Result<Test, FilterError> {
        let left = self.arithmetic(0)?;
        let relation = [
            ("==", Relation::Equal),
            ("=", Relation::Equal),
            ("!=", Relation::NotEqual),
            ("<=", Relation::LessOrEqual),
            (">=", Relation::GreaterOrEqual),
            ("<", Relation::Less),
            (">", Relation::Greater),
        ];
        let Some((_, relation)) = relation.into_iter().find(|(sign, _)| self.take_sign(sign)) else {
            return Err(self.expected_error("a comparison: =, !=, <, <=, > or >=", &[]));
        };
        Ok(Test::Compare(left, relation, self.arithmetic(0)?))
    }

    /// Parses operators of precedence `strength` and above: `& |`, then shifts, then `+ -`, then `*
    /// /`, as in tcpdump.
    fn arithmetic(&mut self, strength: usize) -> Result<Number, FilterError> {
        /// The operators by precedence, the weakest first.
        const LEVELS: [[(&str, Operator); 2]; 4] = [
            [("&", Operator::And), ("|", Operator::Or)],
            [("<<", Operator::Left), (">>", Operator::Right)],
            [("+", Operator::Add), ("-", Operator::Subtract)],
            [("*", Operator::Multiply), ("/", Operator::Divide)],
        ];
        let Some(level) = LEVELS.get(strength) else { return self.operand() };
        let mut left = self.arithmetic(strength + 1)?;
        while let Some((_, operator)) = level.iter().find(|(sign, _)| self.take_sign(sign)) {
            left = Number::Of(*operator, Box::new(left), Box::new(self.arithmetic(strength + 1)?));
        }
        Ok(left)
    }

    /// Parses a number, `len`, bytes of a header, or an expression in parentheses.
    fn operand(&mut self) -> Result<Number, FilterError> {
        /// The part that is expected at this place, for messages.
        const EXPECTED: &str = "a number, `len`, or bytes such as `ether[12:2]`";
        self.count_part()?;
        if self.take_sign("(") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.error_here("parentheses are nested too deeply"));
            }
            let number = self.arithmetic(0)?;
            self.depth -= 1;
            if !self.take_sign(")") {
                return Err(self.expected_error("`)`", &[]));
            }
            return Ok(number);
        }
        let Some(word) = self.peek_word() else { return Err(self.expected_error(EXPECTED, &[])) };
        let named = FLAGS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        if let Some(value) = named.or(number(word)) {
            self.next += 1;
            return Ok(Number::Constant(value));
        }
        if self.take_word("len") {
            return Ok(Number::Length);
        }
        let base = match subject(word) {
            Some(Subject::Ether) => Base::Ethernet,
            Some(Subject::Arp) => Base::Arp,
            Some(Subject::Ipv4) => Base::Ipv4,
            Some(Subject::Ipv6) => Base::Ipv6,
            Some(Subject::Protocol(number)) => Base::Transport(number),
            None => {
                return Err(self.expected_error(
                    EXPECTED,
                    &["ether", "arp", "ip", "ip6", "tcp", "udp", "icmp", "icmp6", "len"],
                ));
            }
        };
        self.next += 1;
        if !self.take_sign("[") {
            return Err(self.expected_error("`[`", &[]));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error_here("brackets are nested too deeply"));
        }
        let at = Box::new(self.arithmetic(0)?);
        self.depth -= 1;
        let mut count = 1;
        if self.take_sign(":") {
            count = match self.peek_word() {
                Some("1") => 1,
                Some("2") => 2,
                Some("4") => 4,
                _ => return Err(self.expected_error("1, 2 or 4 bytes", &[])),
            };
            self.next += 1;
        }
        if !self.take_sign("]") {
            return Err(self.expected_error("`]`", &[]));
        }
        Ok(Number::Bytes { base, at, count })
    }
}
