//! Reads the members of an object one by one, independently of each other.

use crate::{Collector, Diagnostic, Mistakes, Node};

/// An object of a document whose members are being read. A mistake in one member neither hides nor
/// causes a mistake in another member. For example, a misspelt key is reported once, and not also
/// as a missing key.
///
/// ```
/// # use weir_json::{Document, Mistakes, Node};
/// fn point(node: Node<'_>) -> Result<(u64, u64), Mistakes> {
///     let mut point = node.object(&["column", "row", "name"]);
///     let column = point.required("column", |node| node.integer("a column", 0, 9));
///     let row = point.required("row", |node| node.integer("a row", 0, 9));
///     point.optional("name", |node| node.text("a point's name"));
///     point.finish(|| Some((column?, row?)))
/// }
/// let text = r#"{"column": 10, "rowe": 2, "name": null}"#;
/// let document = Document::parse("p.json", text).unwrap();
/// assert_eq!(
///     point(document.root()).unwrap_err().to_string(),
///     "p.json:1:12: $.column: 10 is out of range: expected a column from 0 to 9\n\
///      p.json:1:24: $.rowe: unknown key \"rowe\"; did you mean \"row\"?\n\
///      p.json:1:35: $.name: expected a point's name (a string), found null"
/// );
/// ```
#[derive(Debug)]
pub struct Object<'d> {
    node: Node<'d>,
    mistakes: Collector,
    is_object: bool,
    /// The missing keys that the user has most likely misspelt.
    misspelt: Vec<String>,
}

impl<'d> Node<'d> {
    /// Begins to read an object that may have these keys and no others.
    pub fn object(self, known: &[&str]) -> Object<'d> {
        let mut object = self.open_object();
        object.refuse_unknown(known);
        object
    }

    /// Begins to read an object that may have any keys.
    pub fn open_object(self) -> Object<'d> {
        let mut mistakes = Collector::default();
        let is_object = mistakes.collect_result(self.members().map(drop)).is_some();
        Object { node: self, mistakes, is_object, misspelt: Vec::new() }
    }

    /// Returns the elements of a list, each read by `read`.
    ///
    /// # Errors
    /// The value is not a list, or its elements have mistakes.
    pub fn list<T, E: Into<Mistakes>>(
        self,
        read: impl FnMut(Node<'d>) -> Result<T, E>,
    ) -> Result<Vec<T>, Mistakes> {
        let mut mistakes = Collector::default();
        let items = mistakes.read_each(self.items()?, read);
        mistakes.finish(items)
    }
}

