//! The words of a command, from left to right.

use std::fmt;

use super::error::TcError;
use super::units;

/// The words of a command, read one by one.
pub(super) struct Words<'a> {
    line: &'a str,
    words: Vec<&'a str>,
    next: usize,
}

/// Joins the words with commas.
pub(super) fn list(words: &[&str]) -> String {
    words.join(", ")
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Words { line: line.trim(), words: line.split_whitespace().collect(), next: 0 }
    }

    /// Returns the same words, preceded by other words, which messages do not show.
    pub(super) fn preceded_by(mut self, front: &[&'a str]) -> Self {
        self.words.splice(0..0, front.iter().copied());
        self
    }

    /// Returns the whole command.
    pub(super) fn line(&self) -> &'a str {
        self.line
    }

    /// Returns an error about the whole command.
    pub(super) fn error(&self, message: impl fmt::Display) -> TcError {
        TcError { line: self.line.to_owned(), message: message.to_string(), suggestion: None }
    }

    /// Returns an error about a word that is not one of the known ones.
    pub(super) fn unknown(&self, what: &str, word: &str, known: &[&str]) -> TcError {
        let message = format!("{what} `{word}` is not supported (supported: {})", list(known));
        TcError {
            suggestion: weir_suggest::nearest(word, known.iter().copied()).map(str::to_owned),
            ..self.error(message)
        }
    }

    /// Returns the next word without taking it.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.words.get(self.next).copied()
    }

    pub(super) fn next(&mut self) -> Option<&'a str> {
        let word = self.peek();
        self.next += 1;
        word
    }

    /// Returns the next word, as the argument of the option `what`.
    pub(super) fn argument_of(&mut self, what: &str) -> Result<&'a str, TcError> {
        self.next().ok_or_else(|| self.error(format!("missing value after `{what}`")))
    }

    /// Takes the next word as a rate; `what` names the option.
    pub(super) fn rate(&mut self, what: &str) -> Result<u64, TcError> {
        let word = self.argument_of(what)?;
        units::rate(word).ok_or_else(|| self.bad_value(what, word, "a rate such as 10mbit"))
    }

    /// Takes the next word as a size, in bytes; `what` names the option.
    pub(super) fn size(&mut self, what: &str) -> Result<u64, TcError> {
        let word = self.argument_of(what)?;
        // The cell size in `burst 1600/8` has no effect here.
        let bytes = word.split_once('/').map_or(word, |(bytes, _)| bytes);
        units::size(bytes).ok_or_else(|| self.bad_value(what, word, "a size such as 1600b or 32kbit"))
    }

    /// Takes the next word as a time, in nanoseconds; `what` names the option.
    pub(super) fn time(&mut self, what: &str) -> Result<u64, TcError> {
        let word = self.argument_of(what)?;
        units::time(word).ok_or_else(|| self.bad_value(what, word, "a time such as 20ms"))
    }

    /// Reads a percentage as a probability from 0 to 1.
    pub(super) fn percent(&mut self, what: &str) -> Result<f64, TcError> {
        let word = self.argument_of(what)?;
        units::percent(word).ok_or_else(|| self.bad_value(what, word, "a percentage such as 1%"))
    }

    /// Reads a probability, written as a number from 0 to 1.
    pub(super) fn probability(&mut self, what: &str) -> Result<f64, TcError> {
        let word = self.argument_of(what)?;
        let value = word.parse().ok().filter(|value| (0.0..=1.0).contains(value));
        value.ok_or_else(|| self.bad_value(what, word, "a probability from 0 to 1"))
    }

    /// Reads a number such as 0.16.
    pub(super) fn factor(&mut self, what: &str) -> Result<f64, TcError> {
        let word = self.argument_of(what)?;
        let value = word.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| self.bad_value(what, word, "a number such as 0.16"))
    }

    /// Takes the next word as a whole number; `what` names the option.
    pub(super) fn integer<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, TcError> {
        let word = self.argument_of(what)?;
        word.parse().map_err(|_| self.bad_value(what, word, "a whole number"))
    }

    /// Reads a decimal number, or a hexadecimal number after `0x`.
    pub(super) fn number(&mut self, what: &str) -> Result<u32, TcError> {
        let word = self.argument_of(what)?;
        let number = match word.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        };
        number.ok_or_else(|| self.bad_value(what, word, "a number"))
    }

    pub(super) fn bad_value(&self, what: &str, word: &str, expected: &str) -> TcError {
        self.error(format!("{what} `{word}`: expected {expected}"))
    }

    /// Returns whether another number follows, such as the jitter after a delay.
    pub(super) fn number_follows(&self) -> bool {
        self.peek().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-'))
    }

    /// Reads the optional correlation from 0 to 1 that may follow a probability or a jitter of
    /// netem.
    pub(super) fn correlation(&mut self, what: &str) -> Result<f64, TcError> {
        if self.number_follows() { self.percent(what) } else { Ok(0.0) }
    }

    /// Reads a hexadecimal identifier (`1:10`, `1:` or `:10`) after the word `what`.
    pub(super) fn id(&mut self, what: &str) -> Result<(u16, u16), TcError> {
        self.next();
        let word = self.argument_of(what)?;
        let part =
            |digits: &str| if digits.is_empty() { Some(0) } else { u16::from_str_radix(digits, 16).ok() };
        let parts = word.split_once(':').and_then(|(major, minor)| Some((part(major)?, part(minor)?)));
        parts.ok_or_else(|| self.bad_value(what, word, "an identifier such as 1: or 1:10 (hexadecimal)"))
    }
}
