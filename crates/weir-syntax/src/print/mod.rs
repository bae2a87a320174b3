//! Prints trees as P4 text. Parsing the text again yields the same tree, apart from spans and ids.
//!
//! Parentheses are printed only where precedence or P4's ambiguous angle brackets need them.

mod decl;
mod expr;
mod stmt;
mod table;
mod ty;

use crate::ast::{Annotation, AnnotationBody, AnnotationTokenKind, Expr, Program, TypeRef};

/// Returns a whole program as P4 text.
pub fn program(program: &Program) -> String {
    let mut printer = Printer::default();
    for (at, declaration) in program.declarations.iter().enumerate() {
        if at > 0 {
            printer.text.push('\n');
        }
        printer.declaration(declaration);
    }
    printer.text
}

/// Returns an expression as P4 text, on one line.
pub fn expression(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr);
    printer.text
}

/// Returns a type as P4 text.
pub fn type_ref(ty: &TypeRef) -> String {
    let mut printer = Printer::default();
    printer.ty(ty);
    printer.text
}

/// The output and the indentation level.
#[derive(Default)]
struct Printer {
    text: String,
    depth: usize,
}

impl Printer {
    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes the indentation of a line.
    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
    }

    /// Prints `{` and a newline; the following lines are indented.
    fn open(&mut self) {
        self.write("{\n");
        self.depth += 1;
    }

    /// Prints `}` on a line of its own, without newline.
    fn close(&mut self) {
        self.depth -= 1;
        self.indent();
        self.write("}");
    }

    fn separated<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.write(", ");
            }
            print(self, item);
        }
    }

    /// Prints annotations, with a space after each.
    fn annotations(&mut self, list: &[Annotation]) {
        for annotation in list {
            self.annotation(annotation);
            self.write(" ");
        }
    }

    fn annotation(&mut self, annotation: &Annotation) {
        self.write("@");
        self.write(&annotation.name.text);
        match &annotation.body {
            AnnotationBody::Empty => {}
            AnnotationBody::Unstructured(tokens, _) => {
                self.write("(");
                for (at, token) in tokens.iter().enumerate() {
                    if at > 0 {
                        self.write(" ");
                    }
                    match &token.kind {
                        AnnotationTokenKind::String(text) => {
                            self.write("\"");
                            self.write(text);
                            self.write("\"");
                        }
                        AnnotationTokenKind::Word(text)
                        | AnnotationTokenKind::Integer(text)
                        | AnnotationTokenKind::Punctuation(text) => self.write(text),
                    }
                }
                self.write(")");
            }
            AnnotationBody::Expressions(list) => {
                self.write("[");
                self.expr_list(list);
                self.write("]");
            }
            AnnotationBody::KeyValues(pairs) => {
                self.write("[");
                self.key_values(pairs);
                self.write("]");
            }
        }
    }
}
