//! Annotations without meaning: misspelt ones and ids of warnings that do not exist. Also the
//! numbers that annotations give to fields.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use weir_syntax::{Diagnostic, Diagnostics};

use super::constant_args::{self, numbered_annotations};
use super::constant_variables::ConstantVariables;
use super::known_annotations::{
    ArgumentKind, KNOWN_ANNOTATIONS, KnownAnnotation, MISSPELLING_SEARCH, find, meant_word,
};
use super::{annotation_context, ignored_annotation, warning_ids};
use crate::hir::{Annotation, AnnotationValue, Field, Program};

/// The identifier of the warning.
const MISSPELT_ID: &str = "misspelt-annotation";

/// Reports annotations without meaning, and annotations without the number that they should give to
/// a field.
pub(super) fn run(program: &Program, settled: &ConstantVariables<'_>, diagnostics: &mut Diagnostics) {
    let numbered = numbered_annotations(program);
    misspelt(program, &numbered, diagnostics);
    ignored_annotation::run(program, &numbered, diagnostics);
    annotation_context::run(program, diagnostics);
    let mut used = BTreeSet::new();
    for name in numbered {
        for field in program.records.iter().flat_map(|(_, record)| &record.fields) {
            used.extend(numbers(field, name, diagnostics).into_iter().map(|number| (name, number)));
        }
    }
    constant_args::run(program, &used, settled, diagnostics);
}

/// Reports annotations that are probably misspelt.
fn misspelt(program: &Program, numbered: &BTreeSet<&str>, diagnostics: &mut Diagnostics) {
    let known = || KNOWN_ANNOTATIONS.iter().map(|known| known.name).chain(numbered.iter().copied());
    for annotation in program.annotated.iter().flat_map(|item| &item.annotations.0) {
        let Annotation { name, span, .. } = annotation;
        if known().any(|known| known == name) {
            misspelt_words(annotation, diagnostics);
            if name == "noWarn" {
                diagnostics.extend(unknown_warning(annotation));
            }
            continue;
        }
        let Some(meant) = MISSPELLING_SEARCH.nearest(name, known()).filter(|_| name.len() > 2) else {
            continue;
        };
        let diagnostic =
            Diagnostic::warning(MISSPELT_ID, format!("`@{name}` is not an annotation that Weir knows"))
                .primary(*span, "it has no effect")
                .note(format!("did you mean `@{meant}`?"));
        diagnostics.push(diagnostic);
    }
}

/// Reports an annotation without any of its allowed words, and strings in it that almost match a
/// word.
fn misspelt_words(annotation: &Annotation, diagnostics: &mut Diagnostics) {
    let Annotation { name, span, .. } = annotation;
    let Some(KnownAnnotation { takes: ArgumentKind::Word(words, any_case), .. }) = find(name) else { return };
    if !annotation.values().iter().any(|value| matches!(value, AnnotationValue::String(_))) {
        let forms: Vec<String> = words.iter().map(|word| format!("`@{name}(\"{word}\")`")).collect();
        let diagnostic = Diagnostic::warning(MISSPELT_ID, format!("this `@{name}` has no effect"))
            .primary(*span, "it has no effect without a text")
            .note(format!("write {}", forms.join(" or ")));
        diagnostics.push(diagnostic);
    }
    for value in annotation.values() {
        let AnnotationValue::String(text) = value else { continue };
        let is_known = |word: &&str| *word == text || (*any_case && word.eq_ignore_ascii_case(text));
        let is_known = words.iter().any(is_known);
        let Some(meant) = (!is_known).then(|| meant_word(text, words)).flatten() else { continue };
        let diagnostic = Diagnostic::warning(MISSPELT_ID, format!("`@{name}` has no meaning for \"{text}\""))
            .primary(*span, "it has no effect")
            .note(format!("did you mean `@{name}(\"{meant}\")`?"));
        diagnostics.push(diagnostic);
    }
}

/// Reports a `@noWarn` that silences nothing, because no warning has this id.
fn unknown_warning(annotation: &Annotation) -> Option<Diagnostic> {
    let id = annotation.string()?;
    if warning_ids::is_known(id) {
        return None;
    }
    let diagnostic = Diagnostic::warning(MISSPELT_ID, format!("no warning has the id \"{id}\""))
        .primary(annotation.span, "it silences nothing");
    Some(match weir_suggest::nearest(id, warning_ids::WEIR_WARNINGS) {
        Some(meant) => diagnostic.note(format!("did you mean `@noWarn(\"{meant}\")`?")),
        None => diagnostic.note("a warning shows its id in brackets, and `weir explain` lists all"),
    })
}

/// Returns the numbers that an annotation gives to a field; reports an annotation without a number.
fn numbers(field: &Field, name: &str, diagnostics: &mut Diagnostics) -> Vec<BigInt> {
    let mut numbers = Vec::new();
    for annotation in field.annotations.0.iter().filter(|annotation| annotation.name == name) {
        let values = annotation.values();
        if !values.iter().any(|value| matches!(value, AnnotationValue::Int(_))) {
            let diagnostic = Diagnostic::warning(
                "annotation-number",
                format!("this `@{name}` puts `{}` into no list", field.name.text),
            )
            .primary(annotation.span, "it has no effect without a number")
            .note(format!("write the number of the list: `@{name}(1)`"));
            diagnostics.push(diagnostic);
        }
        numbers.extend(values.iter().filter_map(|value| match value {
            AnnotationValue::Int(number) => Some(number.clone()),
            _ => None,
        }));
    }
    numbers
}
