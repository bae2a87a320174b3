//! The first half of the compiler: a syntax tree in, the typed tree or diagnostics out.
//!
//! One walk in source order does it all, since P4 declares before use: names are resolved in
//! [`scope`], types in `types`, expressions are checked bidirectionally (a wanted type goes down as
//! a hint, the found type comes up and is converted where the language allows), generics are
//! inferred at each call. A mistake is reported once, at the innermost place; what depends on it is
//! poisoned and stays silent.

mod action_ref;
mod aggregate;
mod alias;
mod annotation;
mod apply;
mod args;
mod arithmetic;
mod call;
mod cast;
pub(crate) mod constant;
mod control;
mod decl;
mod display;
mod entries;
mod enums;
mod expr;
mod externs;
mod flow;
mod infer;
mod instance;
mod keyset;
mod layout;
mod member;
mod members;
mod method;
mod operator;
mod overload;
mod parser;
mod restrict;
mod scope;
mod shape;
mod shipped;
mod signature;
mod stmt;
mod switch;
mod table;
mod type_args;
mod types;
mod weight;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use weir_syntax::{Diagnostic, Diagnostics, Span, ast};

use crate::hir::{self, Expr, ExprKind, TypeId, Types};
use scope::{Binding, Scopes, Symbol};

/// Checks a whole program. Mistakes go to `diagnostics`; if it holds errors already, those that may
/// be consequences of them are left out.
///
/// Returns the tree if no error was added, and `None` otherwise; with an error count of zero
/// before, `None` is the same as `diagnostics.has_errors()`. Warnings do not stop it.
pub fn check(program: &ast::Program, diagnostics: &mut Diagnostics) -> Option<hir::Program> {
    let errors_before = diagnostics.error_count();
    let mut checker = Checker::new(diagnostics);
    checker.after_mistakes = errors_before > 0;
    checker.note_later_declarations(program);
    for declaration in &program.declarations {
        checker.top_level(declaration);
    }
    checker.find_main();
    let program = checker.program;
    (diagnostics.error_count() == errors_before).then_some(program)
}

/// Whether a diagnostic may only be the consequence of a syntax error, by which declarations and
/// their parts were lost.
fn may_follow(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity != weir_syntax::Severity::Error
        || ["unknown-", "missing-", "no-", "wrong-", "argument-count", "endless-parser", "action-not-listed"]
            .iter()
            .any(|prefix| diagnostic.id.starts_with(prefix))
}

/// Where in a program the checker stands; decides what may be called and said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    TopLevel,
    /// Among a parser's declarations, outside of its states.
    ParserLocals,
    ParserState,
    /// Among a control's declarations, outside of actions and `apply`.
    ControlLocals,
    ControlApply,
    Action,
    Function,
}

/// State of the walk that belongs to the enclosing declaration.
#[derive(Debug)]
struct Context {
    place: Place,
    /// What `return` must give; `Void` outside of functions.
    return_type: TypeId,
    /// How many loops enclose the statement.
    loops: usize,
    /// Type of `this`, inside an abstract method's implementation.
    this: Option<TypeId>,
    /// Instances that direct applications made in the enclosing block.
    direct: Vec<hir::InstanceId>,
    /// Statements to run before the one being checked.
    before: Vec<hir::Stmt>,
}

impl Context {
    fn new(place: Place) -> Self {
        Self { place, return_type: Types::VOID, loops: 0, this: None, direct: Vec::new(), before: Vec::new() }
    }
}

struct Checker<'a> {
    program: hir::Program,
    diagnostics: &'a mut Diagnostics,
    scopes: Scopes,
    context: Context,
    errors: FxHashMap<String, hir::ErrorId>,
    match_kinds: IndexMap<String, hir::MatchKindId>,
    /// Top-level names by their first place, to say "declared below".
    later: FxHashMap<String, Span>,
    /// The same for the control that is being checked.
    later_here: FxHashMap<String, Span>,
    /// Names that were asked for above their declarations: not unused.
    asked_early: FxHashSet<String>,
    /// Inside a signature: type parameters that stand for `_` in its parameters' types, inferred
    /// like named ones.
    holes: Option<Vec<hir::TypeVarId>>,
    aliases: alias::Aliases,
    weights: weight::Weights,
    members: members::Members,
    overloads: overload::OverloadTables,
    /// Inside what is only measured: it is not evaluated.
    measuring: bool,
    /// The syntax has mistakes: names may be missing for that reason alone.
    after_mistakes: bool,
    /// The table being declared: its properties cannot mean it.
    table: Option<(String, Span)>,
    /// Names of the functions, actions, parsers and controls being checked: not callable yet, since
    /// P4 has no recursion.
    enclosing: Vec<(String, Span)>,
}

