//! Fills headers with padding, so that they consist of whole bytes.
//!
//! The compiler of the chips chooses the layout of fields that are marked `@flexible`, so the
//! headers of a program need not have whole bytes.

use weir_ir::{HeaderField, HeaderId, Id, Loc, Param, Program, Type, Var, VarId, VarRole};

/// Adds a field to each header type that does not have whole bytes.
pub(super) fn pad_headers(program: &mut Program) {
    for ty in (0..program.header_types.len()).map(Id::new) {
        let of_type = &program.header_types[ty];
        let padding = of_type.fixed_width().next_multiple_of(8) - of_type.fixed_width();
        if padding == 0 || of_type.varbits() > 0 {
            continue;
        }
        let field = HeaderField {
            name: "$padding".to_owned(),
            ty: Type::bit(padding),
            declared: None,
            annotations: Vec::new(),
        };
        program.header_types[ty].fields.push(field);
        for header in (0..program.headers.len()).map(HeaderId::new) {
            if program.headers[header].ty == ty {
                pad(program, header, padding);
            }
        }
    }
}

fn pad(program: &mut Program, header: HeaderId, padding: u32) {
    let name = format!("{}.$padding", program.headers[header].name);
    let last = program.headers[header].fields.last().copied();
    let ty = Type::bit(padding);
    let role = VarRole::Field(header);
    let var = program.vars.push(Var { name, ty, role, annotations: Vec::new(), loc: Loc::NONE });
    program.headers[header].fields.push(var);
    let add = |param: &mut Param| add_to_param(param, header, last, var);
    program.parsers.values_mut().flat_map(|parser| &mut parser.params).for_each(add);
    program.controls.values_mut().flat_map(|control| &mut control.params).for_each(add);
    let methods = program.externs.values_mut().flat_map(|object| &mut object.methods);
    methods.flat_map(|method| &mut method.params).for_each(add);
}

/// Lists the padding after the last field of a header, if the parameter has this header.
fn add_to_param(param: &mut Param, header: HeaderId, last: Option<VarId>, var: VarId) {
    let storage = &mut param.storage;
    if !storage.headers.contains(&header) {
        return;
    }
    let at = last.and_then(|last| storage.vars.iter().position(|var| *var == last));
    let at = at.map_or(storage.vars.len(), |at| at + 1);
    let path = at.checked_sub(1).map_or("", |last| storage.paths[last].as_str());
    let path = match path.rsplit_once('.') {
        Some((header, _)) => format!("{header}.$padding"),
        None => "$padding".to_owned(),
    };
    storage.vars.insert(at, var);
    storage.paths.insert(at, path);
}
