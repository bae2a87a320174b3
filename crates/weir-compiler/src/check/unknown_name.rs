//! Reports names that are not in scope.

use weir_syntax::{Diagnostic, ast};

use super::Checker;
use super::scope::Symbol;

impl Checker<'_> {
    /// Reports a name that is not in scope and suggests the most similar one that `wanted` accepts.
    pub(super) fn unknown_name(
        &mut self,
        id: &'static str,
        what: &str,
        name: &ast::Name,
        wanted: impl Fn(&Symbol) -> bool,
    ) {
        let mut diagnostic = Diagnostic::error(id, format!("there is no {what} `{name}` in scope"))
            .primary(name.span, "not found");
        let later = self.later_here.get(name.as_str()).or_else(|| self.later.get(name.as_str()));
        if let Some(later) = later
            && (later.start > name.span.start || later.file != name.span.file)
        {
            self.used_before_declaration.insert(name.text.to_string());
            diagnostic = diagnostic
                .secondary(*later, "declared later, here")
                .note("names must be declared before they are used: move the declaration up");
            return self.report(diagnostic);
        }
        let nearest = self.nearest_name(name.as_str(), || self.scopes.names(&wanted));
        if let Some(nearest) = nearest.filter(|nearest| !self.has_better_name(name.as_str(), nearest)) {
            let nearest = nearest.to_owned();
            // Mark the suggested name as used: an "unused" warning about it would be a consequence
            // of the misspelling.
            self.scopes.resolve(&nearest, false);
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), name.span, nearest);
            return self.report(diagnostic);
        }
        diagnostic = match self.with_name_advice(what, name, diagnostic) {
            Ok(advised) => return self.report(advised),
            Err(plain) => plain,
        };
        if id == "unknown-type"
            && let Some(here) = p4_type_for_c_name(name.as_str())
        {
            diagnostic = diagnostic.suggest(format!("the P4 name of this type is `{here}`"), name.span, here);
        } else if let files = self.libraries.declaring(name.as_str())
            && !files.is_empty()
        {
            diagnostic = diagnostic.note(self.declared_in(name.as_str(), &files));
        } else if id == "unknown-type"
            && let Some(keyword) =
                self.nearest_name(name.as_str(), || ["transition", "return", "switch", "action", "table"])
        {
            // The parser reads `transitoin accept;` as a declaration.
            diagnostic = diagnostic.suggest(format!("did you mean `{keyword}`?"), name.span, keyword);
        }
        self.report(diagnostic);
    }

    /// Returns the advice for a name that these files declare. A program has one architecture, so
    /// it cannot include the file of another one.
    fn declared_in(&self, name: &str, files: &[&str]) -> String {
        let listed = files.join(" and ");
        let has_name = |name: &str| self.later.contains_key(name);
        if files.iter().all(|file| self.libraries.is_architecture(file))
            && let [own, ..] = self.libraries.architectures(has_name)[..]
        {
            let others = if files.len() == 1 {
                "the file of another architecture"
            } else {
                "files of other architectures"
            };
            return format!(
                "`{name}` is declared in {listed}, {others}; this program includes {own}, which has no `{name}`"
            );
        }
        let includes: Vec<String> = files.iter().map(|file| format!("`#include <{file}>`")).collect();
        format!("`{name}` is declared in {listed}: add {}", includes.join(" or "))
    }
}

/// Returns the P4 equivalent of a type name of C or a similar language.
fn p4_type_for_c_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "uint8_t" | "uint8" | "u8" | "byte" | "char" => "bit<8>",
        "uint16_t" | "uint16" | "u16" | "short" => "bit<16>",
        "uint32_t" | "uint32" | "u32" | "unsigned" | "uint" => "bit<32>",
        "uint64_t" | "uint64" | "u64" | "long" => "bit<64>",
        "int8_t" | "int8" | "i8" => "int<8>",
        "int16_t" | "int16" | "i16" => "int<16>",
        "int32_t" | "int32" | "i32" => "int<32>",
        "int64_t" | "int64" | "i64" => "int<64>",
        "boolean" => "bool",
        _ => return None,
    })
}
