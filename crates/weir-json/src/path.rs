//! Paths of values: `$.links[0]`.

use crate::{Kind, Value};

/// The path of a value in a document. It is searched only when an error is reported, so that
/// reading stays fast.
pub(crate) fn path(root: &Value, wanted: &Value) -> String {
    let mut path = String::from("$");
    find(root, wanted, &mut path);
    path
}

/// Extends `path` to the wanted value, compared by address, if it is in `value`.
fn find(value: &Value, wanted: &Value, path: &mut String) -> bool {
    if std::ptr::eq(value, wanted) {
        return true;
    }
    let length = path.len();
    match &value.kind {
        Kind::List(items) => {
            for (index, item) in items.iter().enumerate() {
                *path += &format!("[{index}]");
                if find(item, wanted, path) {
                    return true;
                }
                path.truncate(length);
            }
        }
        Kind::Object(members) => {
            for (key, member) in members {
                *path += &step(key);
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

/// A key as a step of a path: `.links`, `."hdr.ipv4.dstAddr"`.
pub(crate) fn step(key: &str) -> String {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_rest = |c: char| is_start(c) || c.is_ascii_digit() || c == '-';
    if key.starts_with(is_start) && key.chars().all(is_rest) {
        format!(".{key}")
    } else {
        let escaped: String = key.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        format!(".\"{escaped}\"")
    }
}
