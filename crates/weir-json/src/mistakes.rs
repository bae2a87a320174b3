//! All that is wrong with a document.

use std::fmt;

use crate::Diagnostic;

/// How many mistakes a message lists.
const LISTED: usize = 20;

/// What is wrong with a document: one mistake or more, in the order of their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes(Vec<Diagnostic>);

impl Mistakes {
    /// All of them.
    pub fn all(&self) -> &[Diagnostic] {
        &self.0
    }
}

impl From<Diagnostic> for Mistakes {
    fn from(mistake: Diagnostic) -> Self {
        Self(vec![mistake])
    }
}

impl fmt::Display for Mistakes {
    /// A line for each, up to 20, and how many more there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.0.iter().take(LISTED).enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            mistake.fmt(f)?;
        }
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more mistakes"),
        }
    }
}

impl std::error::Error for Mistakes {}

/// Mistakes while a document is read to its end.
#[derive(Clone, Debug, Default)]
pub struct Collector(Vec<Diagnostic>);

impl Collector {
    /// What was read, or none and one mistake more.
    pub fn take<T>(&mut self, read: Result<T, Diagnostic>) -> Option<T> {
        read.map_err(|mistake| self.0.push(mistake)).ok()
    }

    /// Adds a mistake.
    pub fn add(&mut self, mistake: Diagnostic) {
        self.0.push(mistake);
    }

    /// What was read.
    ///
    /// # Errors
    /// There were mistakes.
    pub fn finish<T>(mut self, read: T) -> Result<T, Mistakes> {
        self.0.sort_by_key(|mistake| mistake.place);
        if self.0.is_empty() { Ok(read) } else { Err(Mistakes(self.0)) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Collector, Document};

    #[test]
    fn mistakes_are_listed_in_the_order_of_their_places_up_to_a_limit() {
        let numbers: Vec<String> = (0..23).map(|number| format!("\"{number}\"")).collect();
        let document = Document::parse("x.json", format!("[{}, 7]", numbers.join(", "))).unwrap();
        let mut collector = Collector::default();
        let mut nodes: Vec<_> = document.root().items().unwrap().collect();
        nodes.reverse();
        let read = nodes.iter().filter_map(|node| collector.take(node.integer("a port", 0, 9)));
        assert_eq!(read.collect::<Vec<_>>(), [7]);
        let text = collector.finish(()).unwrap_err().to_string();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 21);
        assert!(lines[0].starts_with("x.json:1:2: $[0]: expected a port"), "{text}");
        assert!(lines[19].starts_with("x.json:1:106: $[19]"), "{text}");
        assert_eq!(lines[20], "and 3 more mistakes");
        assert_eq!(Collector::default().finish(7), Ok(7));
    }
}
