//! The findings of a check.

use weir_syntax::{Diagnostic, Diagnostics, Span};

use crate::rules::Rule;

/// Collects findings; each rule reports a place once.
pub(crate) struct Report<'a> {
    diagnostics: &'a mut Diagnostics,
    named: Vec<(&'static str, Span)>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(diagnostics: &'a mut Diagnostics) -> Self {
        Self { diagnostics, named: Vec::new() }
    }

    /// Reports that `rule` applies at `span`. The label describes the place, and may be empty.
    pub(crate) fn add(&mut self, rule: &'static Rule, span: Span, label: impl Into<String>) {
        let place = (rule.name, span);
        if self.named.contains(&place) {
            return;
        }
        self.named.push(place);
        let says = format!("{}: {}", rule.tool(), rule.what);
        let finding = match rule.kind {
            crate::Kind::Differs => Diagnostic::warning("bmv2-differs", says),
            _ => Diagnostic::warning("bmv2-refuses", says),
        };
        self.diagnostics.push(finding.primary(span, label).note(rule.instead));
    }
}
