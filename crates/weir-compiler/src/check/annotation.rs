//! Checks annotations and evaluates the constants in their bodies.

use rustc_hash::FxHashMap;
use weir_syntax::ast::{self, AnnotationTokenKind as Token};
use weir_syntax::{Diagnostic, Span};

use super::Checker;
use super::arithmetic::MAX_TEXT;
use super::constant::{Value, evaluate};
use super::scope::Symbol;
use crate::hir::{self, AnnotationBody, AnnotationValue};

/// The annotation of types that controllers see as other types.
const TRANSLATION: &str = "p4runtime_translation";

/// The warning about misspelt annotations, which `@noWarn` next to them silences.
pub(crate) const MISSPELT: &str = "misspelt-annotation";

/// The annotations of P4_16 that take no arguments (P4_16, appendix "Annotations").
const BARE: [&str; 9] = [
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
    pub(super) fn annotations(&mut self, annotations: &[ast::Annotation]) -> hir::Annotations {
        let list: Vec<hir::Annotation> =
            annotations.iter().map(|annotation| self.annotation(annotation)).collect();
        let wanted = |one: &hir::Annotation| one.name == "noWarn" && one.string() == Some(MISSPELT);
        if !list.iter().any(wanted) {
            self.program.annotations.extend(list.iter().cloned());
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
        hir::Annotations(list)
    }

    /// Warns of a translation of something that is not a new type: controllers see it untranslated.
    pub(super) fn misplaced_translation(&mut self, declaration: &ast::Declaration) {
        let mut annotations = declaration.annotations.iter();
        let Some(annotation) = annotations.find(|annotation| annotation.name.as_str() == TRANSLATION) else {
            return;
        };
        let remedy = match declaration.kind {
            ast::DeclKind::Typedef(_) => "write `type` instead of `typedef`: it makes a new type",
            _ => "declare a new type with it, such as `type bit<9> port_t;`, and use that",
        };
        let diagnostic = Diagnostic::warning("p4info", "`@p4runtime_translation` has no effect here")
            .primary(annotation.span, "only values of new types are translated for controllers")
            .note(remedy);
        self.report(diagnostic);
    }

    fn annotation(&mut self, annotation: &ast::Annotation) -> hir::Annotation {
        let name = annotation.name.text.to_string();
        let body = match &annotation.body {
            ast::AnnotationBody::Empty => AnnotationBody::Empty,
            ast::AnnotationBody::Unstructured(tokens) => {
                let values = self.token_values(tokens);
                let pairs = if values.is_none() { self.token_pairs(tokens) } else { None };
                let tokens = tokens.iter().map(|token| token_text(&token.kind)).collect();
                AnnotationBody::Unstructured { tokens, values, pairs: pairs.unwrap_or_default() }
            }
            ast::AnnotationBody::Expressions(list) => {
                AnnotationBody::List(list.iter().filter_map(|expr| self.annotation_value(expr)).collect())
            }
            ast::AnnotationBody::KeyValues(pairs) => AnnotationBody::KeyValues(
                self.distinct_keys(pairs)
                    .into_iter()
                    .filter_map(|pair| {
                        Some((pair.name.text.to_string(), self.annotation_value(&pair.value)?))
                    })
                    .collect(),
            ),
        };
        let found = hir::Annotation { name, body, span: annotation.span };
        if matches!(found.name.as_str(), "name" | "deprecated" | "noWarn") && found.string().is_none() {
            let message = format!("`@{}` takes one string", found.name);
            let diagnostic = Diagnostic::error("bad-annotation", message)
                .primary(annotation.span, format!("expected `@{}(\"...\")`", found.name));
            self.report(diagnostic);
        }
        if BARE.contains(&found.name.as_str()) && !is_bare(&found.body) {
            let message = format!("`@{}` takes no arguments", found.name);
            let diagnostic = Diagnostic::error("bad-annotation", message)
                .primary(annotation.span, format!("expected `@{}`", found.name));
            self.report(diagnostic);
        }
        if found.name == "alias" && !is_texts(found.values()) {
            let diagnostic = Diagnostic::error("bad-annotation", "`@alias` takes strings")
                .primary(annotation.span, "expected `@alias(\"...\")`");
            self.report(diagnostic);
        }
        if found.name == TRANSLATION && !is_translation(&found.body) {
            let diagnostic =
                Diagnostic::error("bad-annotation", "invalid arguments for `@p4runtime_translation`")
                    .primary(annotation.span, "expected `@p4runtime_translation(\"uri\", 32)`")
                    .note("the second argument is a width in bits, `bit<W>` or `string`");
            self.report(diagnostic);
        }
        if found.name == "pkginfo" {
            self.package_info(&found);
        }
        found
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
    fn distinct_keys<'p>(&mut self, pairs: &'p [ast::KeyValue]) -> Vec<&'p ast::KeyValue> {
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

    /// Returns the values of tokens that form a comma-separated list of constants.
    fn token_values(&mut self, tokens: &[ast::AnnotationToken]) -> Option<Vec<AnnotationValue>> {
        let comma =
            |token: &ast::AnnotationToken| matches!(&token.kind, Token::Punctuation(p) if &**p == ",");
        tokens.split(comma).map(|item| self.token_value(item)).collect()
    }

    /// Returns the keys and values of tokens that form a comma-separated list of `key = constant`.
    fn token_pairs(&mut self, tokens: &[ast::AnnotationToken]) -> Option<Vec<(String, AnnotationValue)>> {
        let is = |token: &ast::AnnotationToken, sign: &str| matches!(&token.kind, Token::Punctuation(p) if &**p == sign);
        let items = tokens.split(|token| is(token, ","));
        let pair = |item: &[ast::AnnotationToken]| match item {
            [key, equals, value @ ..] if is(equals, "=") => match &key.kind {
                Token::Word(key) => Some((key.to_string(), self.token_value(value)?)),
                _ => None,
            },
            _ => None,
        };
        items.map(pair).collect()
    }

    fn token_value(&mut self, tokens: &[ast::AnnotationToken]) -> Option<AnnotationValue> {
        match tokens {
            [token] => match &token.kind {
                Token::String(text) => Some(AnnotationValue::String(unescape(text))),
                Token::Integer(text) => {
                    Some(AnnotationValue::Int(ast::IntegerLiteral::from_spelling(text).ok()?.value))
                }
                Token::Word(word) => self.token_word(word, token.span),
                Token::Punctuation(_) => None,
            },
            [sign, number] => match (&sign.kind, &number.kind) {
                (Token::Punctuation(minus), Token::Integer(text)) if &**minus == "-" => {
                    Some(AnnotationValue::Int(-ast::IntegerLiteral::from_spelling(text).ok()?.value))
                }
                _ => None,
            },
            // `Enum.member`
            [base, _, _] if matches!(base.kind, Token::Word(_)) && !is_join(&tokens[1]) => {
                self.token_member(tokens)
            }
            _ => self.joined_text(tokens),
        }
    }

    /// Concatenates strings joined by `++` (P4_16 section 8.14). Adjacent strings without `++` are
    /// not concatenated.
    fn joined_text(&mut self, tokens: &[ast::AnnotationToken]) -> Option<AnnotationValue> {
        let mut text = String::new();
        for (index, token) in tokens.iter().enumerate() {
            match (&token.kind, index % 2 == 0) {
                (Token::Punctuation(_), false) if is_join(token) => {}
                (Token::String(_) | Token::Word(_), true) => {
                    match self.token_value(std::slice::from_ref(token))? {
                        AnnotationValue::String(part) if text.len() + part.len() <= MAX_TEXT => {
                            text.push_str(&part);
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
        (tokens.len() % 2 == 1).then_some(AnnotationValue::String(text))
    }

    fn token_word(&mut self, word: &str, _span: Span) -> Option<AnnotationValue> {
        match word {
            "true" => return Some(AnnotationValue::Bool(true)),
            "false" => return Some(AnnotationValue::Bool(false)),
            _ => {}
        }
        let Symbol::Const(id) = self.scopes.peek(word)?.symbol else { return None };
        let value = evaluate(&self.program, &self.program.consts[id].init)?;
        self.scopes.resolve(word, false);
        match value {
            Value::Int(value) => Some(AnnotationValue::Int(value)),
            Value::Bool(value) => Some(AnnotationValue::Bool(value)),
            Value::String(text) => Some(AnnotationValue::String(text)),
            Value::Member(decl, member) => {
                self.program.enums[decl].members[member].value.clone().map(AnnotationValue::Int)
            }
            _ => None,
        }
    }

    fn token_member(&mut self, tokens: &[ast::AnnotationToken]) -> Option<AnnotationValue> {
        let [base, dot, member] = tokens else { return None };
        let (Token::Word(base), Token::Punctuation(dot), Token::Word(member)) =
            (&base.kind, &dot.kind, &member.kind)
        else {
            return None;
        };
        if &**dot != "." {
            return None;
        }
        let Symbol::Type(super::scope::TypeSymbol::Plain(ty)) = self.scopes.peek(base)?.symbol else {
            return None;
        };
        let hir::Type::Enum(decl) = self.program.types[ty] else { return None };
        let found = self.program.enums[decl].members.iter().find(|m| m.name.text == **member)?;
        found.value.clone().map(AnnotationValue::Int)
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

/// Returns whether these are strings, at least one.
fn is_texts(values: &[AnnotationValue]) -> bool {
    !values.is_empty() && values.iter().all(|value| matches!(value, AnnotationValue::String(_)))
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

fn is_join(token: &ast::AnnotationToken) -> bool {
    matches!(&token.kind, Token::Punctuation(sign) if &**sign == "++")
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
