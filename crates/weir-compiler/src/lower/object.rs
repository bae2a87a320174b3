//! Objects: instances as compile-time values.

use std::rc::Rc;

use weir_ir as ir;

use crate::hir;

/// An instance, as a value while compiling.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    /// An extern object.
    Extern(ir::ExternId),
    /// A parser or control, by position in [`Lowerer::blocks`].
    Block(usize),
    /// A package.
    Package(Rc<ir::Package>),
    /// The one of several extern objects that a variable chooses: what a parameter of a block
    /// stands for that is applied with each of them.
    Choice(ir::VarId, Rc<[ir::ExternId]>),
}

/// Which block an instance is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockDeclaration {
    Parser(hir::ParserId),
    Control(hir::ControlId),
}
