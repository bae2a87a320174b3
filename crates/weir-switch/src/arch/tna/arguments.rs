//! Checks the calls that `prepare` replaces: the blocks that make them, and their arguments.

use std::collections::BTreeSet;

use weir_ir::visit::extern_calls;
use weir_ir::{
    Arg, ArgValue, Expr, ExprKind, ExternCall, Leaf, Package, PackageArg, Program, Type, VarId, VarRole,
};

use super::chip::Chip;
use super::{ARCHITECTURE, Blocks, SHAPE, externs, hidden};
use crate::arch::calls::misplaced_calls;
use crate::error::LoadError;

/// Finds the mistakes in a program that is not prepared yet.
pub(super) fn check(program: &Program, package: &Package) -> Vec<LoadError> {
    let Ok(blocks) = Blocks::new(program, package, &SHAPE) else { return Vec::new() };
    if hidden::is_prepared(program) {
        return Vec::new();
    }
    let chip = Chip::of(program, &blocks);
    let mut mistakes: Vec<LoadError> = Vec::new();
    for (call, loc) in extern_calls(program) {
        if let Some(problem) = problem(program, call, chip) {
            let message = format!("this call of `{}` does not fit its extern: {problem}", call.callee);
            mistakes.push(LoadError::malformed(program, loc, message));
        }
    }
    let is_pipe = |pipe: &usize| matches!(package.args.get(*pipe), Some((_, PackageArg::Package(_))));
    let pipes = ARCHITECTURE.pipes_of(package).into_iter().filter(is_pipe);
    let calls = externs::calls();
    mistakes.extend(
        pipes.flat_map(|pipe| misplaced_calls(program, (package, pipe), ARCHITECTURE.blocks, &calls)),
    );
    // Several copies of a block contain the same calls.
    let mut seen = BTreeSet::new();
    mistakes.retain(|mistake| seen.insert((mistake.loc, mistake.message.clone())));
    mistakes
}

/// Returns what is wrong with the arguments or the result of a call.
fn problem(program: &Program, call: &ExternCall, chip: Chip) -> Option<String> {
    let arg = |name: &str| call.args.iter().find(|arg| arg.name == name);
    let (object, method) = call.callee.rsplit_once('.').unwrap_or(("", &call.callee));
    match (object, method) {
        ("", "max" | "min") => call.args.iter().find_map(|arg| not_a_number(program, arg)),
        ("", "funnel_shift_right") => funnel_shift(program, call),
        ("", "sizeInBits" | "sizeInBytes") => {
            let has_varbit = types(program, call.args.first()?).iter().any(is_varbit);
            has_varbit.then(|| "its argument has a `varbit`, whose size is known only at run time".to_owned())
        }
        ("", "invalidate") => {
            let ArgValue::Leaves(leaves) = &call.args.first()?.value else { return None };
            let is_place = |leaf: &Leaf| match leaf {
                Leaf::Header(_) => true,
                Leaf::Value(value) => {
                    matches!(value.kind, ExprKind::Var(_)) && matches!(value.ty, Type::Bits { .. })
                }
            };
            (!leaves.iter().all(is_place)).then(|| {
                "its argument must be a header, a header field or metadata that is a number, not a computed value"
                    .to_owned()
            })
        }
        ("", "is_validated") => {
            let ArgValue::Leaves(leaves) = &call.args.first()?.value else { return None };
            let is_place = match leaves.as_slice() {
                [Leaf::Header(_)] => true,
                [Leaf::Value(Expr { kind: ExprKind::Var(var), ty })] => {
                    matches!(program.vars[*var].role, VarRole::Field(_)) || matches!(ty, Type::Bits { .. })
                }
                _ => false,
            };
            (!is_place).then(|| {
                "its argument must be one header, one header field or one number of the metadata".to_owned()
            })
        }
        ("", "port_metadata_unpack") => {
            let is_data = |var: &&VarId| !matches!(program.vars[**var].role, VarRole::Validity(_));
            let bits: u64 = call.result.iter().filter(is_data).map(|var| width(program.vars[*var].ty)).sum();
            let most = u64::from(chip.port_data().0);
            (bits > most)
                .then(|| format!("its result has {bits} bits, but a port has only {most} bits of data"))
        }
        ("ParserCounter", "set" | "push") => counter_load(program, call),
        ("Mirror", "emit") => not_numbers(program, arg("hdr")?),
        ("Resubmit", "emit") => {
            let data = arg("hdr")?;
            not_numbers(program, data).or_else(|| {
                let bits: u64 = types(program, data).into_iter().map(width).sum();
                let most = u64::from(chip.port_data().0);
                (bits > most).then(|| {
                    format!("`hdr` has {bits} bits, but a resubmitted packet carries at most {most}")
                })
            })
        }
        (object, "min8" | "max8" | "min16" | "max16") if object.contains("RegisterAction") => {
            let (values, mask) = (call.args.first()?, call.args.get(1)?);
            let is_number = |ty: &Type| matches!(ty, Type::Bits { .. });
            if types(program, values).iter().all(is_number) {
                not_a_number(program, mask)
            } else {
                Some(format!("`{}` must consist of numbers", values.name))
            }
        }
        _ => None,
    }
}

