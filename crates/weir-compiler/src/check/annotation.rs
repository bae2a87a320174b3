//! Checks annotations and evaluates the constants in their bodies.

use rustc_hash::FxHashMap;
use weir_syntax::ast::{self, AnnotationTokenKind as Token};
use weir_syntax::{Diagnostic, Span};

use super::Checker;
use super::constant::{Value, evaluate};
use super::scope::{Binding, Symbol};
use crate::hir::{self, AnnotationBody, AnnotationValue, ItemKind};

/// The name of the annotation of types that controllers see as other types.
const TRANSLATION: &str = "p4runtime_translation";

/// The annotations of P4_16 that take no arguments (P4_16, appendix "Annotations").
const WITHOUT_ARGUMENTS: [&str; 9] = [
    "atomic",
    "defaultonly",
    "hidden",
    "likely",
    "noSideEffects",
    "optional",
    "pure",
    "tableonly",
    "unlikely",
];

impl Checker<'_> {
    /// Checks the annotations of a declaration.
    pub(super) fn annotations_of(
        &mut self,
        declaration: &ast::Declaration,
        kind: ItemKind,
    ) -> hir::Annotations {
        let list = self.annotations(&declaration.annotations, kind, declaration.span);
        if let Some(name) = &declaration.name {
            self.record_deprecated(name, &list, declaration.span);
        }
        list
    }

    /// Checks the annotations of an item; `whole` is the place of the item together with its
    /// annotations.
    pub(super) fn annotations(
        &mut self,
        annotations: &[ast::Annotation],
        kind: ItemKind,
        whole: Span,
    ) -> hir::Annotations {
        let list = annotations.iter().map(|annotation| self.annotation(annotation)).collect();
        let list = hir::Annotations(list);
        if !annotations.is_empty() {
            let annotated = hir::AnnotatedItem { annotations: list.clone(), kind, span: whole };
            self.program.annotated.push(annotated);
        }
        let structured = |annotation: &&ast::Annotation| {
            matches!(annotation.body, ast::AnnotationBody::Expressions(_) | ast::AnnotationBody::KeyValues(_))
        };
        let mut seen: FxHashMap<&str, &ast::Annotation> = FxHashMap::default();
        for annotation in annotations {
            let name = annotation.name.as_str();
            let Some(&first) = seen.get(name) else {
                seen.insert(name, annotation);
                continue;
            };
            if structured(&first) != structured(&annotation) {
                // Annotations with the same name are either all structured or all unstructured
                // (P4_16 section 20).
                let message =
                    format!("`@{name}` is used both as a structured and as an unstructured annotation");
                let diagnostic = Diagnostic::error("bad-annotation", message)
                    .primary(annotation.span, "write it either always with `[...]` or always without")
                    .secondary(first.span, "other form used here");
                self.report(diagnostic);
            } else if structured(&annotation) {
                self.duplicate_member(&annotation.name, first.name.span, "structured annotation");
            }
        }
        list
    }

    /// Checks an annotation's body and translates the annotation.
    fn annotation(&mut self, annotation: &ast::Annotation) -> hir::Annotation {
        let name = annotation.name.text.to_string();
        let body = match &annotation.body {
            ast::AnnotationBody::Empty => AnnotationBody::Empty,
            ast::AnnotationBody::Unstructured(tokens, reading) => {
                let (values, pairs) = match reading.as_deref() {
                    Some(ast::AnnotationBody::Expressions(list)) => (self.constant_values(list), None),
                    Some(ast::AnnotationBody::KeyValues(pairs)) => (None, self.constant_pairs(pairs)),
                    _ => (None, None),
                };
                let tokens = tokens.iter().map(|token| token_text(&token.kind)).collect();
                AnnotationBody::Unstructured { tokens, values, pairs: pairs.unwrap_or_default() }
            }
            ast::AnnotationBody::Expressions(list) => {
                AnnotationBody::List(list.iter().filter_map(|expr| self.annotation_value(expr)).collect())
            }
            ast::AnnotationBody::KeyValues(pairs) => AnnotationBody::KeyValues(
                self.pairs_with_distinct_keys(pairs)
                    .into_iter()
                    .filter_map(|pair| {
                        Some((pair.name.text.to_string(), self.annotation_value(&pair.value)?))
                    })
                    .collect(),
            ),
        };
        let typed = hir::Annotation { name, body, span: annotation.span };
        if matches!(typed.name.as_str(), "alias" | "deprecated" | "name" | "noWarn")
            && typed.string().is_none()
        {
            let message = format!("`@{}` takes one string", typed.name);
            let diagnostic = Diagnostic::error("bad-annotation", message)
                .primary(annotation.span, format!("expected `@{}(\"...\")`", typed.name));
            self.report(diagnostic);
        }
        if matches!(typed.name.as_str(), "alias" | "name")
            && typed.string().is_some_and(|name| name.contains(char::is_control))
        {
            let message = format!("`@{}` has a control character, such as the end of a line", typed.name);
            let diagnostic = Diagnostic::error("bad-annotation", message)
                .primary(annotation.span, "expected a name of printable characters");
            self.report(diagnostic);
        }
        if WITHOUT_ARGUMENTS.contains(&typed.name.as_str()) && !is_bare(&typed.body) {
            let message = format!("`@{}` takes no arguments", typed.name);
            let diagnostic = Diagnostic::error("bad-annotation", message)
                .primary(annotation.span, format!("expected `@{}`", typed.name));
            self.report(diagnostic);
        }
        if typed.name == TRANSLATION && !is_translation(&typed.body) {
            let diagnostic =
                Diagnostic::error("bad-annotation", "invalid arguments for `@p4runtime_translation`")
                    .primary(annotation.span, "expected `@p4runtime_translation(\"uri\", 32)`")
                    .note("the second argument is a width in bits, `bit<W>` or `string`");
            self.report(diagnostic);
        }
        if typed.name == "pkginfo" {
            self.package_info(&typed);
        }
        typed
    }

    /// Reports a `@pkginfo` that is not a list of keys with values, or that repeats a key.
    fn package_info(&mut self, found: &hir::Annotation) {
        let pairs = match &found.body {
            AnnotationBody::Unstructured { pairs, .. } | AnnotationBody::KeyValues(pairs) => pairs.as_slice(),
            AnnotationBody::Empty | AnnotationBody::List(_) => &[],
        };
        let diagnostic = Diagnostic::error("bad-annotation", "`@pkginfo` needs key-value pairs");
        if pairs.is_empty() {
            self.report(diagnostic.primary(found.span, "expected `@pkginfo[name=\"...\", ...]`"));
            return;
        }
        let repeated =
            pairs.iter().enumerate().find(|(at, (key, _))| pairs[..*at].iter().any(|(k, _)| k == key));
        if let Some((_, (key, _))) = repeated {
            let message = format!("`@pkginfo` has the key `{key}` twice");
            self.report(
                Diagnostic::error("bad-annotation", message).primary(found.span, "leave one of them out"),
            );
        }
    }

    /// Returns the pairs with distinct keys and reports each repeated key.
    fn pairs_with_distinct_keys<'p>(&mut self, pairs: &'p [ast::KeyValue]) -> Vec<&'p ast::KeyValue> {
        let mut distinct: Vec<&ast::KeyValue> = Vec::new();
        for pair in pairs {
            match distinct.iter().find(|other| other.name.text == pair.name.text) {
                Some(first) => self.duplicate_member(&pair.name, first.name.span, "key"),
                None => distinct.push(pair),
            }
        }
        distinct
    }

    fn annotation_value(&mut self, expr: &ast::Expr) -> Option<AnnotationValue> {
        let checked = self.expr(expr, None);
        if checked.ty == hir::Types::POISON {
            return None;
        }
        match evaluate(&self.program, &checked) {
            Some(Value::Int(value)) => Some(AnnotationValue::Int(value)),
            Some(Value::Bool(value)) => Some(AnnotationValue::Bool(value)),
            Some(Value::String(text)) => Some(AnnotationValue::String(text)),
            _ => {
                let diagnostic = Diagnostic::error(
                    "bad-annotation",
                    "a structured annotation may contain only integers, booleans and strings",
                )
                .primary(expr.span, "expected a constant integer, boolean or string");
                self.report(diagnostic);
                None
            }
        }
    }

    /// Returns the values of expressions in an unstructured annotation, if all are constant.
    /// Expressions that are not constant are not an error: such an annotation may contain anything.
    fn constant_values(&mut self, list: &[ast::Expr]) -> Option<Vec<AnnotationValue>> {
        list.iter().map(|expr| self.constant_annotation_value(expr)).collect()
    }

    /// Like [`Self::constant_values`], for `key = constant` pairs.
    fn constant_pairs(&mut self, pairs: &[ast::KeyValue]) -> Option<Vec<(String, AnnotationValue)>> {
        let value = |pair: &ast::KeyValue| {
            Some((pair.name.text.to_string(), self.constant_annotation_value(&pair.value)?))
        };
        pairs.iter().map(value).collect()
    }

    fn constant_annotation_value(&mut self, written: &ast::Expr) -> Option<AnnotationValue> {
        if !self.names_only_constants(written) {
            return None;
        }
        let outer = std::mem::take(self.diagnostics);
        let checked = self.expr(written, None);
        let reported = std::mem::replace(self.diagnostics, outer);
        if reported.has_errors() {
            return None;
        }
        let value = match evaluate(&self.program, &checked)? {
            Value::Int(value) => AnnotationValue::Int(value),
            Value::Bool(value) => AnnotationValue::Bool(value),
            Value::String(text) => AnnotationValue::String(text),
            Value::Member(decl, member) => {
                AnnotationValue::Int(self.program.enums[decl].members[member].value.clone()?)
            }
            _ => return None,
        };
        self.diagnostics.extend(reported.iter().cloned());
        Some(value)
    }

    /// Returns whether an expression consists of operators, literals, constants and members of
    /// enums.
    fn names_only_constants(&self, expr: &ast::Expr) -> bool {
        use ast::ExprKind as Kind;
        match &expr.kind {
            Kind::Bool(_) | Kind::Integer(_) | Kind::String(_) => true,
            Kind::Name(path) => {
                let binding = self.scopes.resolve_unmarked(path.name.as_str());
                matches!(binding, Some(Binding { symbol: Symbol::Const(_), .. }))
            }
            Kind::Member(member) => self.as_type_name(&member.base).is_some(),
            Kind::Cast(cast) => self.names_only_constants(&cast.operand),
            Kind::Unary(unary) => self.names_only_constants(&unary.operand),
            Kind::Chain(chain) => {
                let mut operands =
                    std::iter::once(&chain.first).chain(chain.links.iter().map(|link| &link.operand));
                operands.all(|operand| self.names_only_constants(operand))
            }
            Kind::Ternary(ternary) => {
                let parts = [&ternary.condition, &ternary.then, &ternary.otherwise];
                parts.into_iter().all(|part| self.names_only_constants(part))
            }
            _ => false,
        }
    }
}

