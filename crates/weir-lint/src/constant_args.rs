//! Arguments with a known value that refer to no object: numbers of lists without fields, and
//! indexes past the end of an array of counters, meters or registers.
//!
//! The architecture's file marks these parameters: `@number_of("list")` for a number that the
//! annotation `@list(…)` gives to fields, and `@element` for the index of an element. Parameters of
//! actions, functions, parsers and controls that are passed on to such a parameter are treated in
//! the same way.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::{BigInt, Sign};
use num_traits::Zero;
use weir_syntax::{Diagnostic, Diagnostics, Span};

use super::constant_variables::ConstantVariables;
use crate::check::constant::{Value, evaluate, representation};
use crate::hir::walk::{self, Visitor};
use crate::hir::{
    Arg, ArgValue, Call, Callee, Constructor, Direction, Expr, ExprKind, ExternFunction, Param, Program,
    VarId, VarKind,
};

const NUMBER_OF: &str = "number_of";
/// The annotation of a parameter that takes the index of an element.
const ELEMENT: &str = "element";
/// The annotation of a parameter that takes an array's number of elements.
const ELEMENTS: &str = "elements";

/// The object that a parameter's value refers to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Names<'p> {
    /// A list of fields with this annotation.
    List(&'p str),
    /// An element of the array of this type, name and number of elements.
    Element(&'p str, &'p str, BigInt),
}

/// The lists and elements that each variable's value refers to.
type Sinks<'p> = BTreeMap<VarId, BTreeSet<Names<'p>>>;

/// Returns the annotations that give fields numbers.
pub(super) fn numbered_annotations(program: &Program) -> BTreeSet<&str> {
    let functions = program.extern_functions.iter();
    functions.flat_map(|(_, function)| numbered_params(program, function)).map(|(_, name)| name).collect()
}

/// Returns the positions of a function's parameters that take the numbers of an annotation, with
/// its name.
fn numbered_params<'p>(program: &'p Program, function: &'p ExternFunction) -> Vec<(usize, &'p str)> {
    let name = |(position, param): (usize, &Param)| {
        Some((position, program.vars[param.var].annotations.get(NUMBER_OF)?.string()?))
    };
    function.0.params.iter().enumerate().filter_map(name).collect()
}

/// Reports arguments with a known value that refer to no object. `given` are the numbers that
/// annotations give to fields.
pub(super) fn run(
    program: &Program,
    given: &BTreeSet<(&str, BigInt)>,
    settled: &ConstantVariables<'_>,
    diagnostics: &mut Diagnostics,
) {
    let mut sinks = Sinks::new();
    // Each round propagates the marks through one level of calls. Calls have no cycles.
    loop {
        let before = size(&sinks);
        for arg in args(program, &sinks, settled) {
            if let Some(var) = arg.parameter {
                sinks.entry(var).or_default().insert(arg.names);
            }
        }
        if size(&sinks) == before {
            break;
        }
    }
    let mut seen = BTreeSet::new();
    for arg in args(program, &sinks, settled) {
        let Some(number) = &arg.number else { continue };
        if seen.insert((arg.span, arg.names.clone())) {
            diagnostics.extend(warning(number, arg.span, &arg.names, given));
        }
    }
}

/// Returns the total number of references.
fn size(sinks: &Sinks<'_>) -> usize {
    sinks.values().map(BTreeSet::len).sum()
}

/// Returns the parameter that an expression reads, possibly after a conversion to a type that can
/// hold its value.
fn parameter(program: &Program, value: &Expr) -> Option<VarId> {
    match &value.kind {
        ExprKind::Var(var) if !matches!(program.vars[*var].kind, VarKind::Local) => Some(*var),
        ExprKind::Cast { operand, .. } => {
            let (signed, to) = representation(program, value.ty)?;
            let (from_signed, from) = representation(program, operand.ty)?;
            if signed == from_signed && from <= to { parameter(program, operand) } else { None }
        }
        _ => None,
    }
}

/// Makes the warning for a constant that refers to no list or element.
fn warning(
    number: &BigInt,
    span: Span,
    names: &Names<'_>,
    given: &BTreeSet<(&str, BigInt)>,
) -> Option<Diagnostic> {
    match names {
        Names::List(name) => {
            // Programs use 0 for "no list".
            if number.is_zero() || given.contains(&(*name, number.clone())) {
                return None;
            }
            let same = given.iter().filter(|(annotation, _)| annotation == name);
            let numbers: Vec<String> = same.map(|(_, number)| number.to_string()).collect();
            let diagnostic =
                Diagnostic::warning("annotation-number", format!("no field has `@{name}({number})`"))
                    .primary(span, "the list is empty: no field is preserved");
            Some(match &numbers[..] {
                [] => diagnostic.note(format!("write `@{name}({number})` before the fields of the list")),
                [one] => diagnostic.note(format!("fields have `@{name}({one})`")),
                numbers => {
                    diagnostic.note(format!("fields have the numbers {} of `@{name}`", numbers.join(", ")))
                }
            })
        }
        Names::Element(kind, name, count)
            if !count.is_zero() && (number >= count || number.sign() == Sign::Minus) =>
        {
            let message = format!("`{kind}` `{name}` has no element {number}");
            let label = format!("its elements are 0 to {}", count - 1);
            Some(Diagnostic::warning("index-out-of-range", message).primary(span, label))
        }
        // An array without elements is reported where it is declared.
        Names::Element(..) => None,
    }
}

