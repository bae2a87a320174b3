//! The context of the code that is being lowered, which determines the meaning of names and the
//! destination of statements.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use weir_ir as ir;
use weir_syntax::with_stack;

use super::callable::{LoweredAction, LoweredTable};
use super::object::Object;
use super::state_builder::{StateBuilder, StateLoop};
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir;

/// The meaning of a variable's name while code is lowered.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// The place at which the variable's value is stored.
    Store(Store),
    /// A constructor parameter's value.
    Value(Value),
}

/// The names of one instance of a block, one instantiation of a function, or the top level (frame
/// 0).
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// Prefix of its variables' names, empty at the top level.
    pub storage: String,
    /// Prefix of control-plane names; empty at the top level.
    pub control_plane: String,
    /// The type parameters of the block or function, and their type arguments.
    pub type_params: Vec<hir::TypeVarId>,
    pub type_args: Vec<hir::TypeId>,
    pub vars: FxHashMap<hir::VarId, Binding>,
    pub instances: FxHashMap<hir::InstanceId, Object>,
    pub actions: FxHashMap<hir::ActionId, Rc<LoweredAction>>,
    pub tables: FxHashMap<hir::TableId, Rc<LoweredTable>>,
    pub value_sets: FxHashMap<hir::ValueSetId, ir::ValueSetId>,
    /// The object whose abstract method is implemented here.
    pub this: Option<ir::ExternId>,
    /// Whether `exit` must unwind through callers that copy out.
    pub unwind: bool,
    /// The number of times that each instance is applied in this frame's block.
    pub applications: FxHashMap<hir::InstanceId, usize>,
}

impl Frame {
    /// The index of the frame of the program's global declarations.
    pub(super) const GLOBAL: usize = 0;

    /// Returns a frame with the names that are visible to a declaration in this frame.
    pub(super) fn enclosing_frame(&self) -> Self {
        Self {
            vars: self.vars.clone(),
            instances: self.instances.clone(),
            actions: self.actions.clone(),
            value_sets: self.value_sets.clone(),
            type_params: self.type_params.clone(),
            type_args: self.type_args.clone(),
            this: self.this,
            ..Self::default()
        }
    }

    /// Creates the frame of the program's global declarations.
    pub(super) fn global() -> Self {
        Self { unwind: true, ..Self::default() }
    }
}

/// The kind of body that is being lowered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BodyKind {
    /// A parser's states.
    Parser,
    /// The `apply` block of a control that the package uses.
    #[default]
    Control,
    /// A function, an action or a sub-control.
    Routine,
}

/// The context of the body that is being lowered.
#[derive(Debug, Default)]
pub(super) struct Context {
    pub frame: usize,
    /// The statements that were lowered so far.
    pub output: Vec<ir::Stmt>,
    /// The location of the current statement.
    pub loc: ir::Loc,
    pub kind: BodyKind,
    /// Prefix of the names of this body's variables.
    pub storage: String,
    /// Whether the code runs at most once per pass, so that storage is still zero at its
    /// declaration.
    pub once: bool,
    /// The storage for the value of `return`.
    pub result: Option<Store>,
    /// `exit` sets the flag and returns, since some caller copies out.
    pub unwind: bool,
    /// Whether an `exit` may have set the flag when this body ends.
    pub may_unwind: bool,
    /// The parser whose states are being built.
    pub states: Option<StateBuilder>,
    /// The number of `if` statements that enclose the current statement.
    pub chains: u32,
    /// The enclosing loops; `Some` for loops that consist of parser states.
    pub loops: Vec<Option<StateLoop>>,
}

impl Context {
    /// Returns whether the body is a function's, an action's or a sub-control's.
    pub(super) fn is_routine(&self) -> bool {
        matches!(self.kind, BodyKind::Routine)
    }
}

impl Lowerer<'_> {
    /// Runs `body` in the context `inner`. Returns the result of `body` and the context as `body`
    /// left it.
    pub(super) fn in_context<T>(
        &mut self,
        inner: Context,
        body: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> (Lowered<T>, Context) {
        let outer = std::mem::replace(&mut self.cx, inner);
        let result = with_stack(|| body(self));
        let inner = std::mem::replace(&mut self.cx, outer);
        (result, inner)
    }

    /// Collects the statements that `body` emits instead of appending them.
    pub(super) fn collect<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<(T, Vec<ir::Stmt>)> {
        let outer = std::mem::take(&mut self.cx.output);
        let result = body(self);
        let collected = std::mem::replace(&mut self.cx.output, outer);
        result.map(|value| (value, collected))
    }

    /// Appends a statement to the code that is being lowered.
    pub(super) fn emit(&mut self, kind: ir::StmtKind) {
        self.code += 1;
        self.cx.output.push(ir::Stmt { kind, loc: self.cx.loc });
    }

    /// Returns the binding of a variable in the current frame or at the top level.
    pub(super) fn binding(&self, var: hir::VarId) -> Option<&Binding> {
        self.frames[self.cx.frame].vars.get(&var).or_else(|| self.frames[Frame::GLOBAL].vars.get(&var))
    }

    /// Binds a variable to `binding` in the current frame.
    pub(super) fn bind(&mut self, var: hir::VarId, binding: Binding) {
        self.frames[self.cx.frame].vars.insert(var, binding);
    }

    /// Allocates storage for a variable of the current frame, unless it already has storage because
    /// a sub-parser is expanded twice.
    pub(super) fn declare(&mut self, var: hir::VarId) -> Lowered<Store> {
        if let Some(Binding::Store(known)) = self.frames[self.cx.frame].vars.get(&var) {
            return Ok(known.clone());
        }
        let declaration = &self.hir.vars[var];
        let name =
            super::names::qualified_name(&self.cx.storage, declaration.name.text.trim_start_matches('$'));
        let store = self.allocate(declaration.ty, &name, &declaration.annotations, declaration.name.span)?;
        self.bind(var, Binding::Store(store.clone()));
        Ok(store)
    }

    /// Makes storage for an intermediate value.
    pub(super) fn temporary(&mut self, ty: hir::TypeId) -> Lowered<Store> {
        let name = super::names::qualified_name(&self.cx.storage, "tmp");
        self.allocate(ty, &name, &hir::Annotations::default(), weir_syntax::Span::NONE)
    }

    /// Makes a separate header with the value of a header.
    pub(super) fn stored_header(&mut self, value: &Value, ty: hir::TypeId) -> Lowered<Option<ir::HeaderId>> {
        let store = self.temporary(ty)?;
        self.store(&store, value.clone())?;
        Ok(if let Store::Header { id, .. } = store { Some(id) } else { None })
    }

    /// Makes a variable for an intermediate scalar.
    pub(super) fn temporary_var(&mut self, ty: ir::Type) -> ir::VarId {
        let name = super::names::qualified_name(&self.cx.storage, "tmp");
        let name = self.names.unique(super::names::NameKind::Storage, &name);
        self.scalar_var(&name, ty, ir::VarRole::Plain, Vec::new(), ir::Loc::NONE)
    }
}
