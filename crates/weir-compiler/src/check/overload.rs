//! Resolves overloaded functions, methods and constructors by the number and names of the
//! arguments, regardless of types (P4_16 section 7.2.10).

use rustc_hash::FxHashMap;
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::members::MAX_LINEAR_SEARCH;
use super::scope::Callable;
use crate::hir::{ExternId, Param, Program};

/// The maximum number of calls that a message about ambiguous arguments suggests.
const MAX_SHOWN_CALLS: usize = 4;

/// All overloads of one name in one scope.
#[derive(Clone, Copy)]
pub(super) enum Overloads<'a> {
    /// Functions, extern functions or actions; not empty.
    Callables(&'a [Callable]),
    /// Methods by position; not empty.
    Methods(ExternId, &'a [usize]),
    /// All constructors.
    Constructors(ExternId),
}

/// Identifies a set of overloads by its first member.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    Callable(Callable),
    Method(ExternId, usize),
    Constructor(ExternId),
}

impl<'a> Overloads<'a> {
    /// Returns what identifies this set of overloads; `None` if the set is empty.
    fn key(self) -> Option<Key> {
        Some(match self {
            Overloads::Callables(list) => Key::Callable(*list.first()?),
            Overloads::Methods(id, list) => Key::Method(id, *list.first()?),
            Overloads::Constructors(id) => Key::Constructor(id),
        })
    }

    /// Returns the number of overloads.
    fn count(self, program: &Program) -> usize {
        match self {
            Overloads::Callables(list) => list.len(),
            Overloads::Methods(_, list) => list.len(),
            Overloads::Constructors(id) => program.externs[id].constructors.len(),
        }
    }

    /// Returns the parameters of the overload at `index`.
    pub fn params(self, program: &Program, index: usize) -> &[Param] {
        match self {
            Overloads::Callables(list) => callable_params(program, list[index]),
            Overloads::Methods(id, list) => &program.externs[id].methods[list[index]].params,
            Overloads::Constructors(id) => &program.externs[id].constructors[index].params,
        }
    }

    /// Returns the location of the name of the overload at `index`.
    pub fn declared(self, program: &Program, index: usize) -> Span {
        match self {
            Overloads::Callables(list) => callable_span(program, list[index]),
            Overloads::Methods(id, list) => program.externs[id].methods[list[index]].name.span,
            Overloads::Constructors(id) => program.externs[id].constructors[index].name.span,
        }
    }
}

/// Returns the parameters of a function or action.
pub(super) fn callable_params(program: &Program, callable: Callable) -> &[Param] {
    match callable {
        Callable::Function(id) => &program.functions[id].params,
        Callable::Extern(id) => &program.extern_functions[id].0.params,
        Callable::Action(id) => &program.actions[id].params,
    }
}

/// Returns the location of the name of a function or action.
pub(super) fn callable_span(program: &Program, callable: Callable) -> Span {
    match callable {
        Callable::Function(id) => program.functions[id].name.span,
        Callable::Extern(id) => program.extern_functions[id].0.name.span,
        Callable::Action(id) => program.actions[id].name.span,
    }
}

/// Returns the names of parameters, in order.
pub(super) fn names<'p>(program: &'p Program, params: &'p [Param]) -> Vec<&'p str> {
    params.iter().map(|param| program.vars[param.var].name.text.as_str()).collect()
}

/// Large sets of overloads, indexed by the number and names of arguments.
#[derive(Debug, Default)]
pub(super) struct OverloadTables {
    tables: FxHashMap<Key, Table>,
}

/// The overloads of one name, by the number and the names of their arguments.
#[derive(Debug, Default)]
struct Table {
    /// The number of overloads of the set that are in the table. Functions are added while calls
    /// are checked.
    entered: usize,
    by_count: FxHashMap<usize, Vec<usize>>,
    /// The overloads by the name of a required parameter. Each overload appears once, under the
    /// required parameter that the fewest other overloads share.
    by_name: FxHashMap<String, Vec<usize>>,
    /// The overloads whose parameters can all be omitted.
    omissible: Vec<usize>,
}

impl Table {
    /// Enters an overload for all numbers of arguments that it accepts.
    fn enter(&mut self, program: &Program, index: usize, params: &[Param]) {
        let omissible = |param: &Param| param.default.is_some() || param.optional;
        let required = params.iter().rposition(|param| !omissible(param)).map_or(0, |last| last + 1);
        for count in required..=params.len() {
            self.by_count.entry(count).or_default().push(index);
        }
        let required = params.iter().filter(|param| !omissible(param));
        let name = |param: &Param| program.vars[param.var].name.text.clone();
        let rarest =
            required.map(name).min_by_key(|name| self.by_name.get(name).map_or(0, |others| others.len()));
        match rarest {
            Some(name) => self.by_name.entry(name).or_default().push(index),
            None => self.omissible.push(index),
        }
    }
}

