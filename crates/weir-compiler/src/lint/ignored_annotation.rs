//! Known annotations at places where they have no meaning, or with arguments without meaning.

use std::collections::BTreeSet;

use weir_syntax::{Diagnostic, Diagnostics};

use super::annotated::{Annotated, Place, annotated};
use super::known_annotations::{Known, NUMBERED, Takes, find};
use crate::hir::{Annotation, AnnotationBody, AnnotationValue, Program};

/// The warning's name.
const ID: &str = "ignored-annotation";

/// Reports such annotations. `numbered` are the architecture's annotations that give fields
/// numbers.
pub(super) fn run(program: &Program, numbered: &BTreeSet<&str>, diagnostics: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    for of in annotated(program) {
        for (position, annotation) in of.annotations.0.iter().enumerate() {
            // The checker copies annotations, and adds some that are not in the source.
            if !seen.insert((annotation.span.file, annotation.span.start)) {
                continue;
            }
            let before = &of.annotations.0[..position];
            diagnostics.extend(warning(annotation, &of, before, numbered));
        }
    }
}

fn warning(
    annotation: &Annotation,
    of: &Annotated<'_>,
    before: &[Annotation],
    numbered: &BTreeSet<&str>,
) -> Option<Diagnostic> {
    let name = annotation.name.as_str();
    if numbered.contains(name) {
        return misplaced(annotation, of.place, NUMBERED);
    }
    let known = find(name)?;
    if name == "p4runtime_translation_mappings" && !of.annotations.has("p4runtime_translation") {
        let message = format!("`@{name}` means nothing without `@p4runtime_translation`");
        let note = "write `@p4runtime_translation(\"uri\", string)` before it";
        return Some(no_effect(annotation, message).note(note));
    }
    let found = misplaced(annotation, of.place, known.places);
    found.or_else(|| repeated(annotation, known, before)).or_else(|| argument(annotation, known))
}

fn misplaced(annotation: &Annotation, place: Place, places: &[Place]) -> Option<Diagnostic> {
    if places.is_empty() || places.contains(&place) {
        return None;
    }
    let message = format!("`@{}` means nothing on {}", annotation.name, place.name());
    let names: Vec<&str> = places.iter().map(|place| place.name()).collect();
    let (last, rest) = names.split_last()?;
    let names = if rest.is_empty() { (*last).to_owned() } else { format!("{} or {last}", rest.join(", ")) };
    Some(no_effect(annotation, message).note(format!("it means something on {names}")))
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
        // Reported together with misspelt words.
        Takes::Word(..) => return None,
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

fn no_effect(annotation: &Annotation, message: String) -> Diagnostic {
    Diagnostic::warning(ID, message).primary(annotation.span, "it has no effect")
}
