//! Known annotations at places where they have no meaning, or with arguments without meaning.

use std::collections::BTreeSet;

use weir_syntax::{Diagnostic, Diagnostics};

use super::known_annotations::{Known, NUMBERED, Takes, find, meant_word};
use crate::hir::{Annotated, Annotation, AnnotationBody, AnnotationValue, ItemKind, Program};

/// The warning's name.
pub(super) const ID: &str = "ignored-annotation";

/// The maximum number of kinds of items that a message lists.
const MAX_NAMED: usize = 6;

/// Reports such annotations. `numbered` are the architecture's annotations that give fields
/// numbers.
pub(super) fn run(program: &Program, numbered: &BTreeSet<&str>, diagnostics: &mut Diagnostics) {
    for of in &program.annotated {
        for (position, annotation) in of.annotations.0.iter().enumerate() {
            let before = &of.annotations.0[..position];
            diagnostics.extend(warning(annotation, of, before, numbered));
        }
    }
}

fn warning(
    annotation: &Annotation,
    of: &Annotated,
    before: &[Annotation],
    numbered: &BTreeSet<&str>,
) -> Option<Diagnostic> {
    let name = annotation.name.as_str();
    if numbered.contains(name) {
        return misplaced(annotation, of.kind, NUMBERED).or_else(|| numbered_twice(annotation, before));
    }
    let known = find(name)?;
    if name == "p4runtime_translation_mappings" && !of.annotations.has("p4runtime_translation") {
        let message = format!("`@{name}` means nothing without `@p4runtime_translation`");
        let note = "write `@p4runtime_translation(\"uri\", string)` before it";
        return Some(no_effect(annotation, message).note(note));
    }
    let found = misplaced(annotation, of.kind, known.places);
    found.or_else(|| repeated(annotation, known, before)).or_else(|| argument(annotation, known))
}

fn misplaced(annotation: &Annotation, kind: ItemKind, places: &[ItemKind]) -> Option<Diagnostic> {
    if places.is_empty() || places.contains(&kind) {
        return None;
    }
    let message = format!("`@{}` means nothing on {}", annotation.name, kind.name());
    let names: Vec<&str> = places.iter().map(|place| place.name()).collect();
    let names = match names.as_slice() {
        [one] => (*one).to_owned(),
        [some @ .., last] if some.len() < MAX_NAMED => format!("{} or {last}", some.join(", ")),
        many => format!("{}, among others", many[..MAX_NAMED].join(", ")),
    };
    Some(no_effect(annotation, message).note(format!("it means something on {names}")))
}

/// A second annotation that gives a field numbers. The specification adds them up, p4c does not.
fn numbered_twice(annotation: &Annotation, before: &[Annotation]) -> Option<Diagnostic> {
    let name = &annotation.name;
    let first = before.iter().find(|one| one.name == *name)?;
    let diagnostic = Diagnostic::warning(ID, format!("`@{name}` stands here twice"))
        .primary(annotation.span, "p4c ignores it; Weir adds its numbers to the first")
        .secondary(first.span, "p4c takes this one only");
    Some(diagnostic.note(format!("write all numbers in one, as in `@{name}(1, 2)`")))
}

/// A second annotation where only the first counts, a warning that is silenced twice, or two
/// annotations that exclude each other.
fn repeated(annotation: &Annotation, known: &Known, before: &[Annotation]) -> Option<Diagnostic> {
    let name = known.name;
    let other = match name {
        "defaultonly" => "tableonly",
        "tableonly" => "defaultonly",
        _ => "",
    };
    if let Some(first) = before.iter().find(|one| one.name == other) {
        let message = "`@defaultonly` and `@tableonly` exclude each other".to_owned();
        let diagnostic = Diagnostic::warning(ID, message)
            .primary(annotation.span, "entries may not use the action, and a default may not either")
            .secondary(first.span, format!("`@{other}` here"));
        return Some(diagnostic.note("leave out one of them, or the action"));
    }
    let same = before.iter().find(|one| {
        one.name == name && (known.single || (name == "noWarn" && one.string() == annotation.string()))
    })?;
    let message = format!("`@{name}` stands here twice");
    Some(no_effect(annotation, message).secondary(same.span, "only the first one counts"))
}

