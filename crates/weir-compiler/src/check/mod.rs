//! The first half of the compiler: turns a syntax tree into the typed tree or diagnostics.
//!
//! A single traversal in source order is sufficient because P4 declares names before their use. It
//! resolves names ([`scope`]) and types (`types`), checks expressions bidirectionally (the expected
//! type is passed down as a hint, the actual type is returned and converted where the language
//! allows it) and infers the type arguments of each call. It reports each error once, at the
//! innermost location. Everything that depends on an error is *poisoned*, which suppresses further
//! errors.

mod action_ref;
mod aggregate;
mod alias;
pub(crate) mod annotation;
mod apply;
mod args;
mod arithmetic;
mod call;
mod call_depth;
mod cast;
mod chain;
mod const_decl;
pub mod constant;
mod control;
mod decl;
mod deprecated;
mod entries;
mod enums;
mod exact;
mod expr;
mod externs;
mod flow;
mod habits;
mod ignored_property;
mod implementation;
mod infer;
mod instance;
mod keyset;
mod layout;
mod libraries;
mod loops;
mod member;
mod members;
mod method;
mod no_cases;
mod open_enums;
mod operator;
mod other_names;
mod overload;
mod parser;
mod restrict;
mod scope;
mod shape;
mod signature;
mod size;
mod stmt;
mod switch;
mod table;
mod type_args;
mod type_decl;
mod type_size;
mod type_symbol;
mod types;
mod unknown_name;
mod wildcard;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use weir_syntax::preprocess::SourceLoader;
use weir_syntax::{Diagnostic, Diagnostics, Span, ast};

use self::libraries::Libraries;
use crate::hir::display;
use crate::hir::{self, Expr, ExprKind, TypeId, Types};
use scope::{Binding, Scopes, Symbol};

/// Checks a whole program and adds errors to `diagnostics`. If `diagnostics` already contains
/// errors, new errors that may be consequences of those are omitted.
///
/// Returns the tree if it added no error, and `None` otherwise. If there were no errors before,
/// `None` is equivalent to `diagnostics.has_errors()`. Warnings do not prevent a result.
///
/// Errors about unknown names say which of the libraries of `loader` declare them.
pub fn check(
    program: &ast::Program,
    loader: Option<&dyn SourceLoader>,
    diagnostics: &mut Diagnostics,
) -> Option<hir::Program> {
    let errors_before = diagnostics.error_count();
    let mut checker = Checker::new(loader, diagnostics);
    checker.after_mistakes = errors_before > 0;
    checker.record_later_declarations(program);
    if let Some(mistake) = several_architectures(&checker, program) {
        checker.report(mistake);
        return None;
    }
    // As in p4c, errors may be used before their declaration. Their annotations may refer to
    // constants that are declared before them, so annotated errors are declared in source order.
    for declaration in &program.declarations {
        if let ast::DeclKind::Error(members) = &declaration.kind
            && declaration.annotations.is_empty()
        {
            checker.error_members(members, declaration);
        }
    }
    for declaration in &program.declarations {
        checker.top_level(declaration);
    }
    checker.check_main();
    let top = checker.scopes.top_level().clone();
    checker.warn_of_unused(top);
    let program = checker.program;
    call_depth::check_call_depth(&program, diagnostics);
    (diagnostics.error_count() == errors_before).then_some(program)
}

/// Reports that a program includes the files of several architectures, if they declare the same
/// names.
fn several_architectures(checker: &Checker<'_>, program: &ast::Program) -> Option<Diagnostic> {
    let can_repeat = |declaration: &&ast::Declaration| {
        use ast::DeclKind::{Action, ExternFunction, Function};
        matches!(declaration.kind, ExternFunction(_) | Function(_) | Action(_))
    };
    let repeated = program.declarations.iter().filter(|declaration| !can_repeat(declaration));
    let (name, first) = repeated
        .filter_map(|declaration| declaration.name.as_ref())
        .map(|name| (name, checker.later[name.as_str()]))
        .find(|(name, first)| first.file != name.span.file)?;
    let files = checker.libraries.architectures(|name| checker.later.contains_key(name));
    if files.len() < 2 {
        return None;
    }
    let message = format!("the program includes several architectures: {}", files.join(" and "));
    let diagnostic = Diagnostic::error("duplicate-declaration", message)
        .primary(name.span, format!("`{name}` of one architecture"))
        .secondary(first, format!("`{name}` of another"))
        .note("a program has one architecture: remove the `#include` of the others");
    Some(diagnostic)
}

/// Returns whether a diagnostic may be only the consequence of a syntax error that removed
/// declarations or parts of them.
fn may_be_consequence(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity != weir_syntax::Severity::Error
        || ["unknown-", "missing-", "no-", "wrong-", "argument-count", "endless-parser", "action-not-listed"]
            .iter()
            .any(|prefix| diagnostic.id.starts_with(prefix))
}

