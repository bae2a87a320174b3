//! Types.

use super::Printer;
use crate::ast::{Expr, ExprKind, NamedType, TypeRef, TypeRefKind};

impl Printer {
    pub(super) fn ty(&mut self, ty: &TypeRef) {
        match &ty.kind {
            TypeRefKind::Bool => self.write("bool"),
            TypeRefKind::Error => self.write("error"),
            TypeRefKind::MatchKind => self.write("match_kind"),
            TypeRefKind::String => self.write("string"),
            TypeRefKind::Void => self.write("void"),
            TypeRefKind::Int => self.write("int"),
            TypeRefKind::Bit(None) => self.write("bit"),
            TypeRefKind::Bit(Some(width)) => self.sized("bit", width),
            TypeRefKind::SignedInt(width) => self.sized("int", width),
            TypeRefKind::Varbit(width) => self.sized("varbit", width),
            TypeRefKind::Named(named) => self.named_type(named),
            TypeRefKind::Stack(element, size) => {
                self.ty(element);
                self.write("[");
                self.expr(size);
                self.write("]");
            }
            TypeRefKind::Tuple(types) => {
                self.write("tuple");
                self.type_args(types);
            }
            TypeRefKind::List(element) => {
                self.write("list<");
                self.ty(element);
                self.write(">");
            }
            TypeRefKind::DontCare => self.write("_"),
        }
    }

    fn sized(&mut self, word: &str, width: &Expr) {
        self.write(word);
        if matches!(width.kind, ExprKind::Integer(_)) {
            self.write("<");
            self.expr(width);
            self.write(">");
        } else {
            self.write("<(");
            self.expr(width);
            self.write(")>");
        }
    }

    fn named_type(&mut self, named: &NamedType) {
        if named.global {
            self.write(".");
        }
        self.write(&named.name.text);
        if !named.args.is_empty() {
            self.type_args(&named.args);
        }
    }

    pub(super) fn type_args(&mut self, types: &[TypeRef]) {
        self.write("<");
        self.separated(types, Printer::ty);
        self.write(">");
    }
}
