//! Known annotations at places where they have no meaning, or with arguments without meaning.

use std::collections::BTreeSet;

use weir_syntax::{Diagnostic, Diagnostics};

use super::known_annotations::{
    ArgumentKind, EXCLUSIVE, FIELD_KINDS, KnownAnnotation, MAX_NUMBER, find, meant_word,
};
use crate::hir::{AnnotatedItem, Annotation, AnnotationBody, AnnotationValue, ItemKind, Program};

/// The identifier of the warning.
pub(super) const ID: &str = "ignored-annotation";

/// The maximum number of kinds of items that a message lists.
const MAX_NAMED: usize = 6;

/// Reports known annotations at places where they have no meaning, or with arguments without
/// meaning. `numbered` are the architecture's annotations that give fields numbers.
pub(super) fn run(program: &Program, numbered: &BTreeSet<&str>, diagnostics: &mut Diagnostics) {
    for object in &program.annotated {
        for (position, annotation) in object.annotations.0.iter().enumerate() {
            let before = &object.annotations.0[..position];
            diagnostics.extend(warning(annotation, object, before, numbered));
        }
    }
}

/// Makes the warning for an annotation that has no effect at its place.
fn warning(
    annotation: &Annotation,
    item: &AnnotatedItem,
    before: &[Annotation],
    numbered: &BTreeSet<&str>,
) -> Option<Diagnostic> {
    let name = annotation.name.as_str();
    if numbered.contains(name) {
        return misplaced_annotation(annotation, item.kind, FIELD_KINDS)
            .or_else(|| numbered_twice(annotation, before));
    }
    let definition = find(name)?;
    if name == "p4runtime_translation_mappings" && !item.annotations.contains("p4runtime_translation") {
        let message = format!("`@{name}` has no effect without `@p4runtime_translation`");
        let note = "write `@p4runtime_translation(\"uri\", string)` before it";
        return Some(no_effect(annotation, message).note(note));
    }
    misplaced_annotation(annotation, item.kind, definition.places)
        .or_else(|| check_hidden_object(annotation, item))
        .or_else(|| repeated_annotation(annotation, definition, before))
        .or_else(|| argument(annotation, definition, before))
}

fn misplaced_annotation(annotation: &Annotation, kind: ItemKind, places: &[ItemKind]) -> Option<Diagnostic> {
    if places.is_empty() || places.contains(&kind) {
        return None;
    }
    let message = format!("`@{}` has no effect on {}", annotation.name, kind.name());
    let names: Vec<&str> = places.iter().map(|place| place.name()).collect();
    let names = match names.as_slice() {
        [one] => (*one).to_owned(),
        [some @ .., last] if some.len() < MAX_NAMED => format!("{} or {last}", some.join(", ")),
        many => format!("{}, among others", many[..MAX_NAMED].join(", ")),
    };
    Some(no_effect(annotation, message).note(format!("it has an effect on {names}")))
}

/// Reports an annotation that only controllers could see, on an object that `@hidden` hides from
/// them. Ids are not reported, because other objects can refer to them.
fn check_hidden_object(annotation: &Annotation, item: &AnnotatedItem) -> Option<Diagnostic> {
    let name = annotation.name.as_str();
    let hidden = item.annotations.get("hidden")?;
    matches!(name, "alias" | "brief" | "description").then(|| {
        let message = format!("`@{name}` has no effect with `@hidden`");
        no_effect(annotation, message).secondary(hidden.span, "controllers do not know the object")
    })
}

/// Reports a second annotation that gives numbers to a field. In the specification, the numbers of
/// all annotations count; in p4c, they do not.
fn numbered_twice(annotation: &Annotation, before: &[Annotation]) -> Option<Diagnostic> {
    let name = &annotation.name;
    let first = before.iter().find(|one| one.name == *name)?;
    let diagnostic = Diagnostic::warning(ID, format!("`@{name}` stands here twice"))
        .primary(annotation.span, "p4c ignores it; Weir adds its numbers to the first")
        .secondary(first.span, "p4c takes this one only");
    Some(diagnostic.note(format!("write all numbers in one, as in `@{name}(1, 2)`")))
}

/// Reports a second annotation if only the first one has an effect, a warning that is silenced
/// twice, and two annotations that exclude each other.
fn repeated_annotation(
    annotation: &Annotation,
    known: &KnownAnnotation,
    before: &[Annotation],
) -> Option<Diagnostic> {
    let name = known.name;
    let group = EXCLUSIVE.iter().find(|group| group.contains(&name));
    let other = before
        .iter()
        .find(|one| one.name != name && group.is_some_and(|group| group.contains(&one.name.as_str())));
    if let Some(first) = other {
        let message = format!("`@{}` and `@{name}` exclude each other", first.name);
        let (label, note) = match (first.name.as_str(), name) {
            ("defaultonly", "tableonly") | ("tableonly", "defaultonly") => {
                let label = "neither entries nor a default action can use it";
                (label, "remove one of the annotations, or the action")
            }
            _ => ("only one of the two counts", "leave out one of them"),
        };
        let diagnostic = Diagnostic::warning(ID, message).primary(annotation.span, label);
        return Some(diagnostic.secondary(first.span, format!("`@{}` here", first.name)).note(note));
    }
    let several = matches!(known.takes, ArgumentKind::TextsByKey(_) | ArgumentKind::NumbersByKey(_));
    let same = before.iter().find(|one| {
        one.name == name && !several && (name != "noWarn" || one.string() == annotation.string())
    })?;
    let message = format!("`@{name}` stands here twice");
    Some(no_effect(annotation, message).secondary(same.span, "only the first one counts"))
}