/// The part of a program being checked. Determines which calls and statements are allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    TopLevel,
    /// A parser's declarations, outside of its states.
    ParserLocals,
    ParserState,
    /// A control's declarations, outside of actions and `apply`.
    ControlLocals,
    ControlApply,
    Action,
    Function,
}

/// The part of the checker's state that belongs to the enclosing declaration.
#[derive(Debug)]
struct Context {
    place: Place,
    /// The type that `return` must have; `Void` outside of functions.
    return_type: TypeId,
    /// The number of loops around the statement.
    loops: usize,
    /// The type of `this`, inside an abstract method's implementation.
    this: Option<TypeId>,
    /// The instances made by direct applications in the enclosing block.
    direct: Vec<hir::InstanceId>,
    /// The statements to run before the statement being checked.
    before: Vec<hir::Stmt>,
}

impl Context {
    fn new(place: Place) -> Self {
        Self { place, return_type: Types::VOID, loops: 0, this: None, direct: Vec::new(), before: Vec::new() }
    }
}

/// The state of a check: the program so far, the diagnostics and the scopes.
struct Checker<'a> {
    libraries: Libraries<'a>,
    program: hir::Program,
    diagnostics: &'a mut Diagnostics,
    scopes: Scopes,
    context: Context,
    errors: FxHashMap<String, hir::ErrorId>,
    match_kinds: IndexMap<String, hir::MatchKindId>,
    /// The first declaration of each top-level name, to report "declared below".
    later: FxHashMap<String, Span>,
    /// The first declaration of each name in the control being checked, for the same message.
    later_here: FxHashMap<String, Span>,
    /// The names that are used before their declarations; they do not count as unused.
    used_before_declaration: FxHashSet<String>,
    /// Inside a signature, the type parameters created for `_` in its parameters' types. They are
    /// inferred like named type parameters.
    wildcards: Option<Vec<hir::TypeVarId>>,
    aliases: alias::Aliases,
    type_sizes: type_size::TypeSizes,
    members: members::Members,
    overloads: overload::OverloadTables,
    /// Whether the expression is the operand of a size method, which is not evaluated.
    measuring: bool,
    deprecated: deprecated::Deprecated,
    /// Whether there are syntax errors, because of which names may be missing.
    after_mistakes: bool,
    /// The table being declared, which its own properties cannot refer to.
    table: Option<(String, Span)>,
    /// The warnings about the sizes of tables of the control being checked, with the tables' names.
    wrong_sizes: Vec<(String, Diagnostic)>,
    /// The functions, actions, parsers and controls being checked. They cannot be called yet
    /// because P4 has no recursion.
    enclosing: Vec<(String, Span)>,
}

impl<'a> Checker<'a> {
    fn new(loader: Option<&'a dyn SourceLoader>, diagnostics: &'a mut Diagnostics) -> Self {
        Self {
            libraries: Libraries::new(loader),
            program: hir::Program::default(),
            diagnostics,
            scopes: Scopes::new(),
            context: Context::new(Place::TopLevel),
            errors: FxHashMap::default(),
            match_kinds: IndexMap::new(),
            later: FxHashMap::default(),
            later_here: FxHashMap::default(),
            used_before_declaration: FxHashSet::default(),
            wildcards: None,
            aliases: alias::Aliases::default(),
            type_sizes: type_size::TypeSizes::default(),
            members: members::Members::default(),
            overloads: overload::OverloadTables::default(),
            measuring: false,
            deprecated: deprecated::Deprecated::default(),
            after_mistakes: false,
            table: None,
            wrong_sizes: Vec::new(),
            enclosing: Vec::new(),
        }
    }

