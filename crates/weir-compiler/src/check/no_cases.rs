//! Warns about statements with cases that offer no choice: a `switch` or `select` without cases, or
//! with only a `default`.

use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;

/// The identifier of the warning.
const ID: &str = "no-cases";

impl Checker<'_> {
    pub(super) fn warn_of_no_cases(&mut self, switch: &ast::SwitchStmt) {
        let subject = switch.subject.span;
        match &switch.cases[..] {
            [] => self.no_cases(subject, "`switch`", "nothing depends on this value"),
            // A `default` without a block is reported as such.
            [ast::SwitchCase { label: ast::SwitchLabel::Default, block: Some(_), .. }] => {
                self.only_default(subject, "`switch`", "the block of `default` always runs");
            }
            _ => {}
        }
    }

    pub(super) fn warn_of_select_without_choice(&mut self, select: &ast::SelectExpr) {
        let spans = select.keys.iter().map(|key| key.span);
        let keys = spans.reduce(Span::to).unwrap_or(select.span);
        match &select.cases[..] {
            [] => self.no_cases(keys, "`select`", "all packets are rejected with `error.NoMatch`"),
            // A `select` with only `default: accept` is not reported, because it is often a
            // placeholder for further protocols.
            [only] if takes_all(&only.keyset) && !matches!(only.state.as_str(), "accept" | "reject") => {
                let why = format!("the next state is always `{}`", only.state);
                self.only_default(keys, "`select`", &why);
            }
            _ => {}
        }
    }

    fn no_cases(&mut self, span: Span, what: &str, why: &str) {
        self.report(Diagnostic::warning(ID, format!("this {what} has no cases")).primary(span, why));
    }

    fn only_default(&mut self, span: Span, what: &str, why: &str) {
        let message = format!("this {what} has only a `default`");
        self.report(Diagnostic::warning(ID, message).primary(span, why));
    }
}

/// Returns whether a keyset is `default`, `_` or a tuple of these.
fn takes_all(keyset: &ast::Keyset) -> bool {
    match &keyset.kind {
        ast::KeysetKind::Default | ast::KeysetKind::DontCare => true,
        ast::KeysetKind::Tuple(sets) => sets.iter().all(takes_all),
        _ => false,
    }
}
