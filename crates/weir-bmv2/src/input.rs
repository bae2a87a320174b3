//! Reads elements that occur in all parts of the document: hexadecimal numbers, lists of names, and
//! typed values.

use std::collections::BTreeMap;
use std::fmt::Debug;

use num_bigint::BigInt;
use weir_json::{Diagnostic, Kind, Node};

/// A mistake in the document, or something in it that Weir cannot run.
pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

/// A value object: its type and its value.
#[derive(Clone, Copy)]
pub(crate) struct TypedValue<'d> {
    pub ty: &'d str,
    pub value: Node<'d>,
    pub node: Node<'d>,
}

/// Reads a value object. p4c nests value objects, and only the innermost one has a meaning.
pub(crate) fn read_typed(node: Node<'_>) -> Result<TypedValue<'_>> {
    let (mut node, mut depth) = (node, 0);
    loop {
        let ty = node.require("type")?.text("the type of a value")?;
        let value = node.require("value")?;
        let is_wrapper = ty == "expression" && value.get("type").is_some() && value.get("op").is_none();
        if !is_wrapper || depth == MAX_WRAPPERS {
            return Ok(TypedValue { ty, value, node });
        }
        (node, depth) = (value, depth + 1);
    }
}

/// The maximum nesting of value objects; documents are not nested deeper.
const MAX_WRAPPERS: usize = 512;

impl TypedValue<'_> {
    /// Returns the diagnostic that a value of this kind is not allowed at its place.
    pub(crate) fn not_here(&self, wanted: &str) -> Diagnostic {
        self.node.error(format!("a value of type \"{}\" stands where {wanted} is expected", self.ty))
    }
}

/// Reads a number in hexadecimal digits, such as `0x1f` or `-0x1`.
pub(crate) fn hex(node: Node<'_>) -> Result<BigInt> {
    let text = node.text("a number in hexadecimal digits")?;
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    let value = BigInt::parse_bytes(digits.as_bytes(), 16).filter(|_| !digits.starts_with(['-', '+']));
    let value = value.ok_or_else(|| node.expected("a number in hexadecimal digits, such as \"0x1f\""))?;
    Ok(if is_negative { -value } else { value })
}

/// Returns the elements of a list in the document's root or in a part of it; empty if there is no
/// such list.
pub(crate) fn list<'d>(node: Node<'d>, key: &str) -> Result<Vec<Node<'d>>> {
    match node.get(key) {
        Some(list) if !list.is_null() => Ok(list.items()?.collect()),
        _ => Ok(Vec::new()),
    }
}

/// Reads the name of an object.
pub(crate) fn name<'d>(node: Node<'d>, what: &str) -> Result<&'d str> {
    node.require("name")?.text(what)
}

/// Reads the number by which other objects refer to an object.
pub(crate) fn id(node: Node<'_>) -> Result<u64> {
    node.require("id")?.integer("an id", 0, u64::MAX)
}

/// Adds an object under its name or id, `key`. `what` is the kind of object, in the plural.
///
/// # Errors
/// The name or id already stands for another object.
pub(crate) fn declare<K: Ord + Clone + Debug, V>(
    known: &mut BTreeMap<K, V>,
    key: K,
    value: V,
    node: Node<'_>,
    what: &str,
) -> Result<()> {
    match known.insert(key.clone(), value) {
        Some(_) => Err(node.error(format!("there are two {what} {key:?}"))),
        None => Ok(()),
    }
}

/// Reads a list of exactly `N` elements.
pub(crate) fn read_exactly<'d, const N: usize>(node: Node<'d>, what: &str) -> Result<[Node<'d>; N]> {
    let items: Vec<_> = node.items()?.collect();
    let count = items.len();
    items.try_into().map_err(|_| node.error(format!("expected {what}, found {count} elements")))
}

/// Reads a flag. Returns `otherwise` if the document does not contain it.
pub(crate) fn flag(node: Node<'_>, key: &str, otherwise: bool) -> Result<bool> {
    match node.get(key) {
        Some(flag) if !flag.is_null() => flag.flag(),
        _ => Ok(otherwise),
    }
}

/// Returns a member that may be missing or `null`.
pub(crate) fn optional<'d>(node: Node<'d>, key: &str) -> Option<Node<'d>> {
    node.get(key).filter(|member| !member.is_null())
}

/// Reads a number, which is in digits or in hexadecimal digits.
pub(crate) fn number(node: Node<'_>) -> Result<BigInt> {
    match &node.value().kind {
        Kind::Number(_) => node.integer("a number", 0, u64::MAX).map(BigInt::from),
        _ => hex(node),
    }
}

/// Returns the diagnostic that no object has this name. It suggests the most similar name.
pub(crate) fn unknown<'n>(
    node: Node<'_>,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'n str>,
) -> Diagnostic {
    let near = weir_suggest::nearest(name, known).map(str::to_owned);
    node.error_with_suggestion(format!("there is no {what} \"{name}\""), near)
}
