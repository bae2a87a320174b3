//! Interned types: equal types have equal ids.

use std::ops::Index;

use indexmap::IndexSet;

use super::{
    BlockTypeId, ControlId, EnumId, ExternId, NewtypeId, PackageId, ParserId, RecordId, TableId, TypeVarId,
};

/// The id of an interned [`Type`] in [`Types`]. Within a program, two ids are equal if and only if
/// their types are equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(u32);

/// A resolved P4 type (P4_16 section 7). `typedef`s are replaced by their targets; `type` (newtype)
/// stays distinct.
///
/// Lowering may assume that widths and stack sizes are final numbers, that inference variables
/// never occur, and that [`Type::Var`] occurs only inside the declaration that owns the variable.
/// Substituting a use's `type_args` for the owner's `type_params` (same order, same length) removes
/// the variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// An unknown type after a reported error. Never occurs in a program that `check` returned
    /// without errors.
    Poison,
    /// The type of a call without a value.
    Void,
    /// The type argument `_` of an extern object that nothing determines: any type. Only types of
    /// extern objects contain it.
    Any,
    /// A boolean.
    Bool,
    /// A member of the program's one `error` namespace.
    Error,
    /// A member of the program's one `match_kind` namespace; compile time only.
    MatchKind,
    /// A string; compile time only.
    String,
    /// An unbounded integer; compile time only. Run-time code never computes with this type. Where
    /// a type with a width was expected, values known to the checker are literals of that width,
    /// and other values, which depend on constructor parameters, have a [`super::ExprKind::Cast`].
    /// It remains in shift amounts, indices, `size` and similar constants.
    Int,
    /// `bit<width>` or `int<width>`. Width 0 is legal for `bit`.
    Bits {
        /// Whether it is an `int<width>` in two's complement.
        signed: bool,
        /// The width in bits.
        width: u32,
    },
    /// `varbit<max_width>`.
    Varbit {
        /// The maximum width in bits.
        max_width: u32,
    },
    /// An enum, with or without underlying type (see the declaration).
    Enum(EnumId),
    /// A struct, header or header union (see the declaration's kind), applied to type arguments.
    Record {
        /// The declaration of the record.
        decl: RecordId,
        /// One type argument for each type parameter.
        args: Vec<TypeId>,
    },
    /// `element[size]`: a header stack if `element` is a header or header union, otherwise an
    /// array.
    Stack {
        /// The element type.
        element: TypeId,
        /// The number of elements.
        size: u32,
    },
    /// `tuple<...>`. Also the type of `{a, b}` without an expected type (for example a `hash`
    /// argument of type `D`).
    Tuple(Vec<TypeId>),
    /// The type of `{a = x, b = y}` without an expected type: an anonymous struct.
    AnonymousStruct(Vec<(String, TypeId)>),
    /// `list<element>`; compile time only.
    List(TypeId),
    /// `type T N`: a distinct type with the values of the declaration's `underlying`.
    Newtype(NewtypeId),
    /// A type parameter of the enclosing generic declaration.
    Var(TypeVarId),
    /// An instance of an extern object.
    Extern {
        /// The declaration of the extern.
        decl: ExternId,
        /// One type argument for each type parameter.
        args: Vec<TypeId>,
    },
    /// A `parser P<…>(…);` or `control C<…>(…);` type declaration, applied to type arguments.
    BlockType {
        /// The declaration of the parser or control type.
        decl: BlockTypeId,
        /// One type argument for each type parameter.
        args: Vec<TypeId>,
    },
    /// An instance of a parser with a body.
    Parser {
        /// The declaration of the parser.
        decl: ParserId,
        /// One type argument for each type parameter.
        args: Vec<TypeId>,
    },
    /// An instance of a control with a body.
    Control {
        /// The declaration of the control.
        decl: ControlId,
        /// One type argument for each type parameter.
        args: Vec<TypeId>,
    },
    /// An instance of a package.
    Package {
        /// The declaration of the package.
        decl: PackageId,
        /// One type argument for each type parameter.
        args: Vec<TypeId>,
    },
    /// The type of a table's name.
    Table(TableId),
    /// The type of `t.apply()`, which has only `.hit`, `.miss` and `.action_run`.
    ApplyResult(TableId),
    /// The type of `t.apply().action_run`: the table's actions.
    ActionRun(TableId),
}