/// Returns whether there is nothing between the parentheses or brackets.
fn is_bare(body: &AnnotationBody) -> bool {
    match body {
        AnnotationBody::Empty => true,
        AnnotationBody::Unstructured { tokens, .. } => tokens.is_empty(),
        AnnotationBody::List(values) => values.is_empty(),
        AnnotationBody::KeyValues(pairs) => pairs.is_empty(),
    }
}

/// Returns whether the body consists of a URI and the type that the control plane sees: `32`,
/// `bit<32>` or `string` (P4Runtime section 8.4.6).
fn is_translation(body: &AnnotationBody) -> bool {
    let AnnotationBody::Unstructured { tokens, .. } = body else { return false };
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    match tokens.as_slice() {
        [uri, ",", "string" | "bit"] => uri.starts_with('"'),
        [uri, ",", width] => uri.starts_with('"') && number(width),
        [uri, ",", "bit", "<", width, ">"] => uri.starts_with('"') && number(width),
        _ => false,
    }
}

fn token_text(token: &Token) -> String {
    match token {
        Token::Word(text) | Token::Integer(text) | Token::Punctuation(text) => text.to_string(),
        Token::String(text) => format!("\"{text}\""),
    }
}

/// Returns the content of a string literal. The escapes are `\"`, `\\` and `\n` (P4_16 section
/// 6.4.3.3).
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => plain.push('\n'),
                Some(escaped) => plain.push(escaped),
                None => plain.push('\\'),
            },
            (c, false) => plain.push(c),
        }
    }
    plain
}
