//! Calls and objects of externs that a program declares itself, for which the user has code.

use std::sync::Arc;

use weir_exec::Fault;
use weir_ir::{ArgValue, ConstArg, Direction, ExternInstance, Leaf, Loc, Program, Type, VarId};

use super::{CallSite, Object};
use crate::error::{LoadError, LoadErrorKind, Place};
use crate::externs::ExternState;
use crate::own_externs::{
    OwnArg, OwnCall, OwnCallee, OwnCode, OwnExterns, OwnObject, OwnOutput, OwnPlaces, OwnType,
};
use crate::path::ResolvedCall;

/// Makes an object of a type for which the user has code.
pub(super) fn object(object: &Object<'_>, object_type: &Arc<dyn OwnType>) -> Result<ExternState, LoadError> {
    let ExternInstance { name, kind, args, loc, methods, .. } = object.instance;
    let refused = |problem: String| {
        let message = format!("there is no extern object `{name}` of type `{kind}`: {problem}");
        LoadError::new(object.program, LoadErrorKind::Unsupported, *loc, message)
    };
    if !methods.is_empty() {
        return Err(refused(
            "code from outside cannot call the program's implementations of methods".to_owned(),
        ));
    }
    let args: Result<Vec<OwnArg>, String> = args.iter().map(constructor_arg).collect();
    let state = args.and_then(|args| OwnObject::new(object_type, name, args)).map_err(refused)?;
    Ok(ExternState::Own(Box::new(state)))
}

fn constructor_arg(arg: &ConstArg) -> Result<OwnArg, String> {
    let values = |values, is_scalar| OwnArg::Values { name: "".into(), values, is_scalar, is_written: false };
    match arg {
        ConstArg::Bits(ty, bits) => Ok(values(vec![(*ty, bits.clone())], true)),
        ConstArg::Text(text) => Ok(OwnArg::Text(text.clone())),
        ConstArg::Extern(_) => Err("an argument of its constructor is an extern object".to_owned()),
        ConstArg::List(items) => {
            let item = |item: &ConstArg| match item {
                ConstArg::Bits(ty, bits) => Ok((*ty, bits.clone())),
                _ => Err("an argument of its constructor is a list of other things than numbers".to_owned()),
            };
            Ok(values(items.iter().map(item).collect::<Result<_, _>>()?, false))
        }
    }
}

/// Returns the error for user code with the name of an extern that the architecture implements.
pub(super) fn not_own(program: &Program, loc: Loc, name: &str) -> LoadError {
    let name = name.split('.').next().unwrap_or(name);
    let message = format!("`{name}` is an extern of the architecture, which has code for it");
    let help =
        "declare an extern with another name in the program, and give the code for that name".to_owned();
    LoadError { help: Some(help), ..LoadError::new(program, LoadErrorKind::Unsupported, loc, message) }
}

/// Resolves a call for which the user has code; `None` if there is no such code.
pub(super) fn resolve<A>(
    site: &CallSite<'_, A>,
    own: &OwnExterns,
) -> Option<Result<ResolvedCall, LoadError>> {
    let callee = &site.call.callee;
    let Some((kind, method)) = callee.split_once('.') else {
        let code = Arc::clone(own.function(callee)?);
        let call = match places(site, callee) {
            Ok(call) => call,
            Err(error) => return Some(Err(error)),
        };
        return Some(Ok(ResolvedCall::new(move |_, words| run(&call, &*code, words))));
    };
    let object_type = own.object_type(kind)?;
    if !object_type.has_method(method) {
        let message = format!("the code for the extern `{kind}` has no method `{method}`");
        let help = Some(format!("add a method `{method}` to the class that implements `{kind}`"));
        let error = LoadError::new(site.program, LoadErrorKind::Unsupported, site.loc, message);
        return Some(Err(LoadError { help, ..error }));
    }
    let resolved = site.object().and_then(|object| Ok((object, places(site, method)?)));
    Some(resolved.map(|(object, call)| {
        ResolvedCall::new(move |env, words| match env.object(object) {
            ExternState::Own(own) => run(&call, &*own.code, words),
            _ => Err(Fault::ExternFailed),
        })
    }))
}

fn run(call: &OwnCall, code: &dyn OwnCode, words: &mut [u64]) -> Result<(), Fault> {
    call.run(code, words).map_err(|_| Fault::ExternFailed)
}

/// Finds the places of the call's values in its frame.
fn places<A>(site: &CallSite<'_, A>, name: &str) -> Result<OwnCall, LoadError> {
    let (program, call) = (site.program, site.call);
    let ty = |var: &VarId| program.vars[*var].ty;
    let (mut args, mut outputs, mut output_places) = (Vec::new(), Vec::new(), Vec::new());
    outputs.extend(call.result.iter().map(ty).map(|ty| OwnOutput { ty, is_result: true }));
    output_places.extend(site.frame.result.iter().copied());
    for (arg, places) in call.args.iter().zip(&site.frame.args) {
        let (types, is_scalar) = match &arg.value {
            ArgValue::Text(text) => {
                args.push(OwnPlaces::Text(text.clone()));
                continue;
            }
            ArgValue::Extern(_) => {
                let feature = format!("an extern object as argument `{}` of `{}`", arg.name, call.callee);
                return Err(site.unsupported(feature, None));
            }
            ArgValue::Vars { vars, names } => {
                (vars.iter().map(ty).collect(), vars.len() == 1 && names.iter().all(String::is_empty))
            }
            ArgValue::Leaves(leaves) => (leaf_types(program, leaves), matches!(leaves[..], [Leaf::Value(_)])),
        };
        let values: Vec<_> = types.into_iter().zip(places.iter().copied()).collect();
        let is_written = arg.direction != Direction::In && matches!(arg.value, ArgValue::Vars { .. });
        if is_written {
            outputs.extend(values.iter().map(|(ty, _)| OwnOutput { ty: *ty, is_result: false }));
            output_places.extend(values.iter().map(|(_, place)| *place));
        }
        args.push(OwnPlaces::Values { name: arg.name.as_str().into(), values, is_scalar, is_written });
    }
    let of_args = args.iter().flat_map(|arg| match arg {
        OwnPlaces::Values { values, .. } => &values[..],
        OwnPlaces::Text(_) => &[],
    });
    let mut types = of_args.map(|(ty, _)| *ty).chain(outputs.iter().map(|output| output.ty));
    if types.any(|ty| matches!(ty, Type::Varbit { .. })) {
        let help = "copy the bits into a `bit<W>` first".to_owned();
        return Err(site.unsupported(format!("a varbit in a call of `{}`", call.callee), Some(help)));
    }
    let called = OwnCallee { name: name.to_owned(), place: Place::new(program, site.loc) };
    Ok(OwnCall { called, args, outputs, output_places })
}

fn leaf_types(program: &Program, leaves: &[Leaf]) -> Vec<Type> {
    let mut types = Vec::new();
    for leaf in leaves {
        match leaf {
            Leaf::Value(value) => types.push(value.ty),
            Leaf::Header(id) => {
                types.extend(program.headers[*id].fields.iter().map(|field| program.vars[*field].ty));
            }
        }
    }
    types
}