/// All types of a program, without duplicates.
#[derive(Clone, Debug)]
pub struct Types {
    set: IndexSet<Type>,
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Self { set: IndexSet::new() };
        for (ty, id) in [
            (Type::Poison, Self::POISON),
            (Type::Void, Self::VOID),
            (Type::Bool, Self::BOOL),
            (Type::Error, Self::ERROR),
            (Type::MatchKind, Self::MATCH_KIND),
            (Type::String, Self::STRING),
            (Type::Int, Self::INT),
            (Type::Any, Self::ANY),
        ] {
            let interned = types.intern(ty);
            debug_assert_eq!(interned, id);
        }
        types
    }
}

impl Types {
    /// The id of [`Type::Poison`].
    pub const POISON: TypeId = TypeId(0);
    /// The id of [`Type::Void`].
    pub const VOID: TypeId = TypeId(1);
    /// The id of [`Type::Bool`].
    pub const BOOL: TypeId = TypeId(2);
    /// The id of [`Type::Error`].
    pub const ERROR: TypeId = TypeId(3);
    /// The id of [`Type::MatchKind`].
    pub const MATCH_KIND: TypeId = TypeId(4);
    /// The id of [`Type::String`].
    pub const STRING: TypeId = TypeId(5);
    /// The id of [`Type::Int`].
    pub const INT: TypeId = TypeId(6);
    /// The id of [`Type::Any`].
    pub const ANY: TypeId = TypeId(7);

    /// Returns the id of `ty`. Equal types have the same id.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        let (index, _) = self.set.insert_full(ty);
        TypeId(u32::try_from(index).expect("fewer than 2^32 types"))
    }

    /// Returns the id of the type `bit<width>`.
    pub fn bit(&mut self, width: u32) -> TypeId {
        self.intern(Type::Bits { signed: false, width })
    }

    /// Returns whether `ty` contains a type variable that `wanted` accepts.
    pub fn any_variable(&self, ty: TypeId, wanted: &dyn Fn(TypeVarId) -> bool) -> bool {
        let any_item = |items: &[TypeId]| items.iter().any(|&item| self.any_variable(item, wanted));
        match &self[ty] {
            Type::Var(var) => wanted(*var),
            Type::Record { args, .. }
            | Type::Extern { args, .. }
            | Type::BlockType { args, .. }
            | Type::Parser { args, .. }
            | Type::Control { args, .. }
            | Type::Package { args, .. } => any_item(args),
            Type::Tuple(items) => any_item(items),
            Type::AnonymousStruct(fields) => fields.iter().any(|(_, ty)| self.any_variable(*ty, wanted)),
            Type::List(element) | Type::Stack { element, .. } => self.any_variable(*element, wanted),
            _ => false,
        }
    }

    /// Returns `ty` with each variable `params[i]` replaced by `args[i]`. Variables not in `params`
    /// remain.
    ///
    /// # Panics
    /// If `args` is shorter than `params`.
    pub fn substitute(&mut self, ty: TypeId, params: &[TypeVarId], args: &[TypeId]) -> TypeId {
        if params.is_empty() {
            return ty;
        }
        let substitute_all = |types: &mut Self, list: &[TypeId]| -> Vec<TypeId> {
            list.iter().map(|&inner| types.substitute(inner, params, args)).collect()
        };
        let replaced = match self[ty].clone() {
            Type::Var(var) => {
                return params.iter().position(|&param| param == var).map_or(ty, |position| args[position]);
            }
            Type::Record { decl, args } => Type::Record { decl, args: substitute_all(self, &args) },
            Type::Extern { decl, args } => Type::Extern { decl, args: substitute_all(self, &args) },
            Type::BlockType { decl, args } => Type::BlockType { decl, args: substitute_all(self, &args) },
            Type::Package { decl, args } => Type::Package { decl, args: substitute_all(self, &args) },
            Type::Parser { decl, args } => Type::Parser { decl, args: substitute_all(self, &args) },
            Type::Control { decl, args } => Type::Control { decl, args: substitute_all(self, &args) },
            Type::Tuple(items) => Type::Tuple(substitute_all(self, &items)),
            Type::AnonymousStruct(fields) => {
                let items: Vec<TypeId> = fields.iter().map(|(_, ty)| *ty).collect();
                let items = substitute_all(self, &items);
                Type::AnonymousStruct(fields.into_iter().map(|(name, _)| name).zip(items).collect())
            }
            Type::List(element) => Type::List(self.substitute(element, params, args)),
            Type::Stack { element, size } => {
                Type::Stack { element: self.substitute(element, params, args), size }
            }
            _ => return ty,
        };
        self.intern(replaced)
    }
}

impl Index<TypeId> for Types {
    type Output = Type;
    fn index(&self, id: TypeId) -> &Type {
        &self.set[id.0 as usize]
    }
}
