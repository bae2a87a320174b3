//! The names under which Wireshark shows and filters headers.

use std::collections::{BTreeMap, BTreeSet};

use weir_ir::storage::VALID;
use weir_ir::{HeaderId, HeaderType, Id, Parser, Program};

/// The paths of headers below the parser's parameters: `ipv4` for `hdr.ipv4`, and also for the copy
/// `sub.h.ipv4` in a sub-parser.
pub(crate) struct Paths<'p> {
    program: &'p Program,
    parser: &'p Parser,
    known: BTreeMap<HeaderId, String>,
}

impl<'p> Paths<'p> {
    pub(crate) fn new(program: &'p Program, parser: &'p Parser) -> Self {
        let mut paths = BTreeMap::new();
        for param in &parser.params {
            for id in &param.storage.headers {
                let valid = program.headers[*id].valid;
                let place = param.storage.vars.iter().position(|var| *var == valid);
                let path = place.and_then(|place| param.storage.paths.get(place));
                let path =
                    path.and_then(|path| path.strip_suffix(VALID)).map(|path| path.trim_end_matches('.'));
                let path = path.filter(|path| !path.is_empty()).unwrap_or(&param.name);
                paths.insert(*id, path.to_owned());
            }
        }
        Self { program, parser, known: paths }
    }

    pub(crate) fn of(&self, id: HeaderId) -> String {
        if let Some(path) = self.known.get(&id) {
            return path.clone();
        }
        let header = &self.program.headers[id];
        let same = self.known.iter().filter(|(other, path)| {
            self.program.headers[**other].ty == header.ty
                && header.name.strip_suffix(path.as_str()).is_some_and(|before| before.ends_with('.'))
        });
        if let Some((_, path)) = same.max_by_key(|(_, path)| path.len()) {
            return path.clone();
        }
        let local_name = header.name.strip_prefix(&self.parser.name).and_then(|rest| rest.strip_prefix('.'));
        local_name.unwrap_or(&header.name).to_owned()
    }
}

/// Gives unique names to the fields of filters.
#[derive(Default)]
pub(crate) struct Filters {
    taken: BTreeSet<String>,
    groups: BTreeMap<(String, Id<HeaderType>), String>,
}

impl Filters {
    /// Returns the name for headers with this path and type. All elements of a stack have the same
    /// name.
    pub(crate) fn group(&mut self, path: &str, ty: Id<HeaderType>) -> String {
        let path = without_indexes(path);
        if let Some(name) = self.groups.get(&(path.clone(), ty)) {
            return name.clone();
        }
        let name = self.unique(&path);
        self.groups.insert((path, ty), name.clone());
        name
    }

    /// Makes a name that Wireshark accepts and that is not taken.
    pub(crate) fn unique(&mut self, path: &str) -> String {
        let plain = acceptable(path);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let name = std::iter::once(plain.clone()).chain(numbered).find(|name| !self.taken.contains(name));
        let name = name.unwrap_or(plain);
        self.taken.insert(name.clone());
        name
    }
}

fn without_indexes(path: &str) -> String {
    let mut shortened = String::new();
    let mut rest = path;
    while let Some(open) = rest.find('[') {
        shortened.push_str(&rest[..open]);
        let after = &rest[open + 1..];
        match after.find(']') {
            Some(close) if after[..close].bytes().all(|byte| byte.is_ascii_digit()) => {
                rest = &after[close + 1..];
            }
            _ => {
                shortened.push('[');
                rest = after;
            }
        }
    }
    shortened + rest
}

/// Makes a path of letters, digits and underscores, with single dots between its parts.
pub(crate) fn acceptable(path: &str) -> String {
    let part = |part: &str| -> String {
        let plain = part.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>();
        if plain.bytes().all(|byte| byte.is_ascii_digit()) { format!("_{plain}") } else { plain }
    };
    let parts: Vec<String> = path.split('.').filter(|part| !part.is_empty()).map(part).collect();
    if parts.is_empty() { "_".to_owned() } else { parts.join(".") }
}
