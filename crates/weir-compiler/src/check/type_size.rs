//! Limits the sizes of types, because a few lines of nested aliases and structs can describe types
//! of exponential size.

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
pub(super) struct TypeSize {
    members: u64,
    depth: u32,
}

/// The sizes of types that were computed so far.
pub(super) type TypeSizes = FxHashMap<TypeId, TypeSize>;

impl Checker<'_> {
    /// Returns `ty`, or `Poison` after reporting that it is too large to process.
    pub(super) fn check_type_size(&mut self, ty: TypeId, span: Span) -> TypeId {
        let size = self.type_size(ty);
        if size.members <= MAX_MEMBERS && size.depth <= MAX_DEPTH {
            return ty;
        }
        let (message, label) = if size.depth > MAX_DEPTH {
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

    /// Computes the size of a type. The recursion is limited because the types it consists of
    /// have passed [`Self::check_type_size`].
    fn type_size(&mut self, ty: TypeId) -> TypeSize {
        if let Some(&known) = self.type_sizes.get(&ty) {
            return known;
        }
        let leaf = TypeSize { members: 1, depth: 0 };
        let size = match self.program.types[ty].clone() {
            Type::Newtype(decl) => {
                let underlying = self.type_size(self.program.newtypes[decl].underlying);
                TypeSize { members: 1, depth: underlying.depth + 1 }
            }
            Type::Tuple(items) => self.sum_sizes(items),
            Type::AnonymousStruct(fields) => self.sum_sizes(fields.into_iter().map(|(_, ty)| ty).collect()),
            Type::List(element) => self.sum_sizes(vec![element]),
            Type::Stack { element, size } => {
                let element = self.type_size(element);
                TypeSize {
                    members: element.members.saturating_mul(u64::from(size).max(1)),
                    depth: element.depth + 1,
                }
            }
            Type::Record { args, .. } => {
                let arguments = self.sum_sizes(args);
                if arguments.members > MAX_MEMBERS || arguments.depth > MAX_DEPTH {
                    arguments
                } else {
                    let fields = self.fields(ty).unwrap_or_default();
                    let fields = self.sum_sizes(fields.into_iter().map(|(_, ty)| ty).collect());
                    TypeSize {
                        members: arguments.members.max(fields.members),
                        depth: arguments.depth.max(fields.depth),
                    }
                }
            }
            Type::Extern { args, .. }
            | Type::BlockType { args, .. }
            | Type::Parser { args, .. }
            | Type::Control { args, .. }
            | Type::Package { args, .. } => self.sum_sizes(args),
            _ => leaf,
        };
        self.type_sizes.insert(ty, size);
        size
    }

    fn sum_sizes(&mut self, types: Vec<TypeId>) -> TypeSize {
        types.into_iter().fold(TypeSize { members: 0, depth: 1 }, |sum, ty| {
            let size = self.type_size(ty);
            TypeSize {
                members: sum.members.saturating_add(size.members),
                depth: sum.depth.max(size.depth + 1),
            }
        })
    }
}
