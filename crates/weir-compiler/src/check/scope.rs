//! Names in scope, innermost first.

use std::rc::Rc;

use indexmap::IndexMap;
use weir_syntax::Span;

use crate::hir;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A constant.
    Const(hir::ConstId),
    /// A variable or parameter.
    Var(hir::VarId),
    /// An instance.
    Instance(hir::InstanceId),
    /// A table of the enclosing control.
    Table(hir::TableId),
    /// A value set.
    ValueSet(hir::ValueSetId),
    /// Functions, extern functions and actions; several if overloaded.
    Callables(Rc<Vec<Callable>>),
    /// A type of any kind, with the number of type arguments it wants.
    Type(TypeSymbol),
    /// Its declaration was wrong: uses are silently poisoned.
    Poison,
}

/// Something that is called by name alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Callable {
    Function(hir::FunctionId),
    Extern(hir::ExternFunctionId),
    Action(hir::ActionId),
}

/// What a type's name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TypeSymbol {
    /// A typedef, newtype, enum or type variable: complete as it is.
    Plain(hir::TypeId),
    Record(hir::RecordId),
    Extern(hir::ExternId),
    BlockType(hir::BlockTypeId),
    Package(hir::PackageId),
    Parser(hir::ParserId),
    Control(hir::ControlId),
}

/// A name's meaning, where it was declared and whether anything used it.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub symbol: Symbol,
    pub span: Span,
    pub used: bool,
    /// Report if nothing uses it: what kind of thing it is.
    pub watch: Option<&'static str>,
}

/// The scopes from the top level to where the checker stands.
#[derive(Debug)]
pub(super) struct Scopes {
    stack: Vec<IndexMap<String, Binding>>,
}

impl Scopes {
    /// Only the top level.
    pub fn new() -> Self {
        Self { stack: vec![IndexMap::new()] }
    }

    /// Opens an inner scope.
    pub fn open(&mut self) {
        self.stack.push(IndexMap::new());
    }

    /// Closes the innermost scope and returns what it held.
    pub fn close(&mut self) -> IndexMap<String, Binding> {
        self.stack.pop().unwrap_or_default()
    }

    /// How many scopes are open; 1 at the top level.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Everything of the top level.
    pub fn top(&self) -> &IndexMap<String, Binding> {
        &self.stack[0]
    }

    /// The meaning of `name` in the innermost scope alone.
    pub fn here(&self, name: &str) -> Option<&Binding> {
        self.stack.last()?.get(name)
    }

    /// The same, to add an overload.
    pub fn here_mut(&mut self, name: &str) -> Option<&mut Binding> {
        self.stack.last_mut()?.get_mut(name)
    }

    /// What an inner declaration of `name` would hide, and at which depth it lives (1 is the top
    /// level).
    pub fn outer(&self, name: &str) -> Option<(usize, &Binding)> {
        let enclosing = self.stack.len() - 1;
        (0..enclosing).rev().find_map(|depth| Some((depth + 1, self.stack[depth].get(name)?)))
    }

    /// Binds `name` in the innermost scope, replacing what it meant there.
    pub fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.stack.last_mut() {
            scope.insert(name.to_owned(), binding);
        }
    }

    /// The innermost meaning of `name`, marked as used. `top_only` for names with a leading dot.
    pub fn resolve(&mut self, name: &str, top_only: bool) -> Option<&Binding> {
        let scopes = if top_only { 1 } else { self.stack.len() };
        let binding = self.stack[..scopes].iter_mut().rev().find_map(|scope| scope.get_mut(name))?;
        binding.used = true;
        Some(binding)
    }

    /// The innermost meaning of `name`, without marking it.
    pub fn peek(&self, name: &str) -> Option<&Binding> {
        self.stack.iter().rev().find_map(|scope| scope.get(name))
    }

    /// All names in scope that `wanted` accepts, for suggestions.
    pub fn names(&self, wanted: impl Fn(&Symbol) -> bool) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for scope in self.stack.iter().rev() {
            names.extend(scope.iter().filter(|(_, b)| wanted(&b.symbol)).map(|(name, _)| name.as_str()));
        }
        names
    }
}
