//! All mistakes in a document.

use std::fmt;

use crate::Diagnostic;

/// The number of mistakes that a message lists.
const MAX_LISTED: usize = 20;

/// The number of mistakes that are kept. When this number is reached, readers of long lists stop.
pub(crate) const MAX_MISTAKES: usize = 100;

/// The mistakes in a document, at least one, in the order of their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes {
    all: Vec<Diagnostic>,
    is_cut: bool,
}

impl Mistakes {
    /// Returns all mistakes, or the first hundred that were found.
    pub fn all(&self) -> &[Diagnostic] {
        &self.all
    }

    /// Returns whether the document may have more mistakes than those listed.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

impl From<Diagnostic> for Mistakes {
    fn from(mistake: Diagnostic) -> Self {
        Self { all: vec![mistake], is_cut: false }
    }
}

impl fmt::Display for Mistakes {
    /// Writes one line for each mistake, up to 20, and the number of further mistakes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.all.iter().take(MAX_LISTED).enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            mistake.fmt(f)?;
        }
        let least = if self.is_cut { "at least " } else { "" };
        match self.all.len().saturating_sub(MAX_LISTED) {
            0 => Ok(()),
            1 if !self.is_cut => write!(f, "\nand 1 more mistake"),
            more => write!(f, "\nand {least}{more} more mistakes"),
        }
    }
}

impl std::error::Error for Mistakes {}

/// Collects mistakes while a document is read to its end.
#[derive(Clone, Debug, Default)]
pub struct Collector {
    all: Vec<Diagnostic>,
    is_cut: bool,
}

impl Collector {
    /// Returns the value if it was read without mistakes, and collects its mistakes otherwise.
    pub fn collect_result<T, E: Into<Mistakes>>(&mut self, read: Result<T, E>) -> Option<T> {
        read.map_err(|mistakes| self.extend(mistakes.into())).ok()
    }

    /// Reads each of the parts. When a hundred mistakes were found, the remaining parts are not
    /// read, because more messages about one file do not help.
    pub fn read_each<P, T, E: Into<Mistakes>>(
        &mut self,
        parts: impl IntoIterator<Item = P>,
        mut read: impl FnMut(P) -> Result<T, E>,
    ) -> Vec<T> {
        let mut parts_read = Vec::new();
        for part in parts {
            if self.all.len() >= MAX_MISTAKES {
                self.is_cut = true;
                break;
            }
            parts_read.extend(self.collect_result(read(part)));
        }
        parts_read
    }

    /// Adds a mistake, unless the list already has it. Several parts may use the same wrong value.
    pub fn add(&mut self, mistake: Diagnostic) {
        if self.all.contains(&mistake) {
            return;
        }
        if self.all.len() < MAX_MISTAKES {
            self.all.push(mistake);
        } else {
            self.is_cut = true;
        }
    }

    /// Adds all mistakes of another collection.
    fn extend(&mut self, mistakes: Mistakes) {
        self.is_cut |= mistakes.is_cut;
        for mistake in mistakes.all {
            self.add(mistake);
        }
    }

    /// Returns whether no mistakes were found so far.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns `read`, if there were no mistakes.
    ///
    /// # Errors
    /// There were mistakes.
    pub fn finish<T>(self, read: T) -> Result<T, Mistakes> {
        if self.all.is_empty() { Ok(read) } else { Err(self.into_mistakes()) }
    }

    fn into_mistakes(mut self) -> Mistakes {
        self.all.sort_by_key(|mistake| mistake.place);
        Mistakes { all: self.all, is_cut: self.is_cut }
    }
}

/// Returns both parts, or the mistakes of both.
///
/// # Errors
/// At least one of the parts has mistakes.
pub fn combine<A, B, E: Into<Mistakes>, F: Into<Mistakes>>(
    first: Result<A, E>,
    second: Result<B, F>,
) -> Result<(A, B), Mistakes> {
    let mut mistakes = Collector::default();
    match (mistakes.collect_result(first), mistakes.collect_result(second)) {
        (Some(first), Some(second)) => Ok((first, second)),
        _ => Err(mistakes.into_mistakes()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Collector, Document};

    fn list_of_texts(count: usize) -> Document {
        let numbers: Vec<String> = (0..count).map(|number| format!("\"{number}\"")).collect();
        Document::parse("x.json", format!("[{}, 7]", numbers.join(", "))).unwrap()
    }

    #[test]
    fn mistakes_are_listed_in_the_order_of_their_places_up_to_a_limit() {
        let document = list_of_texts(23);
        let mut collector = Collector::default();
        let mut nodes: Vec<_> = document.root().items().unwrap().collect();
        nodes.reverse();
        assert_eq!(collector.read_each(nodes, |node| node.integer("a port", 0, 9)), [7]);
        let text = collector.finish(()).unwrap_err().to_string();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 21);
        assert!(lines[0].starts_with("x.json:1:2: $[0]: expected a port"), "{text}");
        assert!(lines[19].starts_with("x.json:1:106: $[19]"), "{text}");
        assert_eq!(lines[20], "and 3 more mistakes");
        assert_eq!(Collector::default().finish(7), Ok(7));
    }

    #[test]
    fn reading_stops_after_a_hundred_mistakes() {
        let document = list_of_texts(1000);
        let mut collector = Collector::default();
        let mut read = 0;
        let parts_read = collector.read_each(document.root().items().unwrap(), |node| {
            read += 1;
            node.integer("a port", 0, 9)
        });
        assert_eq!((parts_read.len(), read), (0, 100));
        let mistakes = collector.finish(()).unwrap_err();
        assert!(mistakes.is_cut());
        assert_eq!(mistakes.to_string().lines().last(), Some("and at least 80 more mistakes"));
    }
}
