//! `port_metadata_unpack`: the data of the packet's port, which controllers write into a table.

use std::collections::BTreeMap;

use weir_ir::passes::rewrite_parser;
use weir_ir::{
    Action, ActionCall, ActionParam, ActionRef, Bits, Block, DataType, DeclaredKind, DeclaredMember, Expr,
    ExprKind, ExternCall, Key, Loc, ParserId, Place, Program, Stmt, StmtKind, Table, Type, VarId, VarRole,
};

use super::super::build::{
    add_control, add_var, assign, cast, concat, equals, number, set_valid, stmt, value,
};
use super::super::chip::Chip;
use super::super::hidden::{Hidden, PORT_METADATA};
use super::pipes::Pipes;

/// Replaces the calls in the ingress parsers of pipes by reads of the bytes before the packet. If
/// there are any, or if a parser may read the data of ports in another way, adds tables with these
/// data, and the control that applies them.
pub(super) fn unpack(
    program: &mut Program,
    (pipes, parsers): (&Pipes, &[ParserId]),
    hidden: &Hidden,
    chip: Chip,
) {
    let mut applied = Vec::new();
    for parser in parsers {
        let mut fields = None;
        rewrite_parser(program, *parser, &mut |program, stmt| match &stmt.kind {
            StmtKind::Extern(call) if call.callee == "port_metadata_unpack" => {
                let Some(stmts) = read(program, call, stmt.loc, chip) else { return vec![stmt] };
                fields.get_or_insert_with(|| names_and_types(program, call));
                stmts
            }
            _ => vec![stmt],
        });
        let fields = fields.or_else(|| {
            let whole = || vec![(DEFAULT_FIELD.to_owned(), chip.port_data().0)];
            (!skips(program, *parser, chip)).then(whole)
        });
        let apply = fields.map(|fields| add_table(program, &fields, *parser, (hidden, chip)));
        applied.push(Block(apply.into_iter().collect()));
    }
    if applied.iter().all(|block| block.0.is_empty()) {
        return;
    }
    // The data of resubmitted packets stay.
    let condition = equals(value(program, hidden.resubmitted), 0);
    let then = pipes.choose(&value(program, hidden.ingress_port), applied);
    let otherwise = Block::default();
    add_control(program, PORT_METADATA, vec![stmt(StmtKind::If { condition, then, otherwise })]);
}

/// The name of the data of ports if the program does not divide them into fields.
const DEFAULT_FIELD: &str = "$DEFAULT_FIELD";

/// Returns whether a parser skips the data of ports, so that nobody reads them.
fn skips(program: &Program, parser: ParserId, chip: Chip) -> bool {
    let (width, unused) = chip.port_data();
    let all = u64::from(width + unused);
    let is_all = |size: &Expr| matches!(&size.kind, ExprKind::Const(bits) if bits.low_u64() == all);
    program.parsers[parser].states.values().any(|state| {
        state.body.0.iter().any(|stmt| matches!(&stmt.kind, StmtKind::Advance(size) if is_all(size)))
    })
}

/// Returns the statements that read the bytes; `None` if the result has more bits than the port
/// data.
fn read(program: &mut Program, call: &ExternCall, loc: Loc, chip: Chip) -> Option<Vec<Stmt>> {
    let (width, unused) = chip.port_data();
    let data = add_var(program, "$unpacked", Type::bit(width));
    let mut left = width;
    let mut stmts = vec![Stmt { kind: StmtKind::Lookahead(Place::Var(data)), loc }];
    for to in &call.result {
        if let VarRole::Validity(header) = program.vars[*to].role {
            stmts.push(Stmt { loc, ..set_valid(header) });
            continue;
        }
        let bits = program.vars[*to].ty.width();
        let low = left.checked_sub(bits)?;
        if bits > 0 {
            let operand = Box::new(value(program, data));
            let kind = ExprKind::Slice { operand, high: left - 1, low };
            stmts.push(assign(program, *to, Expr { kind, ty: Type::bit(bits) }));
        }
        left = low;
    }
    let skipped = number(Type::bit(32), u128::from(width + unused));
    stmts.push(Stmt { kind: StmtKind::Advance(skipped), loc });
    Some(stmts)
}