fn width(ty: Type) -> u64 {
    u64::from(ty.width())
}

fn is_varbit(ty: &Type) -> bool {
    matches!(ty, Type::Varbit { .. })
}

/// Returns the types of an argument's values.
fn types(program: &Program, arg: &Arg) -> Vec<Type> {
    match &arg.value {
        ArgValue::Leaves(leaves) => leaves.iter().flat_map(|leaf| types_of_leaf(program, leaf)).collect(),
        ArgValue::Vars { vars, .. } => vars.iter().map(|var| program.vars[*var].ty).collect(),
        ArgValue::Text(_) | ArgValue::Extern(_) => Vec::new(),
    }
}

fn types_of_leaf(program: &Program, leaf: &Leaf) -> Vec<Type> {
    match leaf {
        Leaf::Value(value) => vec![value.ty],
        Leaf::Header(id) => program.headers[*id].fields.iter().map(|field| program.vars[*field].ty).collect(),
    }
}

/// Returns the problem of an argument that is not one number.
fn not_a_number(program: &Program, arg: &Arg) -> Option<String> {
    let is_header = matches!(&arg.value, ArgValue::Leaves(leaves) if leaves.iter().any(|leaf| matches!(leaf, Leaf::Header(_))));
    let is_number = !is_header && matches!(types(program, arg)[..], [Type::Bits { .. }]);
    (!is_number).then(|| format!("`{}` must be one number of type `bit` or `int`", arg.name))
}

/// Returns the problem of an argument that does not consist of numbers and booleans.
fn not_numbers(program: &Program, arg: &Arg) -> Option<String> {
    let fits = types(program, arg).iter().all(|ty| matches!(ty, Type::Bits { .. } | Type::Bool));
    (!fits).then(|| format!("`{}` must consist of numbers and booleans", arg.name))
}

/// Returns the problem of `funnel_shift_right(dst, src1, src2, shift_amount)`.
fn funnel_shift(program: &Program, call: &ExternCall) -> Option<String> {
    let [dst, src1, src2, amount] = &call.args[..] else { return None };
    if let Some(problem) = [dst, src1, src2].into_iter().find_map(|arg| not_a_number(program, arg)) {
        return Some(problem);
    }
    let most = types(program, src1).into_iter().map(width).sum::<u64>();
    let ArgValue::Leaves(leaves) = &amount.value else { return None };
    let [Leaf::Value(Expr { kind: ExprKind::Const(bits), ty })] = leaves.as_slice() else {
        return Some(format!("`{}` must be a constant", amount.name));
    };
    let is_negative = matches!(ty, Type::Bits { signed: true, .. }) && bits.sign_bit();
    let fits = !is_negative && bits.to_u64().is_some_and(|bits| bits <= most);
    (!fits).then(|| {
        let written = if is_negative { bits.to_signed().to_string() } else { bits.to_string() };
        format!("`{}` is {written}, but must be between 0 and {most}", amount.name)
    })
}

/// Returns the problem of a call that loads a parser's counter.
fn counter_load(program: &Program, call: &ExternCall) -> Option<String> {
    let arg = |name: &str| call.args.iter().find(|arg| arg.name == name);
    if let Some(value) = arg("value").or_else(|| arg("field"))
        && let Some(problem) = not_a_number(program, value)
    {
        return Some(problem);
    }
    let is_constant = |arg: &Arg| {
        matches!(&arg.value, ArgValue::Leaves(leaves)
            if matches!(leaves.as_slice(), [Leaf::Value(Expr { kind: ExprKind::Const(_), .. })]))
    };
    let needs_constant =
        |arg: &&Arg| arg.name == "rotate" || arg.name == "mask" && types(program, arg) == [Type::bit(3)];
    let wrong = call.args.iter().filter(needs_constant).find(|arg| !is_constant(arg))?;
    Some(format!("`{}` must be a constant", wrong.name))
}