    /// Reports a diagnostic, unless it may be the consequence of an earlier mistake.
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.after_mistakes && may_be_consequence(&diagnostic) {
            return;
        }
        self.diagnostics.push(diagnostic);
    }

    fn record_later_declarations(&mut self, program: &ast::Program) {
        for declaration in &program.declarations {
            if let Some(name) = &declaration.name {
                self.later.entry(name.text.to_string()).or_insert(name.span);
            }
        }
    }

    /// Formats a type as in the user's program, in backquotes.
    fn show(&self, ty: TypeId) -> String {
        format!("`{}`", display::type_name(&self.program, &self.program.types, ty))
    }

    fn poison_expr(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Poison, ty: Types::POISON, span }
    }

    /// Returns the candidate most similar to `wanted`. After many errors, the function no longer
    /// searches, since comparing with all candidates takes time.
    fn nearest_name<'n, C: IntoIterator<Item = &'n str>>(
        &self,
        wanted: &str,
        candidates: impl FnOnce() -> C,
    ) -> Option<&'n str> {
        const MAX_ERRORS_WITH_SUGGESTIONS: usize = 100;
        if self.diagnostics.error_count() < MAX_ERRORS_WITH_SUGGESTIONS {
            weir_suggest::nearest(wanted, candidates())
        } else {
            None
        }
    }

    /// Returns the location of the enclosing declaration called `name`, if there is one.
    fn enclosing_declaration(&self, name: &str) -> Option<Span> {
        self.enclosing.iter().rev().find(|(enclosing, _)| enclosing == name).map(|(_, span)| *span)
    }

    /// Runs `body` with `name` as an enclosing declaration.
    fn with_declaration<R>(&mut self, name: &ast::Name, body: impl FnOnce(&mut Self) -> R) -> R {
        self.enclosing.push((name.text.to_string(), name.span));
        let result = body(self);
        self.enclosing.pop();
        result
    }

    /// Runs `body` in a new context and returns the instances that direct applications made in it.
    fn in_context<R>(
        &mut self,
        context: Context,
        body: impl FnOnce(&mut Self) -> R,
    ) -> (R, Vec<hir::InstanceId>) {
        let outer = std::mem::replace(&mut self.context, context);
        let result = body(self);
        let inner = std::mem::replace(&mut self.context, outer);
        (result, inner.direct)
    }

    /// Runs `body` in a new scope, then warns about unused declarations of that scope.
    fn in_scope<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.open();
        let result = body(self);
        let closed = self.scopes.close();
        self.warn_of_unused(closed);
        result
    }

    /// Warns about declarations that are watched and unused.
    fn warn_of_unused(&mut self, bindings: IndexMap<String, Binding>) {
        for (name, binding) in bindings {
            if let (Some(what), false) = (binding.watch, binding.used) {
                let (id, message, note) = if what == "table" {
                    let note = format!("apply it in the `apply` block with `{name}.apply();`, or remove it");
                    ("unused-table", format!("table `{name}` is never applied"), note)
                } else {
                    let note = "remove it, or put `@noWarn(\"unused\")` before it to keep it".to_owned();
                    ("unused", format!("{what} `{name}` is never used"), note)
                };
                self.report(Diagnostic::warning(id, message).primary(binding.span, "").note(note));
            }
        }
    }

    /// Binds a name in the innermost scope. Reports an error if the name is already bound there,
    /// and a warning if it shadows an outer local name.
    fn declare(&mut self, name: &ast::Name, symbol: Symbol, watch: Option<&'static str>) {
        if let Some(previous) = self.scopes.innermost(name.as_str()) {
            let mut diagnostic =
                Diagnostic::error("duplicate-declaration", format!("`{name}` is declared twice"))
                    .primary(name.span, "declared again here")
                    .secondary(previous.span, "first declared here");
            if is_constructed(&symbol) && is_constructed(&previous.symbol) {
                diagnostic = diagnostic.note(
                    "only functions and methods can be overloaded; parsers, controls and packages cannot",
                );
            }
            self.report(diagnostic);
            return;
        }
        self.warn_if_hiding(name, &symbol);
        let used = self.used_before_declaration.remove(name.as_str());
        self.scopes.bind(name.as_str(), Binding { symbol, span: name.span, used, watch });
    }

    fn warn_if_hiding(&mut self, name: &ast::Name, symbol: &Symbol) {
        let value = |symbol: &Symbol| {
            matches!(symbol, Symbol::Var(_) | Symbol::Const(_) | Symbol::Instance(_) | Symbol::Table(_))
        };
        if !value(symbol) {
            return;
        }
        if let Some((_, hidden)) = self.scopes.shadowed(name.as_str())
            && value(&hidden.symbol)
        {
            let parameter = |symbol: &Symbol| {
                matches!(symbol, Symbol::Var(var)
                    if !matches!(self.program.vars[*var].kind, hir::VarKind::Local))
            };
            let message = format!("`{name}` shadows an outer declaration");
            let in_code = matches!(
                self.context.place,
                Place::ControlApply | Place::ParserState | Place::Action | Place::Function
            );
            let diagnostic = if in_code && parameter(&hidden.symbol) && !parameter(symbol) {
                Diagnostic::error("shadowing", format!("`{name}` shadows a parameter"))
                    .primary(name.span, "choose another name")
                    .secondary(hidden.span, "parameter declared here")
            } else {
                Diagnostic::warning("shadowing", message)
                    .primary(name.span, "shadows the outer declaration")
                    .secondary(hidden.span, "outer declaration")
            };
            self.report(diagnostic);
        }
    }

    fn hir_name(&self, name: &ast::Name) -> hir::Name {
        hir::Name { text: name.text.to_string(), span: name.span }
    }
}

/// Returns whether a name refers to something that is instantiated by its name: a parser, control
/// or package.
fn is_constructed(symbol: &Symbol) -> bool {
    use scope::TypeSymbol;
    let Symbol::Type(symbol) = symbol else { return false };
    matches!(
        symbol,
        TypeSymbol::Parser(_) | TypeSymbol::Control(_) | TypeSymbol::Package(_) | TypeSymbol::BlockType(_)
    )
}