impl<'a> Checker<'a> {
    fn new(diagnostics: &'a mut Diagnostics) -> Self {
        Self {
            program: hir::Program::default(),
            diagnostics,
            scopes: Scopes::new(),
            context: Context::new(Place::TopLevel),
            errors: FxHashMap::default(),
            match_kinds: IndexMap::new(),
            later: FxHashMap::default(),
            later_here: FxHashMap::default(),
            asked_early: FxHashSet::default(),
            holes: None,
            aliases: alias::Aliases::default(),
            weights: weight::Weights::default(),
            members: members::Members::default(),
            overloads: overload::OverloadTables::default(),
            measuring: false,
            after_mistakes: false,
            table: None,
            enclosing: Vec::new(),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.after_mistakes && may_follow(&diagnostic) {
            return;
        }
        self.diagnostics.push(diagnostic);
    }

    fn note_later_declarations(&mut self, program: &ast::Program) {
        for declaration in &program.declarations {
            if let Some(name) = &declaration.name {
                self.later.entry(name.text.to_string()).or_insert(name.span);
            }
        }
    }

    /// The user's words for a type, in backquotes.
    fn show(&self, ty: TypeId) -> String {
        format!("`{}`", display::type_name(&self.program, ty))
    }

    fn poison(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Poison, ty: Types::POISON, span }
    }

    /// The name among `candidates` that `wanted` most likely meant. After many mistakes names are
    /// not compared with all others any more, which takes its time.
    fn near<'n, C: IntoIterator<Item = &'n str>>(
        &self,
        wanted: &str,
        candidates: impl FnOnce() -> C,
    ) -> Option<&'n str> {
        const MANY: usize = 100;
        if self.diagnostics.error_count() < MANY { weir_suggest::nearest(wanted, candidates()) } else { None }
    }

    /// Where the declaration called `name` starts, if the checker is inside it.
    fn enclosing_declaration(&self, name: &str) -> Option<Span> {
        self.enclosing.iter().rev().find(|(enclosing, _)| enclosing == name).map(|(_, span)| *span)
    }

    /// Runs `body` while `name` is being declared.
    fn declaring<R>(&mut self, name: &ast::Name, body: impl FnOnce(&mut Self) -> R) -> R {
        self.enclosing.push((name.text.to_string(), name.span));
        let result = body(self);
        self.enclosing.pop();
        result
    }

    /// Runs `body` in a context of its own and returns its instances made by direct application.
    fn within<R>(
        &mut self,
        context: Context,
        body: impl FnOnce(&mut Self) -> R,
    ) -> (R, Vec<hir::InstanceId>) {
        let outer = std::mem::replace(&mut self.context, context);
        let result = body(self);
        let inner = std::mem::replace(&mut self.context, outer);
        (result, inner.direct)
    }

    /// Runs `body` in a scope of its own; then warns of what it declared and nobody used.
    fn scoped<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.open();
        let result = body(self);
        for (name, binding) in self.scopes.close() {
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
        result
    }

    /// Binds a name in the innermost scope. A second declaration there is an error; hiding an outer
    /// local a warning.
    fn declare(&mut self, name: &ast::Name, symbol: Symbol, watch: Option<&'static str>) {
        if let Some(previous) = self.scopes.here(name.as_str()) {
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
        let used = self.asked_early.remove(name.as_str());
        self.scopes.bind(name.as_str(), Binding { symbol, span: name.span, used, watch });
    }

    fn warn_if_hiding(&mut self, name: &ast::Name, symbol: &Symbol) {
        let value = |symbol: &Symbol| {
            matches!(symbol, Symbol::Var(_) | Symbol::Const(_) | Symbol::Instance(_) | Symbol::Table(_))
        };
        if !value(symbol) {
            return;
        }
        if let Some((_, hidden)) = self.scopes.outer(name.as_str())
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

/// Whether a name stands for something that is instantiated by its name: a parser, control or
/// package.
fn is_constructed(symbol: &Symbol) -> bool {
    use scope::TypeSymbol;
    let Symbol::Type(symbol) = symbol else { return false };
    matches!(
        symbol,
        TypeSymbol::Parser(_) | TypeSymbol::Control(_) | TypeSymbol::Package(_) | TypeSymbol::BlockType(_)
    )
}