/// Reports an argument of an annotation that has no meaning.
fn argument(annotation: &Annotation, known: &KnownAnnotation, before: &[Annotation]) -> Option<Diagnostic> {
    let name = known.name;
    let values = annotation.values();
    let is_text =
        |value: &AnnotationValue| matches!(value, AnnotationValue::String(text) if !text.is_empty());
    let expected = match known.takes {
        ArgumentKind::Anything => return None,
        ArgumentKind::Word(words, any_case) => return unknown_word(annotation, words, any_case),
        ArgumentKind::Nothing if is_bare(annotation) => return None,
        ArgumentKind::Nothing => {
            let message = format!("`@{name}` takes no arguments");
            return Some(Diagnostic::warning(ID, message).primary(annotation.span, "they have no effect"));
        }
        ArgumentKind::Text if matches!(values, [text] if is_text(text)) => return None,
        ArgumentKind::Text => format!("one string that is not empty, `@{name}(\"...\")`"),
        ArgumentKind::Number if matches!(values, [number] if is_number(number)) => return None,
        ArgumentKind::Number => format!("one number from 0 to {MAX_NUMBER}, `@{name}(8)`"),
        ArgumentKind::TextsByKey(keys) => {
            return check_keys(annotation, before, keys, is_text, "a string that is not empty");
        }
        ArgumentKind::NumbersByKey(keys) => {
            let wanted = format!("a number from 0 to {MAX_NUMBER}");
            return check_keys(annotation, before, keys, is_number, &wanted);
        }
    };
    let message = format!("this `@{name}` has no effect");
    Some(no_effect(annotation, message).note(format!("expected {expected}")))
}

/// Returns whether P4Info can hold the number that an annotation gives.
fn is_number(value: &AnnotationValue) -> bool {
    matches!(value, AnnotationValue::Int(number) if i32::try_from(number).is_ok_and(|number| number >= 0))
}

/// Reports a word that is not one of `words`, or several words. Another lint reports misspelt
/// words.
fn unknown_word(annotation: &Annotation, words: &[&str], any_case: bool) -> Option<Diagnostic> {
    let name = &annotation.name;
    if annotation.values().len() > 1 {
        let message = format!("this `@{name}` has no effect");
        return Some(
            no_effect(annotation, message).note(format!("it takes one word, {}", quoted_words(words))),
        );
    }
    let word = annotation.string()?;
    let is_known = words.iter().any(|known| *known == word || any_case && known.eq_ignore_ascii_case(word));
    if is_known || meant_word(word, words).is_some() {
        return None;
    }
    let message = format!("`@{name}` has no meaning for \"{word}\"");
    Some(no_effect(annotation, message).note(format!("it takes {}", quoted_words(words))))
}

fn quoted_words(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
}

/// Reports the first key that is not one of `keys`, that occurs a second time, or whose value
/// `fits` does not accept.
fn check_keys(
    annotation: &Annotation,
    before: &[Annotation],
    keys: &[&'static str],
    fits: fn(&AnnotationValue) -> bool,
    wanted: &str,
) -> Option<Diagnostic> {
    let name = &annotation.name;
    let pairs = pairs_of(annotation);
    if pairs.is_empty() {
        let message = format!("this `@{name}` has no effect");
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
    let earlier = before.iter().filter(|one| one.name == *name);
    let mut seen: BTreeSet<&str> = earlier.flat_map(pairs_of).map(|(key, _)| key.as_str()).collect();
    if let Some((key, _)) = pairs.iter().find(|(key, _)| !seen.insert(key)) {
        let message = format!("`@{name}` has the key `{key}` twice");
        return Some(no_effect(annotation, message).note("only the first one counts"));
    }
    let (key, _) = pairs.iter().find(|(_, value)| !fits(value))?;
    Some(no_effect(annotation, format!("`{key}` of `@{name}` must be {wanted}")))
}

/// Returns the pairs of a key and a value in an annotation.
fn pairs_of(annotation: &Annotation) -> &[(String, AnnotationValue)] {
    match &annotation.body {
        AnnotationBody::Unstructured { pairs, .. } | AnnotationBody::KeyValues(pairs) => pairs,
        AnnotationBody::Empty | AnnotationBody::List(_) => &[],
    }
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
