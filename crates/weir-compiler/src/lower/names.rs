//! Unique names, and the IR form of source locations and annotations.

use indexmap::IndexSet;
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use weir_ir as ir;
use weir_syntax::{SourceMap, Span};

use super::Lowerer;
use crate::hir;

/// Generates unique names and converts spans to source locations.
pub(super) struct Names<'a> {
    sources: &'a SourceMap,
    files: IndexSet<String>,
    /// The names in use, by kind, each with the number of suffixes tried so far.
    taken: FxHashMap<(NameKind, String), u32>,
}

/// The kinds of names. Names must be unique only within a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum NameKind {
    Var,
    Header,
    Stack,
    Procedure,
    Action,
    Table,
    Extern,
    ValueSet,
    Block,
    /// A whole variable, with all its parts.
    Storage,
}

impl<'a> Names<'a> {
    pub(super) fn new(sources: &'a SourceMap) -> Self {
        Self { sources, files: IndexSet::new(), taken: FxHashMap::default() }
    }

    /// Returns `name`, or the first of `name#2`, `name#3`, … that is not in use.
    pub(super) fn unique(&mut self, kind: NameKind, name: &str) -> String {
        let mut candidate = name.to_string();
        let mut number = self.taken.get(&(kind, candidate.clone())).copied().unwrap_or(0);
        while self.taken.contains_key(&(kind, candidate.clone())) {
            number += 1;
            candidate = format!("{name}#{}", number + 1);
        }
        if candidate != name {
            self.taken.insert((kind, name.to_string()), number);
        }
        self.taken.insert((kind, candidate.clone()), 0);
        candidate
    }

    /// Reserves `name`. Returns false if it is in use.
    pub(super) fn claim(&mut self, kind: NameKind, name: &str) -> bool {
        self.taken.insert((kind, name.to_string()), 0).is_none()
    }

    /// Returns whether `name` is already taken by an object of this kind.
    pub(super) fn is_taken(&self, kind: NameKind, name: &str) -> bool {
        self.taken.contains_key(&(kind, name.to_string()))
    }

    /// Returns the source location of a span. For code from a macro, this is the outermost use of
    /// the macro, not its definition.
    pub(super) fn loc(&mut self, span: Span) -> ir::Loc {
        let Some(location) = self.sources.location(self.sources.user_site(span)) else {
            return ir::Loc::NONE;
        };
        let (file, _) = self.files.insert_full(location.file);
        ir::Loc { file: file as u32, line: location.line as u32, column: location.column as u32 }
    }

    pub(super) fn into_files(self) -> Vec<String> {
        self.files.into_iter().collect()
    }
}

/// Returns `prefix.name`, or `name` if the prefix is empty.
pub(super) fn qualified_name(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_string() } else { format!("{prefix}.{name}") }
}

/// Returns the control-plane name (P4_16 section 18.3): the path of instances followed by the
/// declared name. `@name` replaces the declared name, or the whole path if it begins with a dot.
pub(super) fn control_plane(prefix: &str, name: &str, annotations: &hir::Annotations) -> String {
    match annotations.control_plane_name() {
        Some(absolute) if absolute.starts_with('.') => absolute[1..].to_string(),
        Some(relative) => qualified_name(prefix, relative),
        None => qualified_name(prefix, name),
    }
}

/// The annotations that only the compiler reads, for its messages.
const FOR_MESSAGES: [&str; 2] = ["other_names", "usage"];

/// Lowers all annotations of an item, except those for messages.
pub(super) fn annotations(annotations: &hir::Annotations) -> Vec<ir::Annotation> {
    let kept = annotations.0.iter().filter(|one| !FOR_MESSAGES.contains(&one.name.as_str()));
    kept.map(annotation).collect()
}

/// Lowers an annotation.
fn annotation(annotation: &hir::Annotation) -> ir::Annotation {
    let plain =
        |value: &hir::AnnotationValue| ir::AnnotationArg { key: None, value: annotation_value(value) };
    let args = match &annotation.body {
        hir::AnnotationBody::Empty => Vec::new(),
        hir::AnnotationBody::Unstructured { values: Some(values), .. }
        | hir::AnnotationBody::List(values) => values.iter().map(plain).collect(),
        hir::AnnotationBody::Unstructured { tokens, values: None, pairs } if pairs.is_empty() => {
            vec![ir::AnnotationArg { key: None, value: ir::AnnotationValue::Text(tokens.join(" ")) }]
        }
        hir::AnnotationBody::Unstructured { pairs, .. } | hir::AnnotationBody::KeyValues(pairs) => pairs
            .iter()
            .map(|(key, value)| ir::AnnotationArg { key: Some(key.clone()), value: annotation_value(value) })
            .collect(),
    };
    let form = match &annotation.body {
        hir::AnnotationBody::Empty => ir::AnnotationForm::Bare,
        hir::AnnotationBody::Unstructured { tokens, .. } => {
            ir::AnnotationForm::Unstructured(tokens.join(" "))
        }
        hir::AnnotationBody::List(_) | hir::AnnotationBody::KeyValues(_) => ir::AnnotationForm::Structured,
    };
    ir::Annotation { name: annotation.name.clone(), args, form }
}

fn annotation_value(value: &hir::AnnotationValue) -> ir::AnnotationValue {
    match value {
        hir::AnnotationValue::Int(value) => ir::AnnotationValue::Int(BigInt::clone(value)),
        hir::AnnotationValue::Bool(value) => ir::AnnotationValue::Bool(*value),
        hir::AnnotationValue::String(text) => ir::AnnotationValue::Text(text.clone()),
    }
}

impl Lowerer<'_> {
    /// Returns the source location of a span.
    pub(super) fn loc(&mut self, span: Span) -> ir::Loc {
        self.names.loc(span)
    }
}