/// An argument without meaning.
fn argument(annotation: &Annotation, known: &Known) -> Option<Diagnostic> {
    let name = known.name;
    let values = annotation.values();
    let is_text = |value: &AnnotationValue| matches!(value, AnnotationValue::String(_));
    let expected = match known.takes {
        Takes::Anything => return None,
        Takes::Word(words, any_case) => return unknown_word(annotation, words, any_case),
        Takes::Name if annotation.string().is_none_or(|name| !name.is_empty()) => return None,
        Takes::Name => format!("a name, `@{name}(\"...\")`"),
        Takes::Nothing if is_bare(annotation) => return None,
        Takes::Nothing => format!("`@{name}`, without arguments"),
        Takes::Text if matches!(values, [AnnotationValue::String(_)]) => return None,
        Takes::Text => format!("one string, `@{name}(\"...\")`"),
        Takes::Number if matches!(values, [AnnotationValue::Int(number)] if number.sign() != num_bigint::Sign::Minus) =>
        {
            return None;
        }
        Takes::Number => format!("one number from 0 on, `@{name}(8)`"),
        Takes::TextsByKey(keys) => return by_key(annotation, keys, is_text, "a string"),
        Takes::NumbersByKey(keys) => {
            return by_key(annotation, keys, |value| matches!(value, AnnotationValue::Int(_)), "a number");
        }
    };
    let message = format!("this `@{name}` says nothing");
    Some(no_effect(annotation, message).note(format!("expected {expected}")))
}

/// A word that is not one of `words`. Misspelt words are reported elsewhere.
fn unknown_word(annotation: &Annotation, words: &[&str], any_case: bool) -> Option<Diagnostic> {
    let name = &annotation.name;
    let word = annotation.string()?;
    let is_known = words.iter().any(|known| *known == word || any_case && known.eq_ignore_ascii_case(word));
    if is_known || meant_word(word, words).is_some() {
        return None;
    }
    let message = format!("`@{name}` has no meaning for \"{word}\"");
    Some(no_effect(annotation, message).note(format!("it takes {}", quoted(words))))
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
}

/// The first key that is not one of `keys`, or whose value `fits` does not accept.
fn by_key(
    annotation: &Annotation,
    keys: &[&'static str],
    fits: fn(&AnnotationValue) -> bool,
    wanted: &str,
) -> Option<Diagnostic> {
    let name = &annotation.name;
    let pairs = match &annotation.body {
        AnnotationBody::Unstructured { pairs, .. } | AnnotationBody::KeyValues(pairs) => pairs.as_slice(),
        AnnotationBody::Empty | AnnotationBody::List(_) => &[],
    };
    if pairs.is_empty() {
        let message = format!("this `@{name}` says nothing");
        let example = format!("expected `key = {wanted}`, with the keys {}", keys.join(", "));
        return Some(no_effect(annotation, message).note(example));
    }
    if let Some((key, _)) = pairs.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
        let help = match weir_suggest::nearest(key, keys.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("its keys are {}", keys.join(", ")),
        };
        return Some(no_effect(annotation, format!("`@{name}` has no key `{key}`")).note(help));
    }
    let (key, _) = pairs.iter().find(|(_, value)| !fits(value))?;
    Some(no_effect(annotation, format!("`{key}` of `@{name}` must be {wanted}")))
}

fn is_bare(annotation: &Annotation) -> bool {
    match &annotation.body {
        AnnotationBody::Empty => true,
        AnnotationBody::Unstructured { tokens, .. } => tokens.is_empty(),
        AnnotationBody::List(values) => values.is_empty(),
        AnnotationBody::KeyValues(_) => false,
    }
}

pub(super) fn no_effect(annotation: &Annotation, message: String) -> Diagnostic {
    Diagnostic::warning(ID, message).primary(annotation.span, "it has no effect")
}
