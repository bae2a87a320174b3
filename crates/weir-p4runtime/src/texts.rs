//! Translates between texts and numbers of types that are translated to `string`. The texts come
//! from a file, or a switch allocates numbers for them on request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_json::{Collector, Document, Mistakes, Node};
use weir_switch::p4info::TextNames;

/// The maximum number of texts of a type for which a switch allocates numbers.
const MAX_ALLOCATED: usize = 1 << 20;

/// The texts of a switch's types. Allocated numbers stay valid as long as the switch runs, even if
/// its program changes.
#[derive(Debug, Default)]
pub struct Texts {
    user_texts: BTreeMap<String, UserTexts>,
    allocations: Mutex<Allocations>,
}

/// The numbers that texts have taken.
#[derive(Debug, Default)]
struct Allocations {
    by_type: BTreeMap<String, AllocatedNumbers>,
    /// The type and the number of each allocation since the last [`Texts::settle`].
    new: Vec<(String, u64)>,
}

/// A file's texts for a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct UserTexts {
    /// The names that replace the program's names, if there are any.
    names: TextNames,
    allocate: bool,
}

/// The numbers of a type that texts have taken.
#[derive(Debug, Default)]
struct AllocatedNumbers {
    numbers: BTreeMap<String, u64>,
    texts: BTreeMap<u64, String>,
    /// The numbers that controllers wrote as digits.
    written: BTreeSet<u64>,
    /// The last allocated number. All lower numbers are taken.
    last: u64,
}

/// The reason why a text has no number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoNumber {
    /// The text has no name, and numbers are not allocated.
    Unknown,
    /// All numbers are taken.
    Full,
    /// Another text stands for this number.
    Taken(String),
}

impl Texts {
    /// Reads a file: `{"port_id_t": {"texts": {"Ethernet0": 1}}, "vrf_id_t": {"allocate": true}}`.
    ///
    /// # Errors
    /// The file has mistakes. The error lists all of them.
    pub fn read(file: &str, text: &str) -> Result<Arc<Self>, Mistakes> {
        let document = Document::parse(file, text)?;
        let mut mistakes = Collector::default();
        let user_texts = mistakes.read_each(document.root().members()?, |(name, texts)| {
            Ok::<_, Mistakes>((name.to_owned(), UserTexts::read(texts)?))
        });
        let user_texts = mistakes.finish(user_texts)?.into_iter().collect();
        Ok(Arc::new(Self { user_texts, ..Self::default() }))
    }

    /// Returns the names in the file for a type, if there are any.
    pub(crate) fn names(&self, name: &str) -> Option<&TextNames> {
        self.user_texts.get(name).map(|texts| &texts.names).filter(|names| names.iter().next().is_some())
    }

    /// Returns the types that a file contains.
    pub(crate) fn types(&self) -> impl Iterator<Item = &str> {
        self.user_texts.keys().map(String::as_str)
    }

    /// Returns whether the texts of a type get allocated numbers when controllers first write them.
    pub(crate) fn allocates(&self, name: &str) -> bool {
        self.user_texts.get(name).is_some_and(|texts| texts.allocate)
    }

    /// Returns the number of a text that is not a name, in a type of `bits` bits. If the type's
    /// texts get allocated numbers, allocates the lowest free number from 1 on.
    pub(crate) fn allocate(
        &self,
        type_name: &str,
        text: &str,
        names: &TextNames,
        bits: u32,
    ) -> Result<u64, NoNumber> {
        if !self.allocates(type_name) {
            return Err(NoNumber::Unknown);
        }
        let mut allocations = self.lock_allocations();
        let Allocations { by_type, new } = &mut *allocations;
        let allocated = by_type.entry(type_name.to_owned()).or_default();
        if let Some(number) = allocated.numbers.get(text) {
            return Ok(*number);
        }
        let most = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let is_free = |number: &u64| {
            names.text(*number).is_none()
                && !allocated.texts.contains_key(number)
                && !allocated.written.contains(number)
        };
        let next = allocated.last.saturating_add(1);
        let free = (next..=most).find(is_free).filter(|_| allocated.texts.len() < MAX_ALLOCATED);
        let number = free.ok_or(NoNumber::Full)?;
        allocated.last = number;
        allocated.numbers.insert(text.to_owned(), number);
        allocated.texts.insert(number, text.to_owned());
        new.push((type_name.to_owned(), number));
        Ok(number)
    }

    /// Records that a controller wrote a number as digits. The number is then never allocated to a
    /// text.
    pub(crate) fn written(&self, type_name: &str, number: u64) -> Result<(), NoNumber> {
        if !self.allocates(type_name) {
            return Ok(());
        }
        let mut allocations = self.lock_allocations();
        let Allocations { by_type, new } = &mut *allocations;
        let allocated = by_type.entry(type_name.to_owned()).or_default();
        match allocated.texts.get(&number) {
            Some(text) => Err(NoNumber::Taken(text.clone())),
            None => {
                if allocated.written.len() < MAX_ALLOCATED && allocated.written.insert(number) {
                    new.push((type_name.to_owned(), number));
                }
                Ok(())
            }
        }
    }

    /// Returns a position among the numbers that were taken since the last [`Texts::settle`]; see
    /// [`Texts::take_back`].
    pub(crate) fn mark(&self) -> usize {
        self.lock_allocations().new.len()
    }

