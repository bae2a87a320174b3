//! Arrays of counters, meters and registers without elements. The architecture annotates the
//! constructor's parameter that is the number of elements with `@elements`.

use num_traits::Zero;
use weir_syntax::{Diagnostic, Diagnostics};

use crate::check::constant::{Value, evaluate};
use crate::hir::{ArgValue, Construct, Constructor, Program};

/// Reports instances with no elements.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, instance) in program.instances.iter() {
        diagnostics.extend(warning(program, &instance.name.text, &instance.construct));
    }
}

fn warning(program: &Program, name: &str, construct: &Construct) -> Option<Diagnostic> {
    let Constructor::Extern { decl, constructor } = construct.constructor else { return None };
    let object = &program.externs[decl];
    let params = &object.constructors.get(constructor)?.params;
    let position = params.iter().position(|param| program.vars[param.var].annotations.has("elements"))?;
    let arg = construct.args.get(position)?;
    let ArgValue::Expr(size) = &arg.value else { return None };
    match evaluate(program, size)? {
        Value::Int(size) if size.is_zero() => {}
        _ => return None,
    }
    let message = format!("`{}` `{name}` has no elements", object.name.text);
    Some(Diagnostic::warning("zero-size", message).primary(arg.span, "every index is out of range"))
}
