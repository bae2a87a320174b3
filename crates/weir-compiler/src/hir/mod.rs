//! The typed, resolved tree between the checker and lowering. It covers all of P4_16 v1.2.5, and
//! everything implicit in the language is explicit in it.
//!
//! The checker builds it from the syntax tree; lowering reads nothing else. Names are ids into the
//! arenas of a [`Program`], types are interned in its [`Types`], and every expression has a type
//! and a source location. Each type documents what lowering may assume. Three rules hold
//! everywhere:
//!
//! - Generic declarations keep their type parameters as [`Type::Var`]; each use records its type
//!   arguments. [`Types::substitute`] instantiates them.
//! - Constructor arguments, `size`, entries and the like are expressions that are constant once the
//!   enclosing block's constructor parameters have values. Lowering evaluates them for each
//!   instance.
//! - Declarations come before their uses, except for parser states.

mod block;
mod call;
mod decl;
pub mod display;
mod expr;
mod item;
mod name;
mod stmt;
mod types;
pub mod walk;

pub use block::*;
pub use call::*;
pub use decl::*;
pub use expr::*;
pub use item::*;
pub use name::*;
pub use stmt::*;
pub use types::*;
pub use weir_ir::{Arena, Id};

/// The id of a member of `error`.
pub type ErrorId = Id<ErrorMember>;
/// The id of a member of `match_kind`.
pub type MatchKindId = Id<MatchKindMember>;
/// The id of a type parameter.
pub type TypeVarId = Id<TypeVar>;
/// The id of an enum.
pub type EnumId = Id<Enum>;
/// The id of a struct, header or header union.
pub type RecordId = Id<Record>;
/// The id of a newtype.
pub type NewtypeId = Id<Newtype>;
/// The id of an extern object type.
pub type ExternId = Id<Extern>;
/// The id of an extern function.
pub type ExternFunctionId = Id<ExternFunction>;
/// The id of a function with a body.
pub type FunctionId = Id<Function>;
/// The id of a parser or control type without a body.
pub type BlockTypeId = Id<BlockType>;
/// The id of a parser with a body.
pub type ParserId = Id<Parser>;
/// The id of a state of a parser.
pub type StateId = Id<State>;
/// The id of a value set.
pub type ValueSetId = Id<ValueSet>;
/// The id of a control with a body.
pub type ControlId = Id<Control>;
/// The id of an action.
pub type ActionId = Id<Action>;
/// The id of a table.
pub type TableId = Id<Table>;
/// The id of a package type.
pub type PackageId = Id<Package>;
/// The id of a declared instance.
pub type InstanceId = Id<Instance>;
/// The id of a constant.
pub type ConstId = Id<Const>;
/// The id of a variable or parameter.
pub type VarId = Id<Var>;

/// A member of `error`. It has its own type to keep its ids distinct from those of match kinds.
#[derive(Clone, Debug)]
pub struct ErrorMember(pub Member);

/// A member of `match_kind`.
#[derive(Clone, Debug)]
pub struct MatchKindMember(pub Member);

/// An extern function (a signature outside any object).
#[derive(Clone, Debug)]
pub struct ExternFunction(pub Signature);

/// A top-level declaration, in source order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// The declaration of an enum.
    Enum(EnumId),
    /// The declaration of a struct, header or header union.
    Record(RecordId),
    /// The declaration of a new type with `type`.
    Newtype(NewtypeId),
    /// The declaration of an extern object type.
    Extern(ExternId),
    /// The declaration of an extern function.
    ExternFunction(ExternFunctionId),
    /// The declaration of a function.
    Function(FunctionId),
    /// The declaration of a parser or control type.
    BlockType(BlockTypeId),
    /// The declaration of a parser.
    Parser(ParserId),
    /// The declaration of a control.
    Control(ControlId),
    /// The declaration of a package type.
    Package(PackageId),
    /// The declaration of an action outside controls.
    Action(ActionId),
    /// The declaration of a value set outside parsers.
    ValueSet(ValueSetId),
    /// Instance outside blocks; `main` is one of them.
    Instance(InstanceId),
    /// The declaration of a constant.
    Const(ConstId),
}

/// A checked program: all declarations of all included files.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All types that the program uses.
    pub types: Types,
    /// The errors; core.p4's come first if it was included. The index is the error's number.
    pub errors: Arena<ErrorMember>,
    /// The match kinds that the program declares.
    pub match_kinds: Arena<MatchKindMember>,
    /// The type parameters of all generic declarations.
    pub type_vars: Arena<TypeVar>,
    /// The enums that the program declares.
    pub enums: Arena<Enum>,
    /// The structs, headers and header unions that the program declares.
    pub records: Arena<Record>,
    /// The types that the program declares with `type`.
    pub newtypes: Arena<Newtype>,
    /// The extern object types that the program declares.
    pub externs: Arena<Extern>,
    /// The extern functions that the program declares.
    pub extern_functions: Arena<ExternFunction>,
    /// The functions, implementations of abstract methods included.
    pub functions: Arena<Function>,
    /// The parser and control types that the program declares.
    pub block_types: Arena<BlockType>,
    /// The parsers that the program declares.
    pub parsers: Arena<Parser>,
    /// The states of all parsers.
    pub states: Arena<State>,
    /// The value sets, top-level and local.
    pub value_sets: Arena<ValueSet>,
    /// The controls that the program declares.
    pub controls: Arena<Control>,
    /// The actions, top-level and local.
    pub actions: Arena<Action>,
    /// The tables of all controls.
    pub tables: Arena<Table>,
    /// The package types that the program declares.
    pub packages: Arena<Package>,
    /// The instances, top-level and local.
    pub instances: Arena<Instance>,
    /// The constants, top-level and local.
    pub consts: Arena<Const>,
    /// The variables and parameters of all declarations.
    pub vars: Arena<Var>,
    /// All items with annotations.
    pub annotated: Vec<AnnotatedItem>,
    /// The top-level declarations, in source order.
    pub declarations: Vec<Declaration>,
    /// The instance called `main`, if there is one. It is an instance of a package.
    pub main: Option<InstanceId>,
}

impl Program {
    /// Returns whether a method of an extern returns values of a type that contains the extern's
    /// type parameter `param`, as its result or in a parameter that it writes.
    pub fn returns_values_of(&self, decl: ExternId, param: TypeVarId) -> bool {
        let mentions = |ty| self.types.any_variable(ty, &|var| var == param);
        self.externs[decl].methods.iter().any(|method| {
            let written = |param: &&Param| matches!(param.direction, Direction::Out | Direction::InOut);
            let mut params = method.params.iter().filter(written);
            mentions(method.return_type) || params.any(|param| mentions(self.vars[param.var].ty))
        })
    }

    /// Returns the name of the package that is declared last: packages that contain other packages
    /// come after them.
    pub fn outermost_package(&self) -> Option<&str> {
        self.packages.iter().last().map(|(_, package)| package.name.text.as_str())
    }

    /// Returns the name of the package that `main` is an instance of, and where `main` is
    /// instantiated.
    pub fn main_package(&self) -> Option<(&str, weir_syntax::Span)> {
        let instance = &self.instances[self.main?];
        match self.types[instance.ty] {
            Type::Package { decl, .. } => {
                Some((self.packages[decl].name.text.as_str(), instance.construct.span))
            }
            _ => None,
        }
    }
}
