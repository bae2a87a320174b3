//! The items of a program that can have annotations.

use weir_syntax::Span;

use super::Annotations;

/// The annotations of an item, with the item's kind.
#[derive(Clone, Debug)]
pub struct AnnotatedItem {
    /// The item's annotations, at least one.
    pub annotations: Annotations,
    /// The kind of the item that has the annotations.
    pub kind: ItemKind,
    /// The whole item, with its annotations.
    pub span: Span,
}

/// The kind of item that an annotation is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemKind {
    /// The declaration of an action.
    Action,
    /// A parameter of an action that the control plane sets.
    ActionData,
    /// A block of statements.
    Block,
    /// The declaration of a parser or control type.
    BlockType,
    /// An instance of a parser or control.
    BlockInstance,
    /// The declaration of a constant.
    Constant,
    /// The declaration of a control.
    Control,
    /// A table entry.
    Entry,
    /// The declaration of an enum.
    Enum,
    /// A declaration of errors.
    Errors,
    /// An extern object type.
    Extern,
    /// A function with or without a body.
    Function,
    /// The declaration of a header.
    Header,
    /// A field of a header.
    HeaderField,
    /// An instance of an extern.
    Instance,
    /// A key of a table.
    Key,
    /// An action in a table's list.
    Listed,
    /// A loop statement.
    Loop,
    /// The package instance `main`.
    Main,
    /// A declaration of match kinds.
    MatchKinds,
    /// A method of an extern, or one of its constructors.
    Method,
    /// A type declared with `type`.
    NewType,
    /// A property of a table that constructs an object.
    ObjectProperty,
    /// A package type.
    Package,
    /// A parameter other than an action's data.
    Param,
    /// The declaration of a parser.
    Parser,
    /// A property of a table that constructs no object.
    Property,
    /// A state of a parser.
    State,
    /// The declaration of a struct.
    Struct,
    /// A field of a struct.
    StructField,
    /// The declaration of a table.
    Table,
    /// A type declared with `typedef`.
    Typedef,
    /// The declaration of a header union.
    Union,
    /// A field of a header union.
    UnionField,
    /// The declaration of a value set.
    ValueSet,
    /// The declaration of a variable.
    Variable,
}

impl ItemKind {
    /// Returns the kind in words, with its article.
    pub fn name(self) -> &'static str {
        match self {
            Self::Action => "an action",
            Self::ActionData => "data of an action",
            Self::Block => "a block of statements",
            Self::BlockInstance => "an instance of a parser or control",
            Self::BlockType => "a type of parsers or controls",
            Self::Constant => "a constant",
            Self::Control => "a control",
            Self::Entry => "an entry",
            Self::Enum => "an enum",
            Self::Errors => "a list of errors",
            Self::Extern => "an extern",
            Self::Function => "a function",
            Self::Header => "a header",
            Self::HeaderField => "a field of a header",
            Self::Instance => "an instance of an extern",
            Self::Key => "a key of a table",
            Self::Listed => "an action in a table's list",
            Self::Loop => "a loop",
            Self::Main => "the package `main`",
            Self::MatchKinds => "a list of match kinds",
            Self::Method => "a method of an extern",
            Self::NewType => "a type declared with `type`",
            Self::ObjectProperty => "a property of a table that makes an object",
            Self::Package => "a package type",
            Self::Param => "a parameter",
            Self::Parser => "a parser",
            Self::Property => "a property of a table",
            Self::State => "a state",
            Self::Struct => "a struct",
            Self::StructField => "a field of a struct",
            Self::Table => "a table",
            Self::Typedef => "a type declared with `typedef`",
            Self::Union => "a header union",
            Self::UnionField => "a field of a header union",
            Self::ValueSet => "a value set",
            Self::Variable => "a variable",
        }
    }
}