impl Checker<'_> {
    /// Returns the overloads that may fit the arguments. Small sets are not filtered.
    fn candidates(&mut self, overloads: Overloads<'_>, args: &[ast::Argument]) -> Vec<usize> {
        let program = &self.program;
        let count = overloads.count(program);
        let (true, Some(key)) = (count > MAX_LINEAR_SEARCH, overloads.key()) else {
            return (0..count).collect();
        };
        let table = self.overloads.tables.entry(key).or_default();
        for index in table.entered..count {
            table.enter(program, index, overloads.params(program, index));
        }
        table.entered = count;
        if args.iter().all(|arg| arg.name.is_none()) {
            return table.by_count.get(&args.len()).cloned().unwrap_or_default();
        }
        let names = args.iter().filter_map(|arg| arg.name.as_ref());
        let named = names.flat_map(|name| table.by_name.get(name.as_str()).into_iter().flatten());
        let mut found: Vec<usize> = named.chain(&table.omissible).copied().collect();
        // Remove the duplicates from an argument passed twice, which is reported after resolution.
        found.sort_unstable();
        found.dedup();
        found
    }

    fn accepts_args(&self, params: &[Param], args: &[ast::Argument]) -> bool {
        if args.len() > params.len() {
            return false;
        }
        let by_name = args.iter().any(|arg| arg.name.is_some());
        let position = |name: &ast::Name| self.param_named(params, name.as_str());
        if by_name && !args.iter().all(|arg| arg.name.as_ref().is_some_and(|name| position(name).is_some())) {
            return false;
        }
        let has_argument = |index: usize| {
            if by_name {
                args.iter().any(|arg| arg.name.as_ref().and_then(position) == Some(index))
            } else {
                index < args.len()
            }
        };
        let left_out = |param: &Param| param.default.is_some() || param.optional;
        params.iter().enumerate().all(|(index, param)| has_argument(index) || left_out(param))
    }

    /// Selects an overload by the arguments. Reports an error if none or several fit.
    pub(super) fn choose(
        &mut self,
        name: &ast::Name,
        overloads: Overloads<'_>,
        args: &[ast::Argument],
        span: Span,
    ) -> Option<usize> {
        let count = overloads.count(&self.program);
        if count == 1 {
            return Some(0);
        }
        let mut fitting = self.candidates(overloads, args);
        fitting.retain(|&index| self.accepts_args(overloads.params(&self.program, index), args));
        if let [only] = fitting.as_slice() {
            return Some(*only);
        }
        let message = if fitting.is_empty() {
            format!("no overload of `{name}` takes these arguments")
        } else {
            format!("more than one overload of `{name}` takes these arguments")
        };
        let mut diagnostic = Diagnostic::error("no-overload", message)
            .primary(span, "overloads are selected by the number and names of the arguments");
        for index in 0..count.min(MAX_LINEAR_SEARCH) {
            let label = format!("`{name}({})`", self.describe_params(overloads.params(&self.program, index)));
            diagnostic = diagnostic.secondary(overloads.declared(&self.program, index), label);
        }
        if count > MAX_LINEAR_SEARCH {
            diagnostic = diagnostic.note(format!("`{name}` has {count} overloads"));
        }
        if fitting.len() > 1 && args.iter().all(|arg| arg.name.is_none()) {
            let calls = fitting.iter().take(MAX_SHOWN_CALLS).map(|&index| {
                let params = names(&self.program, overloads.params(&self.program, index));
                let args: Vec<String> =
                    params.iter().take(args.len()).map(|name| format!("{name} = …")).collect();
                format!("`{name}({})`", args.join(", "))
            });
            let calls: Vec<String> = calls.collect();
            diagnostic =
                diagnostic.note(format!("name the arguments to select an overload: {}", calls.join(" or ")));
        }
        self.report(diagnostic);
        None
    }

    /// Returns the first function of `list` that calls cannot distinguish from `new`, because its
    /// parameters have the same names in the same order.
    pub(super) fn indistinguishable(&mut self, list: &[Callable], new: Callable) -> Option<Callable> {
        let overloads = Overloads::Callables(list);
        let count = overloads.count(&self.program);
        let candidates = if count > MAX_LINEAR_SEARCH {
            let names: Vec<ast::Argument> = callable_params(&self.program, new)
                .iter()
                .map(|param| {
                    let name = &self.program.vars[param.var].name;
                    let name = ast::Name::new(name.text.as_str(), name.span);
                    ast::Argument { span: name.span, name: Some(name), value: None }
                })
                .collect();
            self.candidates(overloads, &names)
        } else {
            (0..count).collect()
        };
        let program = &self.program;
        let wanted = names(program, callable_params(program, new));
        let same = |index: &usize| names(program, overloads.params(program, *index)) == wanted;
        candidates.into_iter().find(same).map(|index| list[index])
    }
}
