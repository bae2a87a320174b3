//! Calls and instantiations with their arguments.

use weir_syntax::Span;

use super::{
    ControlId, Direction, Expr, ExternFunctionId, ExternId, FunctionId, PackageId, Param, ParserId, Program,
    Type, TypeId,
};

/// A call.
///
/// Lowering may assume that overloads are resolved, that `args` has exactly one item for each
/// parameter, in parameter order (evaluation order is by [`Arg::order`]), and that the call is
/// allowed in its context.
#[derive(Clone, Debug)]
pub struct Call {
    /// The callee.
    pub callee: Callee,
    /// One type argument for each type parameter of the function or method. (Those of the extern
    /// object are in the object's type.)
    pub type_args: Vec<TypeId>,
    /// One argument for each parameter.
    pub args: Vec<Arg>,
    /// The location of the whole call.
    pub span: Span,
}

impl Call {
    /// Returns the callee's parameters. Methods of headers and stacks have none.
    pub fn params<'p>(&self, program: &'p Program) -> &'p [Param] {
        match &self.callee {
            Callee::Function(id) => &program.functions[*id].params,
            Callee::Action(id) => &program.actions[*id].params,
            Callee::ExternFunction(id) => &program.extern_functions[*id].0.params,
            Callee::Method { decl, method, .. } => &program.externs[*decl].methods[*method].params,
            Callee::ApplyParser(object) | Callee::ApplyControl(object) => match program.types[object.ty] {
                Type::Parser { decl, .. } => &program.parsers[decl].params,
                Type::Control { decl, .. } => &program.controls[decl].params,
                Type::BlockType { decl, .. } => &program.block_types[decl].params,
                _ => &[],
            },
            Callee::SetValid(_) | Callee::SetInvalid(_) => &[],
            Callee::PushFront { .. } | Callee::PopFront { .. } => &[],
        }
    }

    /// Returns the values that are passed, each with its parameter.
    pub fn passed<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = (&'a Param, &'a Expr)> {
        self.params(program).iter().zip(&self.args).filter_map(|(param, arg)| match &arg.value {
            ArgValue::Expr(value) => Some((param, value)),
            ArgValue::DontCare | ArgValue::Omitted => None,
        })
    }

    /// Returns the places that the callee may write: those for `out` and `inout` parameters.
    pub fn written_places<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = &'a Expr> {
        let written = |param: &Param| matches!(param.direction, Direction::Out | Direction::InOut);
        self.passed(program).filter(move |(param, _)| written(param)).map(|(_, place)| place)
    }

    /// Returns whether the callee's code is outside the program.
    pub fn is_extern(&self) -> bool {
        matches!(self.callee, Callee::ExternFunction(_) | Callee::Method { .. })
    }
}

/// The callee of a [`Call`].
#[derive(Clone, Debug)]
pub enum Callee {
    /// A call of a function with a body.
    Function(FunctionId),
    /// An action, called directly. Directionless parameters are passed like `in` parameters.
    Action(ActionRef),
    /// A call of an extern function.
    ExternFunction(ExternFunctionId),
    /// A method of an extern object.
    Method {
        /// The object: `Instance`, `Var` (a parameter such as `packet_in b`, or a constructor
        /// parameter) or `This`.
        object: Expr,
        /// The extern that declares the method.
        decl: ExternId,
        /// The index in the extern's methods.
        method: usize,
    },
    /// `p.apply(…)` of a parser with a body or of a block type. The object is an `Instance` or a
    /// constructor parameter.
    ApplyParser(Expr),
    /// `c.apply(…)` of a control with a body or of a block type. The object is an `Instance` or a
    /// constructor parameter.
    ApplyControl(Expr),
    /// `header.setValid()`, without arguments. The place is a header.
    SetValid(Expr),
    /// `header.setInvalid()`, without arguments. The place is a header.
    SetInvalid(Expr),
    /// `stack.push_front(count)`. The call's `args` are empty.
    PushFront {
        /// The stack, a place.
        stack: Expr,
        /// The count, constant and positive.
        count: u32,
    },
    /// `stack.pop_front(count)`. The call's `args` are empty.
    PopFront {
        /// The stack, a place.
        stack: Expr,
        /// The count, constant and positive.
        count: u32,
    },
}

/// The id of an action; an alias for readable signatures.
pub type ActionRef = super::ActionId;

/// The argument that a call gives one parameter.
#[derive(Clone, Debug)]
pub struct Arg {
    /// The value that is passed.
    pub value: ArgValue,
    /// The position in the source's argument list, which determines the evaluation order. Arguments
    /// filled in by the checker come last.
    pub order: usize,
    /// The location of the argument; for one filled in by the checker, of the call.
    pub span: Span,
}

/// The argument that a call passes for a parameter.
#[derive(Clone, Debug)]
pub enum ArgValue {
    /// A value for an `in` or directionless parameter (possibly the parameter's default), or a
    /// place ([`Expr::is_place`]) of exactly the parameter's type for an `out` or `inout`
    /// parameter.
    Expr(Expr),
    /// `_` for an `out` parameter: the result is discarded.
    DontCare,
    /// An argument that is omitted for an `@optional` parameter.
    Omitted,
}

/// The object that an instantiation constructs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constructor {
    /// An extern object through one of its constructors.
    Extern {
        /// The declaration of the extern object type.
        decl: ExternId,
        /// The index of the constructor among those of the type.
        constructor: usize,
    },
    /// The constructor of a parser with a body.
    Parser(ParserId),
    /// The constructor of a control with a body.
    Control(ControlId),
    /// The constructor of a package.
    Package(PackageId),
}

/// An instantiation: a constructor and its arguments, one for each constructor parameter, in order.
/// The arguments are compile-time constants given the enclosing block's constructor parameters.
#[derive(Clone, Debug)]
pub struct Construct {
    /// The constructed object.
    pub constructor: Constructor,
    /// One type argument for each type parameter of the instantiated declaration.
    pub type_args: Vec<TypeId>,
    /// One argument for each constructor parameter.
    pub args: Vec<Arg>,
    /// The location of the whole instantiation.
    pub span: Span,
}