/// Returns the names and widths of the values that a call returns.
fn names_and_types(program: &Program, call: &ExternCall) -> Vec<(String, u32)> {
    let mut names = Vec::new();
    call.declared.iter().for_each(|of| add_names(program, of, "", &mut names));
    let is_value = |var: &&VarId| !matches!(program.vars[**var].role, VarRole::Validity(_));
    let values = call.result.iter().filter(is_value);
    let name = |position: usize| names.get(position).cloned().unwrap_or_else(|| format!("field{position}"));
    values.enumerate().map(|(position, var)| (name(position), program.vars[*var].ty.width())).collect()
}

/// Adds the names of the numbers of which data consist.
fn add_names(program: &Program, of: &DataType, name: &str, names: &mut Vec<String>) {
    let mut add = |members: &[DeclaredMember]| {
        for member in members {
            let dot = if name.is_empty() { "" } else { "." };
            add_names(program, &member.ty, &format!("{name}{dot}{}", member.name), names);
        }
    };
    match of {
        DataType::Named(id) => match &program.declared[*id].kind {
            DeclaredKind::Struct(members) | DeclaredKind::Header(members) | DeclaredKind::Union(members) => {
                add(members);
            }
            _ => names.push(name.to_owned()),
        },
        _ => names.push(name.to_owned()),
    }
}

/// Adds the table of the data of ports, with these values for each port, and returns the statement
/// that applies it. Packets of other ports have zeros.
fn add_table(
    program: &mut Program,
    fields: &[(String, u32)],
    parser: ParserId,
    (hidden, chip): (&Hidden, Chip),
) -> Stmt {
    let parser = program.parsers[parser].name.clone();
    let (name, table) = (format!("{parser}.$set_port_metadata"), format!("{parser}.$PORT_METADATA"));
    let params: Vec<ActionParam> = fields
        .iter()
        .map(|(field, width)| ActionParam {
            name: field.clone(),
            var: add_var(program, &format!("{name}.{field}"), Type::bit(*width)),
            declared: None,
            annotations: Vec::new(),
        })
        .collect();
    let bits: u32 = fields.iter().map(|(_, width)| width).sum();
    let width = chip.port_data().0;
    let padding = (bits < width).then(|| number(Type::bit(width - bits), 0));
    let values = params.iter().map(|param| value(program, param.var));
    let all = values.chain(padding).reduce(concat).unwrap_or_else(|| number(Type::bit(width), 0));
    let body = Block(vec![assign(program, hidden.port_data, cast(all, Type::bit(width)))]);
    let args = fields.iter().map(|(_, width)| Bits::zero(*width)).collect();
    let action = program.actions.push(Action {
        name,
        control_plane: None,
        params,
        body,
        annotations: Vec::new(),
        loc: Loc::NONE,
    });
    let key = Key {
        name: "ig_intr_md.ingress_port".to_owned(),
        expr: value(program, hidden.ingress_port),
        declared: None,
        match_kind: "exact".to_owned(),
        annotations: Vec::new(),
        loc: Loc::NONE,
    };
    let listed = ActionRef {
        action,
        default_only: false,
        table_only: false,
        group_only: false,
        composed: None,
        annotations: Vec::new(),
    };
    let table = program.tables.push(Table {
        name: table,
        keys: vec![key],
        actions: vec![listed],
        default_action: ActionCall { action, args },
        const_default: false,
        entries: Vec::new(),
        const_entries: false,
        size: Some(288),
        implementation: None,
        attached: Vec::new(),
        properties: Vec::new(),
        property_locs: BTreeMap::new(),
        annotations: Vec::new(),
        loc: Loc::NONE,
    });
    stmt(StmtKind::Apply { table, hit: None, action_run: None })
}
