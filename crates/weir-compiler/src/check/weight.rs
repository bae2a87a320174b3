//! Limits the sizes of types: a few lines of nested aliases and structs can describe types of
//! exponential size.

use rustc_hash::FxHashMap;
use weir_syntax::{Diagnostic, Span};

use super::Checker;
use crate::hir::{Type, TypeId, Types};

/// The maximum number of members of a type, including nested members.
const MAX_MEMBERS: u64 = 1 << 20;

/// The maximum nesting depth of types.
const MAX_DEPTH: u32 = 200;

/// The size of a type, as a measure of the work needed to process it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    members: u64,
    depth: u32,
}

/// The weights computed so far.
pub(super) type Weights = FxHashMap<TypeId, Weight>;

impl Checker<'_> {
    /// Returns `ty`, or `Poison` after reporting that it is too large to process.
    pub(super) fn bounded(&mut self, ty: TypeId, span: Span) -> TypeId {
        let weight = self.weight(ty);
        if weight.members <= MAX_MEMBERS && weight.depth <= MAX_DEPTH {
            return ty;
        }
        let (message, label) = if weight.depth > MAX_DEPTH {
            ("this type is nested too deeply", format!("types may be nested at most {MAX_DEPTH} levels deep"))
        } else {
            (
                "this type is too large",
                format!("a type may have at most {MAX_MEMBERS} members, including nested ones"),
            )
        };
        self.report(Diagnostic::error("type-too-large", message).primary(span, label));
        Types::POISON
    }

    /// Computes the weight of a type. The recursion is limited because the types it consists of
    /// have passed [`Self::bounded`].
    fn weight(&mut self, ty: TypeId) -> Weight {
        if let Some(&known) = self.weights.get(&ty) {
            return known;
        }
        let leaf = Weight { members: 1, depth: 0 };
        let weight = match self.program.types[ty].clone() {
            Type::Newtype(decl) => {
                let underlying = self.weight(self.program.newtypes[decl].underlying);
                Weight { members: 1, depth: underlying.depth + 1 }
            }
            Type::Tuple(items) => self.sum(items),
            Type::AnonymousStruct(fields) => self.sum(fields.into_iter().map(|(_, ty)| ty).collect()),
            Type::List(element) => self.sum(vec![element]),
            Type::Stack { element, size } => {
                let element = self.weight(element);
                Weight {
                    members: element.members.saturating_mul(u64::from(size).max(1)),
                    depth: element.depth + 1,
                }
            }
            Type::Record { args, .. } => {
                let arguments = self.sum(args);
                if arguments.members > MAX_MEMBERS || arguments.depth > MAX_DEPTH {
                    arguments
                } else {
                    let fields = self.fields(ty).unwrap_or_default();
                    let fields = self.sum(fields.into_iter().map(|(_, ty)| ty).collect());
                    Weight {
                        members: arguments.members.max(fields.members),
                        depth: arguments.depth.max(fields.depth),
                    }
                }
            }
            Type::Extern { args, .. }
            | Type::BlockType { args, .. }
            | Type::Parser { args, .. }
            | Type::Control { args, .. }
            | Type::Package { args, .. } => self.sum(args),
            _ => leaf,
        };
        self.weights.insert(ty, weight);
        weight
    }

    fn sum(&mut self, types: Vec<TypeId>) -> Weight {
        types.into_iter().fold(Weight { members: 0, depth: 1 }, |sum, ty| {
            let weight = self.weight(ty);
            Weight {
                members: sum.members.saturating_add(weight.members),
                depth: sum.depth.max(weight.depth + 1),
            }
        })
    }
}
