//! Declarations, top-level and local.

use super::{Annotation, Argument, Block, Expr, Name, NodeId, ParserState, TableDecl, TypeRef};
use crate::span::Span;

/// A declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The node's id.
    pub id: NodeId,
    /// The text, from its annotations to its last token.
    pub span: Span,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The declared name; `None` for `error`, `match_kind` and a broken declaration.
    pub name: Option<Name>,
    /// The kind of declaration.
    pub kind: DeclKind,
}

impl Declaration {
    /// Returns the declared name as a plain string, empty if there is none.
    pub fn name_str(&self) -> &str {
        self.name.as_ref().map_or("", |n| n.as_str())
    }
}

/// The forms of declarations.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclKind {
    /// `const type name = value;`
    Constant(ConstantDecl),
    /// `type name;`, `type name = value;`: local only.
    Variable(VariableDecl),
    /// `Type(args) name;`
    Instantiation(InstantiationDecl),
    /// `extern name { … }`
    ExternObject(ExternObjectDecl),
    /// `extern type name(…);`
    ExternFunction(Signature),
    /// `type name(…) { … }`
    Function(FunctionDecl),
    /// `action name(…) { … }`
    Action(ActionDecl),
    /// `parser name(…) { … }`
    Parser(ParserDecl),
    /// `parser name(…);`
    ParserType(ApplySignature),
    /// `control name(…) { … }`
    Control(ControlDecl),
    /// `control name(…);`
    ControlType(ApplySignature),
    /// `package name(…);`
    PackageType(ApplySignature),
    /// `header name { … }`
    Header(FieldsDecl),
    /// `header_union name { … }`
    HeaderUnion(FieldsDecl),
    /// `struct name { … }`
    Struct(FieldsDecl),
    /// `enum name { a, b }`
    Enum(EnumDecl),
    /// `enum bit<8> name { a = 1, b = 2 }`
    SerializableEnum(SerializableEnumDecl),
    /// `typedef type name;`
    Typedef(AliasTarget),
    /// `type type name;`: a new type with the same values.
    Type(TypeRef),
    /// `error { a, b }`: adds to the errors.
    Error(Vec<EnumMember>),
    /// `match_kind { a, b }`: adds to the match kinds.
    MatchKind(Vec<EnumMember>),
    /// `value_set<type>(size) name;`: in parsers only.
    ValueSet(ValueSetDecl),
    /// `table name { … }`: in controls only.
    Table(TableDecl),
}

/// A compile-time constant.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantDecl {
    /// The type.
    pub ty: TypeRef,
    /// The value.
    pub value: Expr,
}

/// A local variable.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableDecl {
    /// The type.
    pub ty: TypeRef,
    /// The initial value.
    pub init: Option<Expr>,
}

/// An instance of an extern, control, parser or package.
#[derive(Clone, Debug, PartialEq)]
pub struct InstantiationDecl {
    /// The instantiated type.
    pub ty: TypeRef,
    /// The constructor's arguments.
    pub args: Vec<Argument>,
    /// `= { functions and instances }`: the implementations of abstract methods.
    pub initializer: Option<Vec<Declaration>>,
}

/// Direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// No direction: the argument is a compile-time value, or comes from the control plane (for
    /// actions).
    None,
    /// `in`
    In,
    /// `out`
    Out,
    /// `inout`
    InOut,
}

impl Direction {
    /// Returns the keyword, empty for [`Direction::None`].
    pub fn keyword(self) -> &'static str {
        match self {
            Direction::None => "",
            Direction::In => "in",
            Direction::Out => "out",
            Direction::InOut => "inout",
        }
    }
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The node's id.
    pub id: NodeId,
    /// The text, from its annotations to its default.
    pub span: Span,
    /// The annotations before it: `@optional`.
    pub annotations: Vec<Annotation>,
    /// The direction.
    pub direction: Direction,
    /// The type.
    pub ty: TypeRef,
    /// The name.
    pub name: Name,
    /// The default value.
    pub default: Option<Expr>,
}

/// A type parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeParameter {
    /// The node's id.
    pub id: NodeId,
    /// The name.
    pub name: Name,
}

