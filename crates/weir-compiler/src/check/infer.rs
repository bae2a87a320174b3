//! Infers type arguments from the uses of generic declarations.

use super::Checker;
use crate::hir::{Type, TypeId, TypeVarId};

/// The type arguments of one call, as far as they are known.
#[derive(Clone, Debug)]
pub(super) struct Bindings {
    /// The type parameters of the called declaration.
    pub params: Vec<TypeVarId>,
    /// One for each type parameter; `None` while unknown.
    pub types: Vec<Option<TypeId>>,
    /// The type for type parameters that remain undetermined, if type arguments were written and
    /// the omitted ones are `_`.
    pub open: Option<TypeId>,
}

impl Bindings {
    pub fn new(params: &[TypeVarId]) -> Self {
        Self { params: params.to_vec(), types: vec![None; params.len()], open: None }
    }

    /// Adds type parameters that have no name, so that programs cannot give them explicitly.
    pub fn extend(&mut self, params: &[TypeVarId]) {
        self.params.extend(params);
        self.types.resize(self.params.len(), None);
    }

    /// Returns the type arguments if all are known.
    pub fn type_args(&self) -> Option<Vec<TypeId>> {
        self.types.iter().copied().collect()
    }
}

impl Checker<'_> {
    /// Binds type parameters in `wanted` so that it becomes `found`, as far as possible. Does not
    /// report mismatches: the caller compares the types later.
    pub(super) fn infer(&mut self, wanted: TypeId, found: TypeId, bindings: &mut Bindings) {
        let (pattern, actual) = (self.program.types[wanted].clone(), self.program.types[found].clone());
        if actual == Type::Poison {
            return;
        }
        match (&pattern, &actual) {
            (Type::Var(var), _) => {
                let Some(index) = bindings.params.iter().position(|param| param == var) else { return };
                let better = match bindings.types[index] {
                    None => true,
                    Some(known) => is_less_specific(&self.program.types[known], &actual),
                };
                if better {
                    bindings.types[index] = Some(found);
                }
            }
            (Type::Record { decl: a, args: x }, Type::Record { decl: b, args: y }) if a == b => {
                self.infer_all(x, y, bindings);
            }
            (Type::Extern { decl: a, args: x }, Type::Extern { decl: b, args: y }) if a == b => {
                self.infer_all(x, y, bindings);
            }
            (Type::Package { decl: a, args: x }, Type::Package { decl: b, args: y }) if a == b => {
                self.infer_all(x, y, bindings);
            }
            (Type::BlockType { decl: a, args: x }, Type::BlockType { decl: b, args: y }) if a == b => {
                self.infer_all(x, y, bindings);
            }
            (Type::Parser { decl: a, args: x }, Type::Parser { decl: b, args: y }) if a == b => {
                self.infer_all(x, y, bindings);
            }
            (Type::Control { decl: a, args: x }, Type::Control { decl: b, args: y }) if a == b => {
                self.infer_all(x, y, bindings);
            }
            (
                Type::BlockType { decl, args },
                Type::Parser { .. } | Type::Control { .. } | Type::BlockType { .. },
            ) => {
                let block = self.program.block_types[*decl].clone();
                let Some((is_parser, params, own_params, own_args)) = self.block_params(found) else {
                    return;
                };
                if is_parser != block.is_parser {
                    return;
                }
                for (wanted, found) in block.params.iter().zip(&params) {
                    let wanted = self.program.vars[wanted.var].ty;
                    let wanted = self.program.types.substitute(wanted, &block.type_params, args);
                    let found = self.program.vars[found.var].ty;
                    let found = self.program.types.substitute(found, &own_params, &own_args);
                    self.infer(wanted, found, bindings);
                }
            }
            // A generic block where a specific block type is expected.
            (Type::Parser { .. } | Type::Control { .. }, Type::BlockType { decl, args }) => {
                let block = self.program.block_types[*decl].clone();
                let Some((is_parser, params, own_params, own_args)) = self.block_params(wanted) else {
                    return;
                };
                if is_parser != block.is_parser {
                    return;
                }
                for (own_type, target) in params.iter().zip(&block.params) {
                    let own_type = self.program.vars[own_type.var].ty;
                    let own_type = self.program.types.substitute(own_type, &own_params, &own_args);
                    let target = self.program.vars[target.var].ty;
                    let target = self.program.types.substitute(target, &block.type_params, args);
                    self.infer(own_type, target, bindings);
                }
            }
            (Type::Tuple(x), Type::Tuple(y)) => self.infer_all(x, y, bindings),
            (Type::List(x), Type::List(y)) => self.infer(*x, *y, bindings),
            (Type::List(x), Type::Tuple(items)) => {
                for &item in items {
                    self.infer(*x, item, bindings);
                }
            }
            (Type::Stack { element: x, .. }, Type::Stack { element: y, .. }) => self.infer(*x, *y, bindings),
            (Type::Record { .. }, Type::Tuple(items)) => {
                let fields = self.fields(wanted).unwrap_or_default();
                for ((_, field), &item) in fields.iter().zip(items) {
                    self.infer(*field, item, bindings);
                }
            }
            _ => {}
        }
    }

    fn infer_all(&mut self, wanted: &[TypeId], found: &[TypeId], bindings: &mut Bindings) {
        for (&wanted, &found) in wanted.iter().zip(found) {
            self.infer(wanted, found, bindings);
        }
    }

    /// Returns whether a type contains one of `params`.
    pub(super) fn contains_any_param(&self, ty: TypeId, params: &[TypeVarId]) -> bool {
        self.any_variable(ty, &|var| params.contains(&var))
    }

    /// Returns whether a type contains a type variable that `wanted` accepts.
    pub(super) fn any_variable(&self, ty: TypeId, wanted: &dyn Fn(TypeVarId) -> bool) -> bool {
        self.program.types.any_variable(ty, wanted)
    }
}

/// Returns whether a more specific type replaces the one found first: an integer with a width
/// replaces one without, and a record replaces an anonymous aggregate.
fn is_less_specific(known: &Type, found: &Type) -> bool {
    matches!(
        (known, found),
        (Type::Int, Type::Bits { .. } | Type::Newtype(_))
            | (Type::Tuple(_) | Type::AnonymousStruct(_), Type::Record { .. })
            | (Type::Any, _)
    )
}
