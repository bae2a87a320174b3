//! Types.

use super::Printer;
use crate::ast::{Expr, ExprKind, NamedType, TypeRef, TypeRefKind};

impl Printer {
    pub(super) fn ty(&mut self, ty: &TypeRef) {
        match &ty.kind {
            TypeRefKind::Bool => self.put("bool"),
            TypeRefKind::Error => self.put("error"),
            TypeRefKind::MatchKind => self.put("match_kind"),
            TypeRefKind::String => self.put("string"),
            TypeRefKind::Void => self.put("void"),
            TypeRefKind::Int => self.put("int"),
            TypeRefKind::Bit(None) => self.put("bit"),
            TypeRefKind::Bit(Some(width)) => self.sized("bit", width),
            TypeRefKind::SignedInt(width) => self.sized("int", width),
            TypeRefKind::Varbit(width) => self.sized("varbit", width),
            TypeRefKind::Named(named) => self.named_type(named),
            TypeRefKind::Stack(element, size) => {
                self.ty(element);
                self.put("[");
                self.expr(size);
                self.put("]");
            }
            TypeRefKind::Tuple(types) => {
                self.put("tuple");
                self.type_args(types);
            }
            TypeRefKind::List(element) => {
                self.put("list<");
                self.ty(element);
                self.put(">");
            }
            TypeRefKind::DontCare => self.put("_"),
        }
    }

    fn sized(&mut self, word: &str, width: &Expr) {
        self.put(word);
        if matches!(width.kind, ExprKind::Integer(_)) {
            self.put("<");
            self.expr(width);
            self.put(">");
        } else {
            self.put("<(");
            self.expr(width);
            self.put(")>");
        }
    }

    fn named_type(&mut self, named: &NamedType) {
        if named.global {
            self.put(".");
        }
        self.put(&named.name.text);
        if !named.args.is_empty() {
            self.type_args(&named.args);
        }
    }

    pub(super) fn type_args(&mut self, types: &[TypeRef]) {
        self.put("<");
        self.separated(types, Printer::ty);
        self.put(">");
    }
}