/// Return type, type parameters and parameters of a function or method.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The return type; [`TypeRefKind::Void`](super::TypeRefKind::Void) for none.
    pub return_type: TypeRef,
    /// The type parameters.
    pub type_params: Vec<TypeParameter>,
    /// The parameters.
    pub params: Vec<Parameter>,
}

/// A function with its body.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDecl {
    /// The signature.
    pub signature: Signature,
    /// The body.
    pub body: Block,
}

/// Type parameters and parameters of a parser, control or package type.
#[derive(Clone, Debug, PartialEq)]
pub struct ApplySignature {
    /// The type parameters.
    pub type_params: Vec<TypeParameter>,
    /// The parameters: run-time parameters of parsers and controls, constructor parameters of
    /// packages.
    pub params: Vec<Parameter>,
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionDecl {
    /// The parameters.
    pub params: Vec<Parameter>,
    /// The body.
    pub body: Block,
}

/// A parser with its body.
#[derive(Clone, Debug, PartialEq)]
pub struct ParserDecl {
    /// Type parameters and run-time parameters.
    pub signature: ApplySignature,
    /// The constructor parameters; `None` without a second pair of parentheses.
    pub constructor_params: Option<Vec<Parameter>>,
    /// The constants, variables, instances and value sets.
    pub locals: Vec<Declaration>,
    /// The states.
    pub states: Vec<ParserState>,
}

/// A control with its body.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlDecl {
    /// Type parameters and run-time parameters.
    pub signature: ApplySignature,
    /// The constructor parameters; `None` without a second pair of parentheses.
    pub constructor_params: Option<Vec<Parameter>>,
    /// The constants, actions, tables, instances and variables.
    pub locals: Vec<Declaration>,
    /// The `apply` block.
    pub apply: Block,
}

/// An extern object type.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternObjectDecl {
    /// The type parameters.
    pub type_params: Vec<TypeParameter>,
    /// The constructors and methods in order.
    pub methods: Vec<MethodDecl>,
}

/// A constructor or method of an extern object.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodDecl {
    /// The node's id.
    pub id: NodeId,
    /// The text, from its annotations to `;`.
    pub span: Span,
    /// The annotations before it: `@synchronous`, `@pure` …
    pub annotations: Vec<Annotation>,
    /// The name; a constructor has the name of its extern.
    pub name: Name,
    /// The kind of method.
    pub kind: MethodKind,
}

/// The forms of methods.
#[derive(Clone, Debug, PartialEq)]
pub enum MethodKind {
    /// `name(parameters);`
    Constructor(Vec<Parameter>),
    /// `type name(parameters);`
    Method(Signature),
    /// `abstract type name(parameters);`, implemented by each instance.
    Abstract(Signature),
}

/// The body of a header, header union or struct.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldsDecl {
    /// The type parameters.
    pub type_params: Vec<TypeParameter>,
    /// The fields in order.
    pub fields: Vec<Field>,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The node's id.
    pub id: NodeId,
    /// The text, from its annotations to `;`.
    pub span: Span,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The type.
    pub ty: TypeRef,
    /// The name.
    pub name: Name,
}

/// The members of an enum without an underlying type.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumDecl {
    /// The members in order.
    pub members: Vec<EnumMember>,
}

/// A member of an enum, of `error` or of `match_kind`.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumMember {
    /// The node's id.
    pub id: NodeId,
    /// The name.
    pub name: Name,
}

/// An enum with an underlying type.
#[derive(Clone, Debug, PartialEq)]
pub struct SerializableEnumDecl {
    /// The underlying type.
    pub ty: TypeRef,
    /// The members in order.
    pub members: Vec<SerializableEnumMember>,
}

/// A member of an enum with an underlying type.
#[derive(Clone, Debug, PartialEq)]
pub struct SerializableEnumMember {
    /// The node's id.
    pub id: NodeId,
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Expr,
}

/// The type that a `typedef` names.
#[derive(Clone, Debug, PartialEq)]
pub enum AliasTarget {
    /// An existing type.
    Type(TypeRef),
    /// A header, header union, struct or enum declared inline.
    Declared(Box<Declaration>),
}

/// A parser value set.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSetDecl {
    /// The type of its values.
    pub ty: TypeRef,
    /// The maximum number of values in it.
    pub size: Expr,
}
