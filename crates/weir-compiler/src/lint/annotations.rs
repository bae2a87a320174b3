//! Annotations that mean nothing: misspelt ones, and numbers that annotations and calls have in
//! common.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::Zero;
use weir_suggest::Search;
use weir_syntax::{Diagnostic, Diagnostics};

use crate::check::annotation::MISSPELT;
use crate::check::constant::{Value, evaluate};
use crate::hir::walk::{self, Visitor};
use crate::hir::{
    Annotation, AnnotationBody, AnnotationValue, ArgValue, Call, Callee, Expr, ExternFunction, Field, Program,
};

/// The annotations of P4_16 (appendix "Annotations"), P4Runtime and p4c that say something to Weir,
/// and its own (`@route`).
/// Those of an architecture are in its files.
const KNOWN: [&str; 26] = [
    "alias",
    "atomic",
    "brief",
    "controller_header",
    "defaultonly",
    "deprecated",
    "description",
    "groupaction",
    "hidden",
    "id",
    "match",
    "max_group_size",
    "max_member_weight",
    "name",
    "noSideEffects",
    "noWarn",
    "optional",
    "p4runtime_translation",
    "p4runtime_translation_mappings",
    "pkginfo",
    "platform_property",
    "priority",
    "pure",
    "route",
    "selector_size_semantics",
    "tableonly",
];

/// The words that annotations take, also in capitals if the last part is true.
const WORDS: [(&str, &[&str], bool); 2] = [
    ("controller_header", &["packet_in", "packet_out"], false),
    ("selector_size_semantics", &["sum_of_members", "sum_of_weights"], true),
];

/// `@number_of("list")` on a parameter of an architecture's function: the argument is a number that
/// the annotation `@list(…)` gives to fields.
const NUMBER_OF: &str = "number_of";

/// How similar a misspelt annotation is to the right one. Targets have annotations of their own,
/// which only chance makes similar.
const SLIP: Search = Search { dotted: false, slips_only: true, least: 750 };

/// Reports them.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    let numbered = program.extern_functions.iter().flat_map(|(_, function)| numbered(program, function));
    let numbered: BTreeSet<&str> = numbered.map(|(_, name)| name).collect();
    misspelt(program, &numbered, diagnostics);
    let mut given = BTreeSet::new();
    for name in numbered {
        for field in program.records.iter().flat_map(|(_, record)| &record.fields) {
            given.extend(numbers(field, name, diagnostics).into_iter().map(|number| (name, number)));
        }
    }
    walk::program(program, &mut Numbers { program, given, diagnostics });
}

/// Reports annotations that are probably misspelt.
fn misspelt(program: &Program, numbered: &BTreeSet<&str>, diagnostics: &mut Diagnostics) {
    let known = || KNOWN.iter().chain(numbered).copied();
    let mut seen = BTreeSet::new();
    for annotation in &program.annotations {
        let Annotation { name, span, .. } = annotation;
        if !seen.insert((span.file, span.start)) {
            continue;
        }
        if known().any(|known| known == name) {
            misspelt_words(annotation, diagnostics);
            continue;
        }
        let Some(meant) = SLIP.nearest(name, known()).filter(|_| name.len() > 3) else { continue };
        let diagnostic =
            Diagnostic::warning(MISSPELT, format!("`@{name}` is not an annotation that Weir knows"))
                .primary(*span, "it has no effect")
                .note(format!("did you mean `@{meant}`?"));
        diagnostics.push(diagnostic);
    }
}

/// Reports an annotation without any of its words, and strings in it that are almost one.
fn misspelt_words(annotation: &Annotation, diagnostics: &mut Diagnostics) {
    let Annotation { name, span, .. } = annotation;
    let Some((_, words, any_case)) = WORDS.iter().find(|(of, ..)| of == name) else { return };
    if !annotation.values().iter().any(|value| matches!(value, AnnotationValue::String(_))) {
        let forms: Vec<String> = words.iter().map(|word| format!("`@{name}(\"{word}\")`")).collect();
        let diagnostic = Diagnostic::warning(MISSPELT, format!("this `@{name}` says nothing"))
            .primary(*span, "it has no effect without a text")
            .note(format!("write {}", forms.join(" or ")));
        diagnostics.push(diagnostic);
    }
    for value in annotation.values() {
        let AnnotationValue::String(text) = value else { continue };
        let is_known = |word: &&str| *word == text || (*any_case && word.eq_ignore_ascii_case(text));
        let is_known = words.iter().any(is_known);
        let meant = (!is_known).then(|| SLIP.nearest(text, words.iter().copied()));
        let Some(meant) = meant.flatten() else { continue };
        let diagnostic = Diagnostic::warning(MISSPELT, format!("`@{name}` has no meaning for \"{text}\""))
            .primary(*span, "it has no effect")
            .note(format!("did you mean `@{name}(\"{meant}\")`?"));
        diagnostics.push(diagnostic);
    }
}

/// The positions of a function's parameters that take the numbers of an annotation, with its name.
fn numbered<'p>(program: &'p Program, function: &'p ExternFunction) -> Vec<(usize, &'p str)> {
    let name = |(position, param): (usize, &crate::hir::Param)| {
        Some((position, program.vars[param.var].annotations.get(NUMBER_OF)?.string()?))
    };
    function.0.params.iter().enumerate().filter_map(name).collect()
}

/// The numbers that an annotation gives to a field; reports one without any.
fn numbers(field: &Field, name: &str, diagnostics: &mut Diagnostics) -> Vec<BigInt> {
    let mut numbers = Vec::new();
    for annotation in field.annotations.0.iter().filter(|annotation| annotation.name == name) {
        let values = annotation.values();
        if is_empty(&annotation.body) {
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

fn is_empty(body: &AnnotationBody) -> bool {
    match body {
        AnnotationBody::Empty => true,
        AnnotationBody::Unstructured { tokens, .. } => tokens.is_empty(),
        AnnotationBody::List(values) => values.is_empty(),
        AnnotationBody::KeyValues(_) => false,
    }
}

/// Finds numbers in calls that no field has.
struct Numbers<'a> {
    program: &'a Program,
    given: BTreeSet<(&'a str, BigInt)>,
    diagnostics: &'a mut Diagnostics,
}

impl Visitor for Numbers<'_> {
    fn call(&mut self, call: &Call) {
        let Callee::ExternFunction(id) = call.callee else { return };
        for (position, name) in numbered(self.program, &self.program.extern_functions[id]) {
            let ArgValue::Expr(value) = &call.args[position].value else { continue };
            self.check(name, value);
        }
    }
}

impl Numbers<'_> {
    fn check(&mut self, name: &str, value: &Expr) {
        let Some(Value::Int(number)) = evaluate(self.program, value) else { return };
        let same = self.given.range((name, BigInt::from(0))..).take_while(|(of, _)| *of == name);
        let known: Vec<String> = same.map(|(_, number)| number.to_string()).collect();
        // Programs write 0 for "nothing".
        if number.is_zero() || self.given.contains(&(name, number.clone())) {
            return;
        }
        let diagnostic =
            Diagnostic::warning("annotation-number", format!("no field has `@{name}({number})`"))
                .primary(value.span, "the list is empty: no field is preserved");
        self.diagnostics.push(match &known[..] {
            [] => diagnostic.note(format!("write `@{name}({number})` before the fields of the list")),
            [one] => diagnostic.note(format!("fields have `@{name}({one})`")),
            known => diagnostic.note(format!("fields have the numbers {} of `@{name}`", known.join(", "))),
        });
    }
}
