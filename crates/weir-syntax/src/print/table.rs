//! Tables.

use super::Printer;
use crate::ast::*;

impl Printer {
    pub(super) fn table(&mut self, name: &str, table: &TableDecl) {
        self.put("table ");
        self.put(name);
        self.put(" ");
        self.open();
        for property in &table.properties {
            self.indent();
            self.annotations(&property.annotations);
            self.property(&property.kind);
            self.put("\n");
        }
        self.close();
    }

    fn property(&mut self, property: &TablePropertyKind) {
        match property {
            TablePropertyKind::Key(elements) => {
                self.put("key = ");
                self.lines(elements, |printer, element| {
                    printer.expr(&element.expr);
                    printer.put(": ");
                    printer.put(&element.match_kind.text);
                    printer.trailing_annotations(&element.annotations);
                });
            }
            TablePropertyKind::Actions(items) => {
                self.put("actions = ");
                self.lines(items, |printer, item| {
                    printer.annotations(&item.annotations);
                    printer.action_ref(&item.action);
                });
            }
            TablePropertyKind::Entries(entries) => {
                self.put(if entries.is_const { "const entries = " } else { "entries = " });
                self.lines(&entries.entries, Printer::entry);
            }
            TablePropertyKind::Custom(property) => {
                self.put(if property.is_const { "const " } else { "" });
                self.put(&property.name.text);
                self.put(" = ");
                self.expr(&property.value);
                self.put(";");
            }
        }
    }

    /// Prints `{ … }` with one element and `;` per line.
    fn lines<T>(&mut self, elements: &[T], mut print: impl FnMut(&mut Self, &T)) {
        self.open();
        for element in elements {
            self.indent();
            print(self, element);
            self.put(";\n");
        }
        self.close();
    }

    fn trailing_annotations(&mut self, list: &[Annotation]) {
        for annotation in list {
            self.put(" ");
            self.annotation(annotation);
        }
    }

    fn action_ref(&mut self, action: &ActionRef) {
        self.path(&action.name);
        if let Some(args) = &action.args {
            self.arguments(args);
        }
    }

    fn entry(&mut self, entry: &Entry) {
        self.put(if entry.is_const { "const " } else { "" });
        match &entry.priority {
            None => {}
            Some(EntryPriority::Literal(literal, _)) => self.put(&format!("priority = {literal}: ")),
            Some(EntryPriority::Expr(expr)) => {
                self.put("priority = (");
                self.expr(expr);
                self.put("): ");
            }
        }
        self.keyset(&entry.keyset);
        self.put(": ");
        self.action_ref(&entry.action);
        self.trailing_annotations(&entry.annotations);
    }
}
