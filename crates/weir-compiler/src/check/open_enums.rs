//! Checks the members of `error` and `match_kind`. Each declaration of these adds members.

use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use crate::hir::{self, ItemKind, Member};

impl Checker<'_> {
    pub(super) fn error_members(&mut self, members: &[ast::EnumMember], declaration: &ast::Declaration) {
        let annotations = self.annotations_of(declaration, ItemKind::Errors);
        for member in members {
            if let Some(&previous) = self.errors.get(member.name.as_str()) {
                let previous = self.program.errors[previous].0.name.span;
                self.duplicate_member(&member.name, previous, "error");
                continue;
            }
            let name = self.hir_name(&member.name);
            let annotations = annotations.clone();
            let id = self.program.errors.push(hir::ErrorMember(Member { name, annotations }));
            self.errors.insert(member.name.text.to_string(), id);
        }
    }

    pub(super) fn match_kind_members(&mut self, members: &[ast::EnumMember], declaration: &ast::Declaration) {
        let annotations = self.annotations_of(declaration, ItemKind::MatchKinds);
        for member in members {
            if let Some(&previous) = self.match_kinds.get(member.name.as_str()) {
                let previous = self.program.match_kinds[previous].0.name.span;
                self.duplicate_member(&member.name, previous, "match kind");
                continue;
            }
            let name = self.hir_name(&member.name);
            let annotations = annotations.clone();
            let id = self.program.match_kinds.push(hir::MatchKindMember(Member { name, annotations }));
            self.match_kinds.insert(member.name.text.to_string(), id);
        }
    }

    /// Reports a member or field that is declared twice.
    pub(super) fn duplicate_member(&mut self, name: &ast::Name, previous: Span, what: &str) {
        let diagnostic =
            Diagnostic::error("duplicate-declaration", format!("{what} `{name}` is declared twice"))
                .primary(name.span, "declared again here")
                .secondary(previous, "first declared here");
        self.report(diagnostic);
    }
}
