//! Declarations other than parsers, controls and tables.

use weir_syntax::Span;

use super::{Annotations, Block, Construct, Expr, FunctionId, Id, Name, TypeId, VarId};

/// A member of `error` or `match_kind`. Each is one namespace to which all declarations of a
/// program add.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration.
    pub annotations: Annotations,
}

/// A type parameter of a generic declaration, by its name.
#[derive(Clone, Debug)]
pub struct TypeVar {
    /// The name as written.
    pub name: Name,
}

/// An enum with its members.
#[derive(Clone, Debug)]
pub struct Enum {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The underlying type of a serializable enum: a `Bits` type (newtypes resolved); `None` for a
    /// plain enum.
    pub underlying: Option<TypeId>,
    /// The members, in order.
    pub members: Vec<EnumMember>,
}

/// A member of an enum, with its value if the enum has an underlying type.
#[derive(Clone, Debug)]
pub struct EnumMember {
    /// The name as written.
    pub name: Name,
    /// The value, a literal of the enum's underlying type, in range. `None` if and only if the enum
    /// has no underlying type.
    pub value: Option<num_bigint::BigInt>,
}

/// The kind of a record: struct, header or header union.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    /// A struct: plain members.
    Struct,
    /// A header: members in wire order (most significant bit first) and a validity bit. A header
    /// with several varbits is never extracted.
    Header,
    /// A header union: headers of which at most one is valid.
    Union,
}

/// A struct, header or header union.
#[derive(Clone, Debug)]
pub struct Record {
    /// The name as written.
    pub name: Name,
    /// The kind of record.
    pub kind: RecordKind,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The type parameters; see [`super::Type::Record`].
    pub type_params: Vec<Id<TypeVar>>,
    /// The fields, in order.
    pub fields: Vec<Field>,
}

/// A field of a record, with its type.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name as written.
    pub name: Name,
    /// The type, which may contain the record's type parameters.
    pub ty: TypeId,
    /// The annotations of the field, such as `@field_list(…)`.
    pub annotations: Annotations,
}

/// A new type that is declared with `type T N`.
#[derive(Clone, Debug)]
pub struct Newtype {
    /// The name as written.
    pub name: Name,
    /// The underlying type: `Bits`, `bool`, or another newtype.
    pub underlying: TypeId,
    /// The annotations such as `@p4runtime_translation`.
    pub annotations: Annotations,
}

/// The direction of a parameter (P4_16 section 6.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// No direction: compile-time values, extern objects, and action data from the control plane.
    None,
    /// The argument's value is copied in.
    In,
    /// Copied out. Starts uninitialized (headers start invalid).
    Out,
    /// The argument's value is copied in, and copied out at the end.
    InOut,
}

/// A parameter. The variable has the parameter's name, type and annotations.
#[derive(Clone, Debug)]
pub struct Param {
    /// The variable that represents the parameter in the body.
    pub var: VarId,
    /// The direction in which the argument is copied.
    pub direction: Direction,
    /// The default value, a compile-time constant of exactly the parameter's type. Calls that omit
    /// the argument pass this value.
    pub default: Option<Expr>,
    /// `@optional`: the argument may be omitted.
    pub optional: bool,
}

/// The kind of a variable: local or parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// A variable declared by a statement, by a loop, or as a local of a block.
    Local,
    /// A parameter that gets its value at run time.
    Param(Direction),
    /// A parameter without direction of a function, parser or control: read-only, with a
    /// compile-time value in each call (for an extern object, the object).
    ConstantParam,
    /// A constructor parameter: read-only and known at compile time.
    ConstructorParam,
}

/// A variable or parameter with its type.
#[derive(Clone, Debug)]
pub struct Var {
    /// The name as written. Names of fresh variables made by the checker start with `$`.
    pub name: Name,
    /// The type of the variable's values.
    pub ty: TypeId,
    /// Whether the variable is local or a parameter.
    pub kind: VarKind,
    /// The annotations of the declaration.
    pub annotations: Annotations,
}

