//! `#define`, `#undef` and the predefined macros.

use super::Preprocessor;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Symbol, Token, TokenKind, lex};
use std::cell::Cell;
use std::rc::Rc;

/// A macro.
pub(super) struct Macro {
    pub name: Symbol,
    /// The location of the name in the macro's `#define`.
    pub span: Span,
    /// `None` for an object-like macro.
    pub params: Option<Vec<Symbol>>,
    /// Whether the last parameter, `...` or `NAME...`, takes all remaining arguments.
    pub variadic: bool,
    pub body: MacroBody,
    /// Whether the macro is being expanded; during this time, its name is not expanded again.
    pub active: Cell<bool>,
}

pub(super) enum MacroBody {
    Tokens(Vec<BodyItem>),
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
    /// `__COUNTER__`
    Counter,
    /// `__has_include`
    HasInclude,
}

/// An element of a macro body.
pub(super) struct BodyItem {
    pub token: Token,
    pub kind: BodyKind,
    /// Whether the item is pasted to the previous one by `##`.
    pub pasted: bool,
}

pub(super) enum BodyKind {
    Token,
    /// A parameter, by its index.
    Param(usize),
    /// A `#` with a parameter, by its index.
    Stringified(usize),
    /// A `__VA_OPT__(…)` with its tokens, possibly after a `#`.
    Optional {
        items: Vec<BodyItem>,
        stringified: bool,
    },
}

