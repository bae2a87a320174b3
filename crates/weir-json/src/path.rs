//! Paths of values: `$.links[0]`.

use crate::text::{MAX_NAME_CHARACTERS, shorten};
use crate::{Kind, Value};

/// Returns the path of a value in a document. The path is determined only when an error is
/// reported, so that reading stays fast.
pub(crate) fn path(root: &Value, wanted: &Value) -> String {
    let mut path = String::from("$");
    find(root, wanted, &mut path);
    path
}

/// Extends `path` to the wanted value if `value` contains it. Values are compared by address.
fn find(value: &Value, wanted: &Value, path: &mut String) -> bool {
    if std::ptr::eq(value, wanted) {
        return true;
    }
    let length = path.len();
    match &value.kind {
        Kind::List(items) => {
            for index in candidates(items.len(), |index| items[index].offset, wanted.offset) {
                *path += &format!("[{index}]");
                if find(&items[index], wanted, path) {
                    return true;
                }
                path.truncate(length);
            }
        }
        Kind::Object(members) => {
            for index in candidates(members.len(), |index| members[index].1.offset, wanted.offset) {
                let (key, member) = &members[index];
                *path += &key_step(key);
                if find(member, wanted, path) {
                    return true;
                }
                path.truncate(length);
            }
        }
        _ => {}
    }
    false
}

/// Returns the values that may contain the value at this offset. If the values come from text, this
/// is only the last one that starts before the offset, so that paths in long documents are found
/// quickly.
fn candidates(
    count: usize,
    offset: impl Fn(usize) -> Option<usize>,
    wanted: Option<usize>,
) -> std::ops::Range<usize> {
    let Some(wanted) = wanted.filter(|_| (0..count.min(1)).all(|first| offset(first).is_some())) else {
        return 0..count;
    };
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if offset(middle).is_none_or(|start| start <= wanted) { low = middle + 1 } else { high = middle }
    }
    low.saturating_sub(1)..low
}

/// Writes a key as a step of a path, such as `.links` or `."hdr.ipv4.dstAddr"`.
pub(crate) fn key_step(key: &str) -> String {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_rest = |c: char| is_start(c) || c.is_ascii_digit() || c == '-';
    if key.len() <= MAX_NAME_CHARACTERS && key.starts_with(is_start) && key.chars().all(is_rest) {
        format!(".{key}")
    } else {
        format!(".\"{}\"", shorten(key))
    }
}
