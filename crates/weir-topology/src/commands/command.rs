//! A command in messages, and its options.

use std::fmt;

use crate::text::{listing, nearest, show_text};
use crate::{Error, Host};

/// The text of a host's command.
#[derive(Clone, Copy)]
pub(super) struct Command<'c>(pub &'c str);

impl fmt::Display for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "host command \"{}\"", show_text(self.0))
    }
}

impl Command<'_> {
    /// Returns the error for a command that is not supported.
    pub fn unsupported(self, expected: &str) -> Error {
        Error::new(format!("{self} is not supported: expected {expected}"))
    }

    /// Returns the error for a word of the command that is not among the known ones.
    pub fn unknown_word(self, word: &str, known: &[&str]) -> Error {
        let near = nearest(word, known);
        let list = if near.is_some() { String::new() } else { format!(" (known: {})", listing(known)) };
        let word = show_text(word);
        Error::new(format!("\"{word}\" in the {self} is not understood{list}")).suggesting(near)
    }

    /// Returns the error for a word without the value that must follow it.
    pub fn no_value(self, word: &str) -> Error {
        Error::new(format!("nothing follows \"{word}\" in the {self}"))
    }
}

/// The options of a command: names, each with a value.
pub(super) struct Options<'w>(Vec<(&'w str, &'w str)>);

impl<'w> Options<'w> {
    /// Reads names and values in turn. The devices that `dev` and `-i` name must exist.
    pub fn read(command: Command<'_>, words: &[&'w str], known: &[&str], host: &Host) -> Result<Self, Error> {
        let mut found = Vec::new();
        for pair in words.chunks(2) {
            if !known.contains(&pair[0]) {
                return Err(command.unknown_word(pair[0], known));
            }
            let &[name, value] = pair else { return Err(command.no_value(pair[0])) };
            found.push((name, value));
        }
        let options = Options(found);
        for device in ["dev", "-i"].iter().filter_map(|name| options.get(name)) {
            host.interface_number(device)?;
        }
        Ok(options)
    }

    /// Returns the last value of this name.
    pub fn get(&self, name: &str) -> Option<&'w str> {
        self.0.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}
