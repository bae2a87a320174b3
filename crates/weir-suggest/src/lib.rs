//! Finds the valid name that a user most likely meant by a misspelt one.
//!
//! The input is a misspelt name, and the names that are valid at its place. The output is the name
//! for "did you mean …?", or nothing if no name is similar enough, and a message that ends with
//! this question.
//!
//! Names are similar in one of two ways. A *slip* is a few wrong, missing, extra or swapped
//! letters. An *abbreviation* leaves out or adds whole parts, such as `port` for `egress_port`.
//! [`nearest`] accepts both, and [`misspelt_word`] only slips. The case of letters does not matter.
//! The answer depends only on the names, not on the order in which they come.
//!
//! This crate does not know what the names mean.

mod similarity;

use std::fmt;

use similarity::{Relation, similarity};

/// Finds the known name that `wrong` most likely stands for.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    Search::default().nearest(wrong, known)
}

/// Like [`nearest`], for names with dots, whose last part alone may be given: `drop` for
/// `MyIngress.drop`.
pub fn nearest_dotted<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    Search { dotted: true, ..Search::default() }.nearest(wrong, known)
}

/// Returns the known word that `wrong` misspells: like [`nearest`], without abbreviations. Parsers
/// continue as if the known word had been written.
pub fn misspelt_word<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    Search { slips_only: true, ..Search::default() }.nearest(wrong, known)
}

/// The settings of a search for the nearest name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// Whether the last part of a name with dots may be given alone.
    pub dotted: bool,
    /// Whether to ignore abbreviations.
    pub slips_only: bool,
    /// The minimum similarity of a wrong name of four letters or more to the right one, from 0 to
    /// 1000. Names that are neither a slip nor an abbreviation are never found, even if this is 0.
    pub least: u32,
}

/// The penalty of matches that compare only the last parts of dotted names. Because of it, of two
/// names with the same last part, the one with the right beginning wins.
const TAIL_PENALTY: u32 = 50;

impl Search {
    /// Returns the known name that `wrong` most likely stands for. If several names are equally
    /// similar, the alphabetically first one.
    pub fn nearest<'a>(self, wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        known
            .into_iter()
            // Suggesting the refused name itself does not help.
            .filter(|name| *name != wrong)
            .filter_map(|name| Some((self.rank(wrong, name)?, name)))
            .max_by(|(a, first), (b, second)| a.cmp(b).then_with(|| second.cmp(first)))
            .map(|(_, name)| name)
    }

    /// Returns the similarity that ranks names, and the similarity of the whole names.
    fn rank(self, wrong: &str, right: &str) -> Option<(u32, u32)> {
        let whole = self.score(wrong, right);
        if !self.dotted {
            return whole.map(|score| (score, score));
        }
        let (wrong_tail, right_tail) = (last_part(wrong), last_part(right));
        let tail = if wrong_tail == right_tail { Some(1000) } else { self.score(wrong_tail, right_tail) };
        if tail.is_none() && wrong.contains('.') && right.contains('.') {
            // Similar beginnings do not make names similar: `hdr.ipv4.ttl` is not `hdr.ipv4.len`.
            return None;
        }
        let tail = tail.map(|score| score.saturating_sub(TAIL_PENALTY));
        whole.max(tail).map(|score| (score, whole.unwrap_or(0)))
    }

    /// Returns how similar two names are, if they are similar enough.
    fn score(self, wrong: &str, right: &str) -> Option<u32> {
        let (score, relation) = similarity(wrong, right)?;
        let wanted = !(self.slips_only && relation == Relation::Abbreviation);
        (wanted && (score >= self.least || wrong.chars().count() < 4)).then_some(score)
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Writes `MESSAGE; did you mean "SUGGESTION"?`, or the message alone. A suggestion that already
/// contains quotes is not quoted again.
pub fn write_message(f: &mut fmt::Formatter<'_>, message: &str, suggestion: Option<&str>) -> fmt::Result {
    f.write_str(message)?;
    match suggestion {
        Some(suggestion) if suggestion.contains('"') => write!(f, "; did you mean {suggestion}?"),
        Some(suggestion) => write!(f, "; did you mean \"{suggestion}\"?"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
