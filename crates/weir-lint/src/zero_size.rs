//! Finds arrays of counters, meters and registers without elements, and value sets with the size 0.
//! The architecture annotates the constructor parameter for the number of elements with
//! `@elements`.

use num_traits::Zero;
use weir_syntax::{Diagnostic, Diagnostics};

use crate::check::constant::{Value, evaluate};
use crate::hir::{ArgValue, Construct, Constructor, Expr, Program};

/// Reports instances with no elements, and value sets whose size is 0.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, instance) in program.instances.iter() {
        diagnostics.extend(warning(program, &instance.name.text, &instance.construct));
    }
    for (_, set) in program.value_sets.iter().filter(|(_, set)| is_zero(program, &set.size)) {
        let message = format!("value set `{}` has no room for values", set.name.text);
        let diagnostic = Diagnostic::warning("zero-size", message)
            .primary(set.size.span, "every value is refused, so nothing matches");
        diagnostics.push(diagnostic);
    }
}

/// Makes the warning for an extern object without cells.
fn warning(program: &Program, name: &str, construct: &Construct) -> Option<Diagnostic> {
    let Constructor::Extern { decl, constructor } = construct.constructor else { return None };
    let object = &program.externs[decl];
    let params = &object.constructors.get(constructor)?.params;
    let position =
        params.iter().position(|param| program.vars[param.var].annotations.contains("elements"))?;
    let arg = construct.args.get(position)?;
    let ArgValue::Expr(size) = &arg.value else { return None };
    if !is_zero(program, size) {
        return None;
    }
    let message = format!("`{}` `{name}` has no elements", object.name.text);
    Some(Diagnostic::warning("zero-size", message).primary(arg.span, "every index is out of range"))
}

fn is_zero(program: &Program, size: &Expr) -> bool {
    matches!(evaluate(program, size), Some(Value::Int(size)) if size.is_zero())
}
