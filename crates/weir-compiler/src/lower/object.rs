//! Objects: instances as compile-time values.

use std::rc::Rc;

use weir_ir as ir;

use crate::hir;

/// An instance as a compile-time value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    /// An extern object.
    Extern(ir::ExternId),
    /// A parser or control, by its index in [`Lowerer::blocks`].
    Block(usize),
    /// A package.
    Package(Rc<ir::Package>),
    /// One of several extern objects, selected by a variable at run time: the value of a block's
    /// parameter for which applications pass different objects.
    Choice(ir::VarId, Rc<[ir::ExternId]>),
}

/// The declaration of the block that is instantiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockDeclaration {
    Parser(hir::ParserId),
    Control(hir::ControlId),
}