impl Preprocessor<'_> {
    /// Defines the predefined macros `__FILE__`, `__LINE__`, `__COUNTER__`, `__has_include`,
    /// `__P4__` (16, the language's version) and `__WEIR__` (1), and the caller's macros.
    pub(super) fn predefine(&mut self, defines: &[(String, String)]) {
        let built_in = [
            ("__FILE__", MacroBody::File),
            ("__LINE__", MacroBody::Line),
            ("__COUNTER__", MacroBody::Counter),
            ("__has_include", MacroBody::HasInclude),
        ];
        for (name, body) in built_in {
            let name = self.interner.intern(name);
            let built_in = Macro {
                name,
                span: Span::NONE,
                params: None,
                variadic: false,
                body,
                active: Cell::new(false),
            };
            self.macros.insert(name, Rc::new(built_in));
        }
        let constants = [("__P4__".to_string(), "16".to_string()), ("__WEIR__".to_string(), "1".to_string())];
        for (name, value) in constants.iter().chain(defines) {
            let text = format!("{name} {value}");
            let file = self.sources.add_file("<command line>", text, None);
            let text = self.sources.file(file).map_or("", |f| f.text());
            let mut tokens = lex(text, file, self.interner);
            tokens.pop();
            self.define(Span::new(file, 0, 0), &tokens);
        }
    }

    /// Processes a `#define`; `tokens` are the tokens after `define`.
    pub(super) fn define(&mut self, directive: Span, tokens: &[Token]) {
        let Some(name) = tokens.first().filter(|t| t.kind == TokenKind::Identifier) else {
            let place = tokens.first().map_or(directive.after(), |t| t.span);
            self.error("preprocess-define", "expected a macro name after `#define`", place);
            return;
        };
        let mut rest = &tokens[1..];
        let mut params = None;
        let mut variadic = false;
        if rest.first().is_some_and(|t| t.kind == TokenKind::LParen && !t.has_space_before()) {
            let Some((list, is_variadic, length)) = self.macro_params(rest) else { return };
            params = Some(list);
            variadic = is_variadic;
            rest = &rest[length..];
        }
        let Some(body) = self.macro_body(rest, params.as_deref(), variadic) else { return };
        let new = Macro {
            name: name.text,
            span: name.span,
            params,
            variadic,
            body: MacroBody::Tokens(body),
            active: Cell::new(false),
        };
        if let Some(old) = self.macros.get(&name.text).filter(|old| !is_equivalent(old, &new)) {
            let text = self.interner.text(name.text);
            let diagnostic = Diagnostic::warning(
                "preprocess-macro-redefined",
                format!("macro `{text}` is redefined with a different definition"),
            )
            .primary(name.span, "the new definition applies from here")
            .secondary(old.span, "previously defined here")
            .note(format!("if this is intended, add `#undef {text}` before it"));
            self.diagnostics.push(diagnostic);
        }
        self.macros.insert(name.text, Rc::new(new));
    }

    /// Parses a parameter list from `(` on. Returns the names, whether the list is variadic, and
    /// the number of tokens.
    fn macro_params(&mut self, tokens: &[Token]) -> Option<(Vec<Symbol>, bool, usize)> {
        let mut params = Vec::new();
        let mut index = 1;
        if tokens.get(1).is_some_and(|t| t.kind == TokenKind::RParen) {
            return Some((params, false, 2));
        }
        loop {
            let variadic = match tokens.get(index).map(|t| (t.kind, *t)) {
                Some((TokenKind::Identifier, token)) if !params.contains(&token.text) => {
                    params.push(token.text);
                    // This is GNU's `NAME...`.
                    let named = tokens.get(index + 1).is_some_and(|next| next.kind == TokenKind::Dots);
                    index += usize::from(named);
                    named
                }
                Some((TokenKind::Dots, _)) => {
                    params.push(self.interner.intern("__VA_ARGS__"));
                    true
                }
                _ => {
                    let span = tokens.get(index).map_or(tokens[0].span.after(), |t| t.span);
                    self.error(
                        "preprocess-define",
                        "expected a macro parameter name that is not in the list yet",
                        span,
                    );
                    return None;
                }
            };
            match tokens.get(index + 1).map(|t| t.kind) {
                Some(TokenKind::Comma) if !variadic => index += 2,
                Some(TokenKind::RParen) => return Some((params, variadic, index + 2)),
                _ => {
                    let span = tokens.get(index + 1).map_or(tokens[index].span.after(), |t| t.span);
                    self.error(
                        "preprocess-define",
                        "expected `,` or `)` in the macro's parameter list",
                        span,
                    );
                    return None;
                }
            }
        }
    }

    /// Returns the items of a body. `variadic` allows `__VA_OPT__`.
    fn macro_body(
        &mut self,
        tokens: &[Token],
        params: Option<&[Symbol]>,
        variadic: bool,
    ) -> Option<Vec<BodyItem>> {
        let mut body: Vec<BodyItem> = Vec::with_capacity(tokens.len());
        let mut pasted = false;
        let mut at = 0;
        let optional = self.interner.intern("__VA_OPT__");
        let is_optional = |token: &Token| variadic && token.text == optional && is_name(token);
        let param = |token: &Token| match params {
            Some(params) if is_name(token) => params.iter().position(|p| *p == token.text),
            _ => None,
        };
        while let Some(&token) = tokens.get(at) {
            at += 1;
            let kind = match token.kind {
                TokenKind::HashHash => {
                    if body.is_empty() || at == tokens.len() {
                        self.error("preprocess-paste", "`##` needs a token on each side", token.span);
                        return None;
                    }
                    pasted = true;
                    continue;
                }
                TokenKind::Hash if params.is_some() && tokens.get(at).is_some_and(is_optional) => {
                    let (items, length) = self.optional_body(&tokens[at..], params)?;
                    at += length;
                    BodyKind::Optional { items, stringified: true }
                }
                TokenKind::Hash if params.is_some() => match tokens.get(at).and_then(param) {
                    Some(index) => {
                        at += 1;
                        BodyKind::Stringified(index)
                    }
                    None => {
                        let diagnostic = Diagnostic::warning(
                            "preprocess-stringify",
                            "`#` is not followed by a macro parameter",
                        );
                        self.diagnostics.push(diagnostic.primary(token.span, "it stays as it is"));
                        BodyKind::Token
                    }
                },
                _ if is_optional(&token) => {
                    let (items, length) = self.optional_body(&tokens[at - 1..], params)?;
                    at += length - 1;
                    BodyKind::Optional { items, stringified: false }
                }
                _ => param(&token).map_or(BodyKind::Token, BodyKind::Param),
            };
            body.push(BodyItem { token: token.with_line_start(false), kind, pasted });
            pasted = false;
        }
        Some(body)
    }

    /// Parses `__VA_OPT__(…)`, with which `tokens` begin. Returns its items and its number of
    /// tokens.
    fn optional_body(
        &mut self,
        tokens: &[Token],
        params: Option<&[Symbol]>,
    ) -> Option<(Vec<BodyItem>, usize)> {
        let name = tokens[0];
        let mut depth = 0usize;
        for (at, token) in tokens.iter().enumerate().skip(1) {
            match token.kind {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                if at == 1 {
                    break;
                }
                let inner = &tokens[2..at];
                if let Some(again) = inner.iter().find(|t| t.text == name.text && is_name(t)) {
                    self.error("preprocess-define", "`__VA_OPT__` cannot contain itself", again.span);
                    return None;
                }
                return Some((self.macro_body(inner, params, false)?, at + 1));
            }
        }
        self.error("preprocess-define", "expected `(…)` after `__VA_OPT__`", name.span);
        None
    }

    pub(super) fn undef(&mut self, directive: Span, tokens: &[Token]) {
        match tokens.first().filter(|t| t.kind == TokenKind::Identifier) {
            Some(name) => {
                self.macros.remove(&name.text);
            }
            None => {
                self.error("preprocess-define", "expected a macro name after `#undef`", directive.after());
            }
        }
    }
}

fn is_name(token: &Token) -> bool {
    token.kind == TokenKind::Identifier
}

/// Returns whether the two definitions are equivalent; C11 6.10.3 allows such a redefinition.
fn is_equivalent(old: &Macro, new: &Macro) -> bool {
    let (MacroBody::Tokens(left), MacroBody::Tokens(right)) = (&old.body, &new.body) else { return false };
    old.params == new.params && old.variadic == new.variadic && same_items(left, right)
}

fn same_items(left: &[BodyItem], right: &[BodyItem]) -> bool {
    let same = |(l, r): (&BodyItem, &BodyItem)| {
        let kind = match (&l.kind, &r.kind) {
            (BodyKind::Token, BodyKind::Token) => true,
            (BodyKind::Param(l), BodyKind::Param(r)) => l == r,
            (BodyKind::Stringified(l), BodyKind::Stringified(r)) => l == r,
            (
                BodyKind::Optional { items: l, stringified: a },
                BodyKind::Optional { items: r, stringified: b },
            ) => a == b && same_items(l, r),
            _ => false,
        };
        kind && l.token.kind == r.token.kind && l.token.text == r.token.text && l.pasted == r.pasted
    };
    left.len() == right.len() && left.iter().zip(right).all(same)
}
