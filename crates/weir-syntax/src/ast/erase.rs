//! Comparison of trees without locations, by resetting all spans and ids.

use super::*;
use num_bigint::BigInt;

/// A node whose spans and ids can be reset to [`Span::NONE`] and 0, so that `==` ignores them.
pub trait EraseLocations {
    /// Resets all spans and ids in the tree.
    fn erase_locations(&mut self);
}

/// Returns whether the two programs are equal apart from spans and ids.
pub fn same_program(left: &Program, right: &Program) -> bool {
    let erased = |program: &Program| {
        let mut copy = program.clone();
        copy.erase_locations();
        copy
    };
    erased(left) == erased(right)
}

impl EraseLocations for Span {
    fn erase_locations(&mut self) {
        *self = Span::NONE;
    }
}

impl EraseLocations for NodeId {
    fn erase_locations(&mut self) {
        *self = NodeId(0);
    }
}

impl<T: EraseLocations> EraseLocations for Vec<T> {
    fn erase_locations(&mut self) {
        self.iter_mut().for_each(T::erase_locations);
    }
}

impl<T: EraseLocations> EraseLocations for Option<T> {
    fn erase_locations(&mut self) {
        self.iter_mut().for_each(T::erase_locations);
    }
}

impl<T: EraseLocations> EraseLocations for Box<T> {
    fn erase_locations(&mut self) {
        T::erase_locations(self);
    }
}

macro_rules! without_locations {
    ($($ty:ty),*) => { $(impl EraseLocations for $ty { fn erase_locations(&mut self) {} })* };
}

without_locations!(bool, BigInt, Arc<str>, IntegerLiteral, Direction, UnaryOp, BinaryOp);

// The patterns name every field and variant, so that a new one cannot be forgotten.
macro_rules! structs {
    ($($name:ident { $($field:ident),* })*) => { $(
        impl EraseLocations for $name {
            fn erase_locations(&mut self) {
                let $name { $($field),* } = self;
                $($field.erase_locations();)*
            }
        }
    )* };
}

macro_rules! enums {
    ($($name:ident { $($variant:ident $(($($part:ident),*))?),* })*) => { $(
        impl EraseLocations for $name {
            fn erase_locations(&mut self) {
                match self { $($name::$variant $(($($part),*))? => { $($($part.erase_locations();)*)? })* }
            }
        }
    )* };
}

impl EraseLocations for Program {
    fn erase_locations(&mut self) {
        self.declarations.erase_locations();
        self.node_count = 0;
    }
}

structs! {
    Name { text, span }
    Annotation { name, body, span }
    AnnotationToken { kind, span }
    TypeRef { id, span, kind }
    NamedType { global, name, args }
    Expr { id, span, kind }
    PathName { global, name }
    MemberExpr { base, member }
    IndexExpr { base, index }
    SliceExpr { base, high, low }
    PlusSliceExpr { base, low, width }
    CallExpr { callee, type_args, args }
    Argument { name, value, span }
    StructExpr { fields, rest }
    KeyValue { name, value, span }
    CastExpr { ty, operand }
    UnaryExpr { op, operand }
    ChainExpr { first, links }
    ChainLink { op, op_span, operand, span }
    TernaryExpr { condition, then, otherwise }
    Stmt { id, span, kind }
    Block { annotations, statements, span }
    AssignStmt { target, op, op_span, value }
    DirectApplication { ty, args }
    IfStmt { links, otherwise }
    IfLink { span, condition, then }
    SwitchStmt { subject, cases }
    SwitchCase { label, block, span }
    ForStmt { annotations, init, condition, update, body }
    ForInStmt { annotations, variable_id, variable_annotations, ty, variable, collection, body }
    ParserState { id, span, annotations, name, statements, transition }
    Transition { span, kind }
    SelectExpr { id, span, keys, cases }
    SelectCase { span, keyset, state }
    Keyset { id, span, kind }
    TableDecl { properties }
    TableProperty { id, span, annotations, kind }
    KeyElement { id, span, expr, match_kind, annotations }
    ActionListItem { id, span, annotations, action }
    ActionRef { id, span, name, args }
    EntriesProperty { is_const, entries }
    Entry { id, span, is_const, priority, keyset, action, annotations }
    CustomProperty { is_const, name, value }
    Declaration { id, span, annotations, name, kind }
    ConstantDecl { ty, value }
    VariableDecl { ty, init }
    InstantiationDecl { ty, args, initializer }
    Parameter { id, span, annotations, direction, ty, name, default }
    TypeParameter { id, name }
    Signature { return_type, type_params, params }
    FunctionDecl { signature, body }
    ApplySignature { type_params, params }
    ActionDecl { params, body }
    ParserDecl { signature, constructor_params, locals, states }
    ControlDecl { signature, constructor_params, locals, apply }
    ExternObjectDecl { type_params, methods }
    MethodDecl { id, span, annotations, name, kind }
    FieldsDecl { type_params, fields }
    Field { id, span, annotations, ty, name }
    EnumDecl { members }
    EnumMember { id, name }
    SerializableEnumDecl { ty, members }
    SerializableEnumMember { id, name, value }
    ValueSetDecl { ty, size }
}

enums! {
    AnnotationBody { Empty, Unstructured(tokens, reading), Expressions(list), KeyValues(list) }
    AnnotationTokenKind { Word(text), Integer(text), String(text), Punctuation(text) }
    TypeRefKind {
        Bool, Error, MatchKind, String, Void, Int, Bit(width), SignedInt(width), Varbit(width), Named(named),
        Stack(element, size), Tuple(types), List(element), DontCare
    }
    ExprKind {
        Bool(value), Integer(value), String(value), Name(name), This, Default, InvalidHeader, ErrorMember(name),
        Type(ty), Member(e), Index(e), Slice(e), PlusSlice(e), Call(e), List(list), Struct(e), Cast(e), Unary(e),
        Chain(e), Ternary(e), Malformed
    }
    StmtKind {
        Empty, Block(block), Declaration(d), Assign(s), Call(e), DirectApplication(s), If(s), Switch(s), For(s),
        ForIn(s), Return(e), Exit, Break, Continue
    }
    SwitchLabel { Default, Expr(e) }
    ForCollection { Expr(e), Range(first, last) }
    TransitionKind { Direct(name), Select(e) }
    KeysetKind { Default, DontCare, Value(e), Mask(e, mask), Range(first, last), Tuple(sets) }
    TablePropertyKind { Key(list), Actions(list), Entries(e), Custom(p) }
    EntryPriority { Literal(value, span), Expr(e) }
    DeclKind {
        Constant(d), Variable(d), Instantiation(d), ExternObject(d), ExternFunction(d), Function(d), Action(d),
        Parser(d), ParserType(d), Control(d), ControlType(d), PackageType(d), Header(d), HeaderUnion(d), Struct(d),
        Enum(d), SerializableEnum(d), Typedef(d), Type(d), Error(d), MatchKind(d), ValueSet(d), Table(d)
    }
    AliasTarget { Type(ty), Declared(d) }
    MethodKind { Constructor(params), Method(signature), Abstract(signature) }
}
