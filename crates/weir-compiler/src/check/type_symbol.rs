//! The types that names refer to, and their type parameters.

use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::scope::{Symbol, TypeSymbol};
use crate::hir::{self, Type, TypeId, display};

impl Checker<'_> {
    /// Returns the number of type parameters that have a name and can be given explicitly. The
    /// other parameters were created for `_`.
    pub(super) fn named_type_params(&self, params: &[hir::TypeVarId]) -> usize {
        params.iter().filter(|&&param| self.program.type_vars[param].name.text != "_").count()
    }

    pub(super) fn wrong_type_arguments(&mut self, symbol: TypeSymbol, found: usize, span: Span) {
        let (name, params) = (self.type_symbol_name(symbol), self.type_params(symbol).to_vec());
        let count =
            |n: usize| if n == 1 { "1 type argument".to_owned() } else { format!("{n} type arguments") };
        let message = match self.named_type_params(&params) {
            0 => format!("`{}` is not generic", name.text),
            wanted => format!("`{}` takes {}, not {found}", name.text, count(wanted)),
        };
        let params: Vec<&str> =
            params.iter().map(|&param| self.program.type_vars[param].name.text.as_str()).collect();
        let label = if params.is_empty() {
            "takes no type arguments".to_owned()
        } else {
            format!("expected `{}<{}>`", name.text, params.join(", "))
        };
        let mut diagnostic = Diagnostic::error("type-argument-count", message).primary(span, label);
        if name.span != Span::NONE {
            diagnostic = diagnostic.secondary(name.span, "declared here");
        }
        self.report(diagnostic);
    }

    fn type_symbol_name(&self, symbol: TypeSymbol) -> hir::Name {
        match symbol {
            TypeSymbol::Plain(ty) => hir::Name {
                text: display::type_name(&self.program, &self.program.types, ty),
                span: Span::NONE,
            },
            TypeSymbol::Record(id) => self.program.records[id].name.clone(),
            TypeSymbol::Extern(id) => self.program.externs[id].name.clone(),
            TypeSymbol::BlockType(id) => self.program.block_types[id].name.clone(),
            TypeSymbol::Package(id) => self.program.packages[id].name.clone(),
            TypeSymbol::Parser(id) => self.program.parsers[id].name.clone(),
            TypeSymbol::Control(id) => self.program.controls[id].name.clone(),
        }
    }

    /// Returns the type parameters of the type that a name refers to.
    pub(super) fn type_params(&self, symbol: TypeSymbol) -> &[hir::TypeVarId] {
        match symbol {
            TypeSymbol::Plain(_) => &[],
            TypeSymbol::Parser(id) => &self.program.parsers[id].type_params,
            TypeSymbol::Control(id) => &self.program.controls[id].type_params,
            TypeSymbol::Record(id) => &self.program.records[id].type_params,
            TypeSymbol::Extern(id) => &self.program.externs[id].type_params,
            TypeSymbol::BlockType(id) => &self.program.block_types[id].type_params,
            TypeSymbol::Package(id) => &self.program.packages[id].type_params,
        }
    }

    /// Applies a type name to type arguments, one for each of its [`Self::type_params`].
    pub(super) fn apply_type(&mut self, symbol: TypeSymbol, args: Vec<TypeId>) -> TypeId {
        let ty = match symbol {
            TypeSymbol::Plain(ty) => return ty,
            TypeSymbol::Record(decl) => Type::Record { decl, args },
            TypeSymbol::Extern(decl) => Type::Extern { decl, args },
            TypeSymbol::BlockType(decl) => Type::BlockType { decl, args },
            TypeSymbol::Package(decl) => Type::Package { decl, args },
            TypeSymbol::Parser(decl) => Type::Parser { decl, args },
            TypeSymbol::Control(decl) => Type::Control { decl, args },
        };
        self.program.types.intern(ty)
    }

    /// Returns the type that `name` refers to. Reports an error if there is none.
    pub(super) fn type_symbol(&mut self, name: &ast::Name, global: bool) -> Option<TypeSymbol> {
        let resolved = self.resolve_name(name, global);
        match resolved {
            Some((Symbol::Type(symbol), _)) => Some(symbol),
            Some((Symbol::Poison, _)) => None,
            Some((_, declared)) => {
                let diagnostic = Diagnostic::error("not-a-type", format!("`{name}` is not a type"))
                    .primary(name.span, "expected a type")
                    .secondary(declared, format!("`{name}` is declared here"));
                self.report(diagnostic);
                None
            }
            None => {
                let is_type = |symbol: &Symbol| matches!(symbol, Symbol::Type(_));
                self.unknown_name("unknown-type", "type", name, is_type);
                None
            }
        }
    }
}