    /// Frees the numbers that were taken after a mark, because the request that took them was
    /// refused. Requests to switches that share the texts must not run at the same time.
    pub(crate) fn take_back(&self, mark: usize) {
        let mut allocations = self.lock_allocations();
        let Allocations { by_type, new } = &mut *allocations;
        for (of, number) in new.drain(mark.min(new.len())..) {
            let Some(allocated) = by_type.get_mut(&of) else { continue };
            allocated.written.remove(&number);
            if let Some(text) = allocated.texts.remove(&number) {
                allocated.numbers.remove(&text);
            }
            allocated.last = allocated.last.min(number.saturating_sub(1));
        }
    }

    /// Keeps the numbers taken so far.
    pub(crate) fn settle(&self) {
        self.lock_allocations().new.clear();
    }

    fn lock_allocations(&self) -> MutexGuard<'_, Allocations> {
        self.allocations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the text to which a number was allocated.
    pub(crate) fn text(&self, type_name: &str, number: u64) -> Option<String> {
        if !self.allocates(type_name) {
            return None;
        }
        self.lock_allocations().by_type.get(type_name)?.texts.get(&number).cloned()
    }
}

impl UserTexts {
    fn read(node: Node<'_>) -> Result<Self, Mistakes> {
        let mut object = node.object(&["texts", "allocate"]);
        let mut names = TextNames::default();
        object.optional("texts", |texts| {
            let mut mistakes = Collector::default();
            mistakes.read_each(texts.members()?, |(text, number)| {
                let value = number.integer("the number of a text", 0, u64::MAX)?;
                names.add(text, value).map_err(|problem| number.error(problem))
            });
            mistakes.finish(())
        });
        let allocate = object.optional_or("allocate", false, Node::flag);
        object.finish(|| Some(Self { names, allocate: allocate? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Arc<Texts>, String> {
        Texts::read("texts.json", text).map_err(|mistake| mistake.to_string())
    }

    #[test]
    fn allocated_numbers_are_free_ones_and_stay() {
        let texts = read(r#"{"vrf_t": {"texts": {"": 0, "blue": 2}, "allocate": true}}"#).unwrap();
        let names = texts.names("vrf_t").unwrap().clone();
        let number = |text: &str| texts.allocate("vrf_t", text, &names, 3);
        assert_eq!(texts.written("vrf_t", 3), Ok(()));
        assert_eq!(number("red"), Ok(1));
        assert_eq!(number("green"), Ok(4));
        assert_eq!(number("red"), Ok(1));
        assert_eq!(texts.text("vrf_t", 4).as_deref(), Some("green"));
        assert_eq!(texts.written("vrf_t", 4), Err(NoNumber::Taken("green".to_owned())));
        assert_eq!([number("a"), number("b"), number("c")], [Ok(5), Ok(6), Ok(7)]);
        assert_eq!(number("d"), Err(NoNumber::Full));
        assert_eq!(texts.allocate("port_t", "d", &names, 3), Err(NoNumber::Unknown));
    }

    #[test]
    fn refused_requests_give_their_numbers_back() {
        let texts = read(r#"{"vrf_t": {"allocate": true}}"#).unwrap();
        let number = |text: &str| texts.allocate("vrf_t", text, &TextNames::default(), 8);
        assert_eq!((number("kept"), texts.mark()), (Ok(1), 1));
        let mark = texts.mark();
        assert_eq!([number("a"), number("b"), number("kept")], [Ok(2), Ok(3), Ok(1)]);
        assert_eq!(texts.written("vrf_t", 9), Ok(()));
        texts.take_back(mark);
        assert_eq!((texts.text("vrf_t", 2), texts.text("vrf_t", 1).as_deref()), (None, Some("kept")));
        assert_eq!([number("b"), number("c")], [Ok(2), Ok(3)]);
        texts.settle();
        assert_eq!(texts.mark(), 0);
        texts.take_back(0);
        assert_eq!([number("b"), number("c"), number("d")], [Ok(2), Ok(3), Ok(4)]);
        for _ in 5..=9 {
            assert_eq!(number("e"), Ok(5));
        }
    }

    #[test]
    fn mistakes_of_a_file_have_their_place() {
        for (text, expected) in [
            ("[]", "texts.json:1:1: $: expected an object"),
            (r#"{"t": {"text": {}}}"#, "did you mean \"texts\"?"),
            (
                r#"{"t": {"texts": {"a": -1}}}"#,
                "texts.json:1:23: $.t.texts.a: -1 is out of range: expected the number of a text",
            ),
            (r#"{"t": {"texts": {"a": 1, "b": 1}}}"#, "the number 1 has two texts: \"a\" and \"b\""),
            (r#"{"t": {"allocate": 1}}"#, "$.t.allocate: expected"),
            (
                r#"{"t": {"txts": {}, "allocate": 1}, "u": {"texts": {"a": "1", "b": -1}}}"#,
                "texts.json:1:16: $.t.txts: unknown key \"txts\"; did you mean \"texts\"?\n\
                 texts.json:1:32: $.t.allocate: expected true or false, found a number 1\n\
                 texts.json:1:57: $.u.texts.a: expected the number of a text (a whole number), found a string \"1\"\n\
                 texts.json:1:67: $.u.texts.b: -1 is out of range",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
