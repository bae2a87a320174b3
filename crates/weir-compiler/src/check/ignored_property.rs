//! Finds properties of tables that have no effect because of the table's other properties.

use num_bigint::BigInt;
use num_traits::Zero;
use weir_syntax::Diagnostic;
use weir_syntax::ast::{self, EraseLocations, TablePropertyKind as Kind};

use super::Checker;
use super::constant::{Value, evaluate};
use super::table::PartialTable;
use crate::hir;

/// The identifier of the warning.
const ID: &str = "ignored-property";

impl Checker<'_> {
    /// Warns of properties of P4_16 itself that have no effect. `size` is the table's size.
    pub(super) fn ignored_properties(
        &mut self,
        written: &ast::TableDecl,
        table: &PartialTable,
        size: Option<&hir::Expr>,
    ) {
        let size = size.and_then(|size| match evaluate(&self.program, size)? {
            Value::Int(size) => Some(size),
            _ => None,
        });
        self.const_in_const_entries(written, &table.name.text);
        for property in &written.properties {
            let (name, span, is_const) = match &property.kind {
                Kind::Entries(given) if given.entries.is_empty() => {
                    ("entries", property.span, given.is_const)
                }
                // An action there is already reported as an error.
                Kind::Custom(custom) if self.calls_action(&custom.value) => continue,
                Kind::Custom(custom) => (custom.name.as_str(), custom.name.span, custom.is_const),
                _ => continue,
            };
            let table_name = &table.name.text;
            let no_effect = || format!("`{name}` of table `{table_name}` has no effect");
            let found = match name {
                "size" | "entries" | "largest_priority_wins" | "priority_delta" if table.keys.is_empty() => {
                    Some((no_effect(), "a table without a key has no entries"))
                }
                "entries" if is_const => {
                    let message = format!("table `{table_name}` can never have entries");
                    Some((message, "its `const entries` are empty, and controllers cannot add any"))
                }
                "entries" => Some((no_effect(), "it is empty")),
                "size" => size.as_ref().and_then(|size| size_contradiction(table_name, size, written)),
                "largest_priority_wins" => {
                    self.why_unordered(written, table).map(|reason| (no_effect(), reason))
                }
                "priority_delta" => {
                    let reason = self.why_unordered(written, table).or_else(|| all_numbered(written));
                    reason.map(|reason| (no_effect(), reason))
                }
                _ => None,
            };
            let found = found.or_else(|| {
                let message = format!("`const` before `{name}` of table `{table_name}` has no effect");
                (is_const && !matches!(name, "default_action" | "entries"))
                    .then_some((message, "controllers can change only `default_action` and `entries`"))
            });
            if let Some((message, reason)) = found {
                let diagnostic = Diagnostic::warning(ID, message).primary(span, "").note(reason);
                if name == "size" {
                    self.wrong_sizes.push((table_name.clone(), diagnostic));
                } else {
                    self.report(diagnostic);
                }
            }
        }
    }

    /// Reports the sizes of the control's tables that have no effect. If two tables differ only in
    /// their sizes, the program tests sizes on purpose, and they are not reported.
    pub(super) fn sizes_without_effect(&mut self, control: &ast::ControlDecl) {
        let sizes = std::mem::take(&mut self.wrong_sizes);
        if sizes.is_empty() {
            return;
        }
        let sized: Vec<SizedTable> = control.locals.iter().filter_map(SizedTable::from_declaration).collect();
        for (name, diagnostic) in sizes {
            let table = sized.iter().find(|table| table.name == name);
            let is_tried = |table: &SizedTable| {
                sized.iter().any(|other| other.size != table.size && other.rest == table.rest)
            };
            if !table.is_some_and(is_tried) {
                self.report(diagnostic);
            }
        }
    }

    /// Warns of the first `const` before an entry of `const entries`.
    fn const_in_const_entries(&mut self, written: &ast::TableDecl, table: &str) {
        let entries =
            written.entries().filter(|given| given.is_const).map_or(&[][..], |given| &given.entries);
        if let Some(entry) = entries.iter().find(|entry| entry.is_const) {
            let message = format!("`const` before an entry of table `{table}` has no effect");
            let diagnostic = Diagnostic::warning(ID, message)
                .primary(entry.span, "")
                .note("all entries in `const entries` are constant");
            self.report(diagnostic);
        }
    }

    /// Returns the reason why the program's entries are not ordered by priority.
    fn why_unordered(&self, written: &ast::TableDecl, table: &PartialTable) -> Option<&'static str> {
        let entries = written.entries().map_or(&[][..], |given| &given.entries);
        let has_priority =
            |entry: &ast::Entry| entry.annotations.iter().any(|one| one.name.as_str() == "priority");
        if entries.is_empty() {
            Some("it applies to the entries in the program, but the table has none")
        } else if self.needs_no_priorities(table) {
            Some("entries of a table with only exact and lpm keys have no priorities")
        } else if entries.iter().any(has_priority) {
            Some("the entries have `@priority`, whose smallest number wins")
        } else {
            None
        }
    }
}

/// A table declaration that sets `size`, stored without source locations so that declarations can
/// be compared.
struct SizedTable {
    name: String,
    size: ast::Expr,
    rest: Vec<ast::TableProperty>,
}

impl SizedTable {
    fn from_declaration(local: &ast::Declaration) -> Option<Self> {
        let (Some(name), ast::DeclKind::Table(table)) = (&local.name, &local.kind) else { return None };
        let mut size = table.custom("size")?.value.clone();
        let is_size = |kind: &Kind| matches!(kind, Kind::Custom(custom) if custom.name.as_str() == "size");
        let rest = table.properties.iter().filter(|property| !is_size(&property.kind));
        let mut rest: Vec<ast::TableProperty> = rest.cloned().collect();
        size.erase_locations();
        rest.erase_locations();
        Some(Self { name: name.text.to_string(), size, rest })
    }
}

/// Returns the reason why no entry gets its priority from the previous entry.
fn all_numbered(written: &ast::TableDecl) -> Option<&'static str> {
    let mut entries = written.entries().into_iter().flat_map(|given| &given.entries);
    entries.next();
    entries
        .all(|entry| entry.priority.is_some())
        .then_some("no entry gets its priority from the one before it")
}

/// Returns the way in which a size contradicts the entries in the program.
fn size_contradiction(
    table: &str,
    size: &BigInt,
    written: &ast::TableDecl,
) -> Option<(String, &'static str)> {
    let list = written.entries()?;
    let count = list.entries.len();
    if list.is_const && *size != BigInt::from(count) {
        let message = format!("`size` of table `{table}` has no effect: its entries are `const`");
        Some((message, "controllers cannot add entries to `const entries`"))
    } else if !size.is_zero() && *size < BigInt::from(count) {
        let entries = if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") };
        let message = format!("table `{table}` has {entries} in the program, more than its `size`");
        Some((message, "controllers cannot add entries"))
    } else {
        None
    }
}
