//! Tables.

use super::Printer;
use crate::ast::*;

impl Printer {
    pub(super) fn table(&mut self, name: &str, table: &TableDecl) {
        self.write("table ");
        self.write(name);
        self.write(" ");
        self.open();
        for property in &table.properties {
            self.indent();
            self.annotations(&property.annotations);
            self.property(&property.kind);
            self.write("\n");
        }
        self.close();
    }

    fn property(&mut self, property: &TablePropertyKind) {
        match property {
            TablePropertyKind::Key(elements) => {
                self.write("key = ");
                self.lines(elements, |printer, element| {
                    printer.expr(&element.expr);
                    printer.write(": ");
                    printer.write(&element.match_kind.text);
                    printer.trailing_annotations(&element.annotations);
                });
            }
            TablePropertyKind::Actions(items) => {
                self.write("actions = ");
                self.lines(items, |printer, item| {
                    printer.annotations(&item.annotations);
                    printer.action_ref(&item.action);
                });
            }
            TablePropertyKind::Entries(entries) => {
                self.write(if entries.is_const { "const entries = " } else { "entries = " });
                self.lines(&entries.entries, Printer::entry);
            }
            TablePropertyKind::Custom(property) => {
                self.write(if property.is_const { "const " } else { "" });
                self.write(&property.name.text);
                self.write(" = ");
                self.expr(&property.value);
                self.write(";");
            }
        }
    }

    /// Prints `{ … }` with one element and `;` per line.
    fn lines<T>(&mut self, elements: &[T], mut print: impl FnMut(&mut Self, &T)) {
        self.open();
        for element in elements {
            self.indent();
            print(self, element);
            self.write(";\n");
        }
        self.close();
    }

    fn trailing_annotations(&mut self, list: &[Annotation]) {
        for annotation in list {
            self.write(" ");
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
        self.write(if entry.is_const { "const " } else { "" });
        match &entry.priority {
            None => {}
            Some(EntryPriority::Literal(literal, _)) => self.write(&format!("priority = {literal}: ")),
            Some(EntryPriority::Expr(expr)) => {
                self.write("priority = (");
                self.expr(expr);
                self.write("): ");
            }
        }
        self.keyset(&entry.keyset);
        self.write(": ");
        self.action_ref(&entry.action);
        self.trailing_annotations(&entry.annotations);
    }
}