/// A constant `const T x = e;` in any scope.
#[derive(Clone, Debug)]
pub struct Const {
    /// The name as written.
    pub name: Name,
    /// The type of the constant's value.
    pub ty: TypeId,
    /// The value, of exactly that type. It is a compile-time constant given the constructor
    /// parameters in scope.
    pub init: Expr,
    /// The annotations of the declaration.
    pub annotations: Annotations,
}

/// A function with a body. Every path returns a value unless the return type is `Void`.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The type parameters of the function.
    pub type_params: Vec<Id<TypeVar>>,
    /// The type of the returned value.
    pub return_type: TypeId,
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// The statements of the function.
    pub body: Block,
    /// The location of the whole declaration.
    pub span: Span,
}

/// The signature of an extern function or of an extern's method or constructor.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The name as written. A constructor has the extern's name.
    pub name: Name,
    /// The annotations such as `@deprecated` and `@pure`.
    pub annotations: Annotations,
    /// The type parameters of the function itself: those with a name, then one for each `_` in the
    /// types of the parameters.
    pub type_params: Vec<Id<TypeVar>>,
    /// The return type; `Void` for constructors.
    pub return_type: TypeId,
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// Whether the method is `abstract`, so that each instantiation implements it.
    pub is_abstract: bool,
    /// The location of the whole prototype.
    pub span: Span,
}

/// An extern object type with its constructors and methods.
#[derive(Clone, Debug)]
pub struct Extern {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The type parameters of the object.
    pub type_params: Vec<Id<TypeVar>>,
    /// The constructors. Overloads differ in their parameters.
    pub constructors: Vec<Signature>,
    /// The methods. Overloads have the same name and differ in their parameters.
    pub methods: Vec<Signature>,
}

/// `parser P<…>(…);` or `control C<…>(…);`: a signature without a body.
#[derive(Clone, Debug)]
pub struct BlockType {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration, such as `@pipeline` and `@deparser`.
    pub annotations: Annotations,
    /// Whether it is a parser; otherwise it is a control.
    pub is_parser: bool,
    /// The type parameters of the parser or control type.
    pub type_params: Vec<Id<TypeVar>>,
    /// The parameters, in order.
    pub params: Vec<Param>,
}

/// A package type, declared as `package P<…>(…);`.
#[derive(Clone, Debug)]
pub struct Package {
    /// The name as written.
    pub name: Name,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// The type parameters of the package.
    pub type_params: Vec<Id<TypeVar>>,
    /// A type parameter of the constructor for each `_` in the types of its parameters.
    pub wildcards: Vec<Id<TypeVar>>,
    /// The parameters of the package's constructor.
    pub params: Vec<Param>,
}

/// A declared instance: `T(args) name;`.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The name as written. For a direct application (`C.apply(…)`) it is the type's name, which
    /// the control plane uses.
    pub name: Name,
    /// The type with its type arguments.
    pub ty: TypeId,
    /// The constructor that makes the instance, and its arguments.
    pub construct: Construct,
    /// The implementations of abstract methods.
    pub methods: Vec<AbstractImplementation>,
    /// The instances declared in the initializer, which are visible to these methods.
    pub members: Vec<Id<Instance>>,
    /// The annotations of the declaration.
    pub annotations: Annotations,
    /// Whether the checker made it for a direct application.
    pub direct: bool,
}

/// The implementation of an abstract method in an instance's initializer.
#[derive(Clone, Debug)]
pub struct AbstractImplementation {
    /// The index in the extern's methods.
    pub method: usize,
    /// The function with the body. It is not in [`super::Program::declarations`].
    pub function: FunctionId,
    /// For each parameter of the function, the position of the corresponding parameter of the
    /// method, in ascending order. The function omits the method's other parameters, which are
    /// optional.
    pub params: Vec<usize>,
}
