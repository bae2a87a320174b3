//! Manages scopes and the names bound in them.

use std::rc::Rc;

use indexmap::IndexMap;
use weir_syntax::Span;

use crate::hir;

/// The meaning of a name in scope.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A constant of the program.
    Const(hir::ConstId),
    /// A variable or parameter of the program.
    Var(hir::VarId),
    /// An instance of an extern, block or package.
    Instance(hir::InstanceId),
    /// A table of the enclosing control.
    Table(hir::TableId),
    /// A parser value set.
    ValueSet(hir::ValueSetId),
    /// Functions, extern functions and actions; several if overloaded.
    Callables(Rc<Vec<Callable>>),
    /// A type of any kind, possibly generic.
    Type(TypeSymbol),
    /// An invalid declaration: its uses are poisoned without further errors.
    Poison,
}

/// A declaration that is called by its name alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Callable {
    Function(hir::FunctionId),
    Extern(hir::ExternFunctionId),
    Action(hir::ActionId),
}

/// The meaning of a type name in scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TypeSymbol {
    /// A typedef, newtype, enum or type variable, which takes no type arguments.
    Plain(hir::TypeId),
    Record(hir::RecordId),
    Extern(hir::ExternId),
    BlockType(hir::BlockTypeId),
    Package(hir::PackageId),
    Parser(hir::ParserId),
    Control(hir::ControlId),
}

/// A name's meaning, the location of its declaration, and whether it is used.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub symbol: Symbol,
    pub span: Span,
    pub used: bool,
    /// The kind of declaration, for the warning that the name is unused; `None` for no warning.
    pub watch: Option<&'static str>,
}

/// The stack of open scopes, starting with the top level.
#[derive(Debug)]
pub(super) struct Scopes {
    stack: Vec<IndexMap<String, Binding>>,
}

impl Scopes {
    /// Creates scopes with only the top level open.
    pub fn new() -> Self {
        Self { stack: vec![IndexMap::new()] }
    }

    /// Opens an inner scope for names.
    pub fn open(&mut self) {
        self.stack.push(IndexMap::new());
    }

    /// Closes the innermost scope and returns its bindings.
    pub fn close(&mut self) -> IndexMap<String, Binding> {
        self.stack.pop().unwrap_or_default()
    }

    /// Returns the number of open scopes; 1 at the top level.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Returns all bindings of the top level.
    pub fn top_level(&self) -> &IndexMap<String, Binding> {
        &self.stack[0]
    }

    /// Returns the binding of `name` in the innermost scope only.
    pub fn innermost(&self, name: &str) -> Option<&Binding> {
        self.stack.last()?.get(name)
    }

    /// Like [`Self::innermost`], but mutable, to add an overload.
    pub fn innermost_mut(&mut self, name: &str) -> Option<&mut Binding> {
        self.stack.last_mut()?.get_mut(name)
    }

    /// Returns the outer binding that a declaration of `name` would shadow, and its depth (1 is the
    /// top level).
    pub fn shadowed(&self, name: &str) -> Option<(usize, &Binding)> {
        let enclosing = self.stack.len() - 1;
        (0..enclosing).rev().find_map(|depth| Some((depth + 1, self.stack[depth].get(name)?)))
    }

    /// Binds `name` in the innermost scope, replacing any binding there.
    pub fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.stack.last_mut() {
            scope.insert(name.to_owned(), binding);
        }
    }

    /// Returns the innermost binding of `name` and marks it as used. Names with a leading dot set
    /// `top_only`.
    pub fn resolve(&mut self, name: &str, top_only: bool) -> Option<&Binding> {
        let scopes = if top_only { 1 } else { self.stack.len() };
        let binding = self.stack[..scopes].iter_mut().rev().find_map(|scope| scope.get_mut(name))?;
        binding.used = true;
        Some(binding)
    }

    /// Returns the innermost binding of `name` without marking it as used.
    pub fn resolve_unmarked(&self, name: &str) -> Option<&Binding> {
        self.stack.iter().rev().find_map(|scope| scope.get(name))
    }

    /// Returns all names in scope that `wanted` accepts, for suggestions.
    pub fn names(&self, wanted: impl Fn(&Symbol) -> bool) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for scope in self.stack.iter().rev() {
            names.extend(scope.iter().filter(|(_, b)| wanted(&b.symbol)).map(|(name, _)| name.as_str()));
        }
        names
    }
}
