//! Declarations other than parsers, controls and tables.

use weir_syntax::Span;

use super::{Annotations, Block, Construct, Expr, FunctionId, Id, Name, TypeId, VarId};

/// A member of `error` or `match_kind`. All declarations of a program add to one namespace each.
#[derive(Clone, Debug)]
pub struct Member {
    /// As written.
    pub name: Name,
    /// Of the declaration.
    pub annotations: Annotations,
}

/// A type parameter of a generic declaration.
#[derive(Clone, Debug)]
pub struct TypeVar {
    /// As written.
    pub name: Name,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// As written.
    pub name: Name,
    /// Of the declaration.
    pub annotations: Annotations,
    /// The representation of a serializable enum: a `Bits` type (newtypes resolved); `None` for a
    /// plain enum.
    pub underlying: Option<TypeId>,
    /// In order.
    pub members: Vec<EnumMember>,
}

/// A member of an enum.
#[derive(Clone, Debug)]
pub struct EnumMember {
    /// As written.
    pub name: Name,
    /// Exactly if the enum has an underlying type: a literal of that type, in range.
    pub value: Option<num_bigint::BigInt>,
}

/// Which kind of record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    /// Plain members.
    Struct,
    /// Members in wire order (most significant bit first) and a validity bit; one with several
    /// varbits is never extracted.
    Header,
    /// Headers of which at most one is valid.
    Union,
}

/// A struct, header or header union.
#[derive(Clone, Debug)]
pub struct Record {
    /// As written.
    pub name: Name,
    /// Which kind.
    pub kind: RecordKind,
    /// Of the declaration.
    pub annotations: Annotations,
    /// Type parameters; see [`super::Type::Record`].
    pub type_params: Vec<Id<TypeVar>>,
    /// In order.
    pub fields: Vec<Field>,
}

/// A field of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// As written.
    pub name: Name,
    /// May hold the record's type parameters.
    pub ty: TypeId,
    /// Of the field (`@field_list(…)` and others).
    pub annotations: Annotations,
}

/// `type T N`.
#[derive(Clone, Debug)]
pub struct Newtype {
    /// As written.
    pub name: Name,
    /// `Bits`, `bool`, or another newtype.
    pub underlying: TypeId,
    /// `@p4runtime_translation` and others.
    pub annotations: Annotations,
}

/// A direction of a parameter (P4_16 section 6.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Compile-time values, extern objects, and in actions what the control plane gives.
    None,
    /// Copied in.
    In,
    /// Copied out; starts uninitialised (headers invalid).
    Out,
    /// Copied in and out.
    InOut,
}

/// A parameter of anything. Its name, type and annotations are its variable's.
#[derive(Clone, Debug)]
pub struct Param {
    /// The variable the body sees.
    pub var: VarId,
    /// How it is passed.
    pub direction: Direction,
    /// Compile-time constant of exactly the parameter's type; calls that leave it out have it
    /// filled in.
    pub default: Option<Expr>,
    /// `@optional`: may be left out.
    pub optional: bool,
}

/// What kind of variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// Declared by a statement, a block's local, or a loop.
    Local,
    /// A run-time parameter.
    Param(Direction),
    /// A parameter without direction of a function, parser or control: read-only, a compile-time
    /// value in each call (for an extern object, the object).
    ConstantParam,
    /// A constructor parameter; read-only, known at compile time.
    ConstructorParam,
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Var {
    /// As written (fresh ones of the checker's start with `$`).
    pub name: Name,
    /// Its type.
    pub ty: TypeId,
    /// Its kind.
    pub kind: VarKind,
    /// Of the declaration.
    pub annotations: Annotations,
}

/// `const T x = e;` anywhere.
#[derive(Clone, Debug)]
pub struct Const {
    /// As written.
    pub name: Name,
    /// Its type.
    pub ty: TypeId,
    /// Of exactly that type; a compile-time constant given constructor parameters in scope.
    pub init: Expr,
    /// Of the declaration.
    pub annotations: Annotations,
}

/// A function with a body. Every path returns a value unless the return type is `Void`.
#[derive(Clone, Debug)]
pub struct Function {
    /// As written.
    pub name: Name,
    /// Of the declaration.
    pub annotations: Annotations,
    /// Type parameters.
    pub type_params: Vec<Id<TypeVar>>,
    /// Result.
    pub return_type: TypeId,
    /// In order.
    pub params: Vec<Param>,
    /// What it does.
    pub body: Block,
    /// The whole declaration.
    pub span: Span,
}

/// The signature of an extern function or of an extern's method or constructor.
#[derive(Clone, Debug)]
pub struct Signature {
    /// As written; a constructor's is the extern's.
    pub name: Name,
    /// `@deprecated`, `@pure`, … .
    pub annotations: Annotations,
    /// Type parameters of the function itself.
    pub type_params: Vec<Id<TypeVar>>,
    /// Result; `Void` for constructors.
    pub return_type: TypeId,
    /// In order.
    pub params: Vec<Param>,
    /// `abstract`: implemented at each instantiation.
    pub is_abstract: bool,
    /// The whole prototype.
    pub span: Span,
}

/// An extern object type.
#[derive(Clone, Debug)]
pub struct Extern {
    /// As written.
    pub name: Name,
    /// Of the declaration.
    pub annotations: Annotations,
    /// Type parameters of the object.
    pub type_params: Vec<Id<TypeVar>>,
    /// Overloads differ in their parameters.
    pub constructors: Vec<Signature>,
    /// Overloads have the same name and differ in their parameters.
    pub methods: Vec<Signature>,
}

/// `parser P<…>(…);` or `control C<…>(…);`: a signature without a body.
#[derive(Clone, Debug)]
pub struct BlockType {
    /// As written.
    pub name: Name,
    /// Of the declaration (`@pipeline`, `@deparser`, …).
    pub annotations: Annotations,
    /// Else a control.
    pub is_parser: bool,
    /// Type parameters.
    pub type_params: Vec<Id<TypeVar>>,
    /// In order.
    pub params: Vec<Param>,
}

/// `package P<…>(…);`.
#[derive(Clone, Debug)]
pub struct Package {
    /// As written.
    pub name: Name,
    /// Of the declaration.
    pub annotations: Annotations,
    /// Type parameters.
    pub type_params: Vec<Id<TypeVar>>,
    /// Constructor parameters.
    pub params: Vec<Param>,
}

/// A declared instance: `T(args) name;`.
#[derive(Clone, Debug)]
pub struct Instance {
    /// As written; for a direct application (`C.apply(…)`) the type's name, as the control plane
    /// sees it.
    pub name: Name,
    /// The type with its arguments.
    pub ty: TypeId,
    /// How it is made.
    pub construct: Construct,
    /// Implementations of abstract methods.
    pub methods: Vec<AbstractImplementation>,
    /// Instances declared in the initializer's braces, visible to those methods.
    pub members: Vec<Id<Instance>>,
    /// Of the declaration.
    pub annotations: Annotations,
    /// Made by the checker for a direct application.
    pub direct: bool,
}

/// The implementation of an abstract method in an instance's braces.
#[derive(Clone, Debug)]
pub struct AbstractImplementation {
    /// Index into the extern's methods.
    pub method: usize,
    /// The body; not in [`super::Program::declarations`].
    pub function: FunctionId,
    /// For each of the function's parameters, the position of the method's parameter that it stands
    /// for, ascending. The method's others are optional ones that the function does not take.
    pub params: Vec<usize>,
}
