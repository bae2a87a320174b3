//! Assigns ids. A program can choose an id with `@id`. The other ids are hashes of full names, so
//! that they stay the same when other parts of a program change.

use rustc_hash::FxHashMap;
use weir_ir::{Annotation, AnnotationValue, Program};

use super::P4InfoError;
use super::find::{Found, only_value};
use crate::error::Place;

/// The low 24 bits of an id, which distinguish objects of the same kind.
const SUFFIX: u32 = 0x00ff_ffff;

/// Assigns ids to all objects, and returns them in the order of the objects. Ids that the program
/// chooses are kept. All ids are unique.
pub(super) fn assign(program: &Program, found: &[Found<'_>], errors: &mut Vec<P4InfoError>) -> Vec<u32> {
    let mut taken: FxHashMap<u32, usize> = FxHashMap::default();
    let mut objects = vec![0; found.len()];
    let mut open = Vec::new();
    for (position, object) in found.iter().enumerate() {
        let mut fail = |problem: String| {
            errors.push(P4InfoError { place: Place::new(program, object.loc), problem });
        };
        let Some(wanted_id) = wanted_id(object.annotations) else {
            open.push(position);
            continue;
        };
        let prefix = u32::from(object.kind.number()) << 24;
        let (kind, name) = (object.kind.name(), object.name);
        match wanted_id {
            Err(problem) => fail(format!("the {kind} `{name}`: {problem}")),
            Ok(id) if id & !SUFFIX != 0 && id & !SUFFIX != prefix => fail(format!(
                "`@id({id:#010x})` does not fit the {kind} `{name}`: the first byte of its kind is {:#04x}",
                object.kind.number()
            )),
            Ok(id) => {
                let id = prefix | id;
                objects[position] = id;
                if let Some(other) = taken.insert(id, position) {
                    fail(format!(
                        "the {kind} `{name}` has the id {id:#010x}, which is `{}`'s already",
                        found[other].name
                    ));
                }
            }
        }
    }
    // Objects are ordered by name, so that the order of declarations does not matter if two hashes
    // are equal.
    open.sort_by_key(|&position| (found[position].kind, found[position].declared));
    for position in open {
        let object = &found[position];
        let prefix = u32::from(object.kind.number()) << 24;
        let mut suffix = hash(object.declared) & SUFFIX;
        // A suffix of 0 is not used, because it means "none". There are fewer objects than
        // suffixes.
        while suffix == 0 || taken.contains_key(&(prefix | suffix)) {
            suffix = (suffix + 1) & SUFFIX;
        }
        taken.insert(prefix | suffix, position);
        objects[position] = prefix | suffix;
    }
    objects
}

/// Assigns ids to an object's parts. Ids that the program chooses are kept. The other parts are
/// numbered from 1 by their positions, and skip the chosen ids.
pub(super) fn of_parts(program: &Program, object: &Found<'_>, errors: &mut Vec<P4InfoError>) -> Vec<u32> {
    let (kind, name) = (object.kind.name(), object.name);
    let mut ids: Vec<Option<u32>> = vec![None; object.parts.len()];
    let mut taken: FxHashMap<u32, &str> = FxHashMap::default();
    for (id, part) in ids.iter_mut().zip(&object.parts) {
        let problem = match wanted_id(part.annotations) {
            None => continue,
            Some(Err(problem)) => format!("`{}` of the {kind} `{name}`: {problem}", part.name),
            Some(Ok(wanted_id)) => {
                *id = Some(wanted_id);
                match taken.insert(wanted_id, &part.name) {
                    None => continue,
                    Some(other) => format!(
                        "`{other}` and `{}` of the {kind} `{name}` both have the id {wanted_id}; give one of them another with `@id`",
                        part.name
                    ),
                }
            }
        };
        errors.push(P4InfoError { place: Place::new(program, object.loc), problem });
    }
    let mut next = 1;
    let number = |chosen: Option<u32>| {
        if chosen.is_none() {
            while taken.contains_key(&next) {
                next += 1;
            }
        }
        next += 1;
        chosen.unwrap_or(next - 1)
    };
    ids.into_iter().map(number).collect()
}

/// Returns the id that `@id` requests, or the reason why it is not valid.
pub(super) fn wanted_id(annotations: &[Annotation]) -> Option<Result<u32, String>> {
    annotations.iter().find(|annotation| annotation.name == "id")?;
    let number = match only_value(annotations, "id") {
        Some(AnnotationValue::Int(value)) => u32::try_from(value).ok().filter(|id| *id != 0),
        _ => None,
    };
    Some(number.ok_or_else(|| "`@id` takes one number from 1 to 0xffffffff".to_owned()))
}

/// Computes Bob Jenkins' one-at-a-time hash, from which the reference compiler derives ids.
fn hash(name: &str) -> u32 {
    let mut hash = 0u32;
    for byte in name.bytes() {
        hash = hash.wrapping_add(u32::from(byte));
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn hashes_are_those_of_published_p4info() {
        for (name, suffix) in [
            ("NoAction", 21_257_015),
            ("MyIngress.drop", 25_652_968),
            ("MyIngress.ipv4_forward", 28_792_405),
            ("MyIngress.ipv4_lpm", 37_375_156),
        ] {
            assert_eq!(hash(name) & 0x00ff_ffff, suffix & 0x00ff_ffff, "{name}");
        }
    }
}