/// An argument for a parameter that refers to a list or an element.
struct ReferringArg<'p> {
    /// The parameter of the enclosing code that is passed on as this argument.
    parameter: Option<VarId>,
    /// The value, if it is constant.
    number: Option<BigInt>,
    span: Span,
    names: Names<'p>,
}

/// Returns the arguments for parameters that refer to a list or an element, in calls, in lists of
/// actions, and in entries.
fn args<'p>(
    program: &'p Program,
    sinks: &Sinks<'p>,
    settled: &ConstantVariables<'_>,
) -> Vec<ReferringArg<'p>> {
    let mut arg_search = ArgSearch { program, sinks, settled, args: Vec::new() };
    walk::program(program, &mut arg_search);
    for (_, table) in program.tables.iter() {
        let mut calls: Vec<_> = table.entries.iter().map(|entry| &entry.call).collect();
        calls.extend(table.default_action.as_ref().map(|default| &default.call));
        for listed in &table.actions {
            arg_search.search_args(&program.actions[listed.action].params, &listed.bound_args);
        }
        for call in calls {
            let Some(listed) = table.actions.get(call.action) else { continue };
            let action = &program.actions[listed.action];
            for (param, value) in action.params[action.directed_params()..].iter().zip(&call.args) {
                arg_search.value(param.var, value);
            }
        }
    }
    arg_search.args
}

struct ArgSearch<'p, 's> {
    program: &'p Program,
    sinks: &'s Sinks<'p>,
    settled: &'s ConstantVariables<'s>,
    args: Vec<ReferringArg<'p>>,
}

impl Visitor for ArgSearch<'_, '_> {
    fn call(&mut self, call: &Call) {
        let program = self.program;
        match &call.callee {
            Callee::ExternFunction(id) => {
                for (position, name) in numbered_params(program, &program.extern_functions[*id]) {
                    if let Some(ArgValue::Expr(value)) = call.args.get(position).map(|arg| &arg.value) {
                        self.add(value, Names::List(name));
                    }
                }
            }
            Callee::Method { object, decl, method } => {
                let Some(array) = array(program, object) else { return };
                let params = &program.externs[*decl].methods[*method].params;
                for (param, arg) in params.iter().zip(&call.args) {
                    if let ArgValue::Expr(value) = &arg.value
                        && program.vars[param.var].annotations.contains(ELEMENT)
                    {
                        self.add(value, array.clone());
                    }
                }
            }
            Callee::Function(_) | Callee::Action(_) | Callee::ApplyControl(_) | Callee::ApplyParser(_) => {
                self.search_args(call.params(program), &call.args);
            }
            _ => {}
        }
    }
}

impl<'p> ArgSearch<'p, '_> {
    fn search_args(&mut self, params: &[Param], args: &[Arg]) {
        for (param, arg) in params.iter().zip(args) {
            if let ArgValue::Expr(value) = &arg.value
                && matches!(param.direction, Direction::In | Direction::None)
            {
                self.value(param.var, value);
            }
        }
    }

    /// Adds the value of a variable as an argument for all that the variable refers to.
    fn value(&mut self, var: VarId, value: &Expr) {
        for names in self.sinks.get(&var).into_iter().flatten() {
            self.add(value, names.clone());
        }
    }

    /// Adds a value as an argument that refers to `names`.
    fn add(&mut self, value: &Expr, names: Names<'p>) {
        let number = self.settled.number(value);
        let parameter = parameter(self.program, value);
        self.args.push(ReferringArg { parameter, number, span: value.span, names });
    }
}

/// Returns the array whose method is called, if the number of its elements is known.
fn array<'p>(program: &'p Program, object: &Expr) -> Option<Names<'p>> {
    let ExprKind::Instance(id) = object.kind else { return None };
    let instance = &program.instances[id];
    let Constructor::Extern { decl, constructor } = instance.construct.constructor else { return None };
    let params = &program.externs[decl].constructors.get(constructor)?.params;
    let position = params.iter().position(|param| program.vars[param.var].annotations.contains(ELEMENTS))?;
    let ArgValue::Expr(size) = &instance.construct.args.get(position)?.value else { return None };
    match evaluate(program, size)? {
        Value::Int(count) => {
            Some(Names::Element(&program.externs[decl].name.text, &instance.name.text, count))
        }
        _ => None,
    }
}