impl<'d> Object<'d> {
    /// Returns the object as a value.
    pub fn node(&self) -> Node<'d> {
        self.node
    }

    /// Refuses members of the object with other keys than the known ones.
    pub fn refuse_unknown(&mut self, known: &[&str]) {
        let Ok(members) = self.node.members() else { return };
        let unknown = members.filter(|(key, _)| !known.contains(key));
        let misspelt = &mut self.misspelt;
        let node = self.node;
        self.mistakes.read_each(unknown, |(key, member)| {
            // A misspelt key more likely stands for a missing key than for an existing one.
            let missing = || known.iter().copied().filter(|known| node.get(known).is_none());
            let near = weir_suggest::nearest(key, missing());
            let near = near.or_else(|| weir_suggest::nearest(key, known.iter().copied()));
            misspelt.extend(near.map(str::to_owned));
            Err::<(), _>(member.unknown_key(key, near, known))
        });
    }

    /// Returns the member with this key, if there is one.
    pub fn get(&self, key: &str) -> Option<Node<'d>> {
        self.node.get(key)
    }

    /// Reads the member with this key by `read`. Returns `None` if there is no such member, or if
    /// it has mistakes.
    pub fn optional<T, E: Into<Mistakes>>(
        &mut self,
        key: &str,
        read: impl FnOnce(Node<'d>) -> Result<T, E>,
    ) -> Option<T> {
        let member = self.get(key)?;
        self.mistakes.collect_result(read(member))
    }

    /// Like [`Object::optional`], but a missing member is a mistake.
    pub fn required<T, E: Into<Mistakes>>(
        &mut self,
        key: &str,
        read: impl FnOnce(Node<'d>) -> Result<T, E>,
    ) -> Option<T> {
        if self.get(key).is_none() {
            self.report_missing(key);
        }
        self.optional(key, read)
    }

    /// Like [`Object::optional`], with a default value for a missing member.
    pub fn optional_or<T, E: Into<Mistakes>>(
        &mut self,
        key: &str,
        usual: T,
        read: impl FnOnce(Node<'d>) -> Result<T, E>,
    ) -> Option<T> {
        if self.get(key).is_none() { Some(usual) } else { self.optional(key, read) }
    }

    /// Returns whether another key is most likely a misspelling of this one, which is missing.
    pub fn is_misspelt(&self, key: &str) -> bool {
        self.get(key).is_none() && self.misspelt.iter().any(|known| known == key)
    }

    fn report_missing(&mut self, key: &str) {
        if self.is_object && !self.is_misspelt(key) {
            self.mistakes.add(self.node.error(format!("missing key \"{key}\"")));
        }
    }

    /// Returns the part if it was read without mistakes, and collects its mistakes otherwise.
    pub fn collect_result<T, E: Into<Mistakes>>(&mut self, read: Result<T, E>) -> Option<T> {
        self.mistakes.collect_result(read)
    }

    /// Reads each of the parts; see [`Collector::read_each`].
    pub fn read_each<P, T, E: Into<Mistakes>>(
        &mut self,
        parts: impl IntoIterator<Item = P>,
        read: impl FnMut(P) -> Result<T, E>,
    ) -> Vec<T> {
        self.mistakes.read_each(parts, read)
    }

    /// Adds a mistake to those that were found.
    pub fn add(&mut self, mistake: Diagnostic) {
        self.mistakes.add(mistake);
    }

    /// Returns whether no mistakes were found so far.
    pub fn is_right(&self) -> bool {
        self.mistakes.is_empty()
    }

    /// Returns the finished value. `make` creates it from the members, and is called only if no
    /// mistakes were found, so that all required members exist.
    ///
    /// # Errors
    /// There were mistakes.
    pub fn finish<T>(self, make: impl FnOnce() -> Option<T>) -> Result<T, Mistakes> {
        self.mistakes.finish(())?;
        make().ok_or_else(|| self.node.error("something is missing here").into())
    }
}

#[cfg(test)]
mod tests {
    use crate::Document;

    fn read(text: &str) -> Result<(u64, Vec<u64>), String> {
        let document = Document::parse("a.json", text).map_err(|error| error.to_string())?;
        let mut object = document.root().object(&["port", "queue", "ports"]);
        let port = object.required("port", |node| node.integer("a port", 0, 9));
        object.optional("queue", |node| node.integer("a queue", 0, 7));
        let ports = object.required("ports", |node| node.list(|one| one.integer("a port", 0, 9)));
        object.finish(|| Some((port?, ports?))).map_err(|mistakes| mistakes.to_string())
    }

    #[test]
    fn every_member_is_read_whatever_the_others_are() {
        assert_eq!(read(r#"{"port": 1, "ports": [2, 3]}"#), Ok((1, vec![2, 3])));
        for (text, expected) in [
            ("[]", &["1:1: $: expected an object, found a list"][..]),
            ("{}", &["1:1: $: missing key \"port\"", "1:1: $: missing key \"ports\""]),
            (
                r#"{"queue": 8, "ports": [10, 1, "x"]}"#,
                &[
                    "1:1: $: missing key \"port\"",
                    "1:11: $.queue: 8 is out of range: expected a queue from 0 to 7",
                    "1:24: $.ports[0]: 10 is out of range: expected a port from 0 to 9",
                    "1:31: $.ports[2]: expected a port (a whole number), found a string \"x\"",
                ],
            ),
            // The suggestion is the most similar missing key. A misspelt key is not also reported
            // as missing.
            (
                r#"{"prot": 1, "ports": [], "colour": 1}"#,
                &[
                    "1:10: $.prot: unknown key \"prot\"; did you mean \"port\"?",
                    "1:36: $.colour: unknown key \"colour\" (known: port, queue, ports)",
                ],
            ),
            (
                r#"{"port": 1, "port2": []}"#,
                &["1:22: $.port2: unknown key \"port2\"; did you mean \"ports\"?"],
            ),
        ] {
            let expected: Vec<_> = expected.iter().map(|line| format!("a.json:{line}")).collect();
            assert_eq!(read(text).unwrap_err().lines().collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
