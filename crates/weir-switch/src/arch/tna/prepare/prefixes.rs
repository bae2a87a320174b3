//! The headers that come before packets in both parsers.

use weir_ir::{Program, Type, VarId};

use super::super::build::{add_control, add_header, add_var, assign, emit, set_valid, value};
use super::super::chip::Chip;
use super::super::hidden::{EGRESS_PREFIX, Hidden, INGRESS_PREFIX};

/// Adds the controls that emit the headers.
pub(super) fn add(program: &mut Program, hidden: &Hidden, chip: Chip) {
    let (data, unused) = chip.port_data();
    let mut fields = vec![
        ("resubmit_flag", 1, Some(hidden.resubmitted)),
        ("_", 6, None),
        ("ingress_port", 9, Some(hidden.ingress_port)),
        ("ingress_mac_tstamp", 48, Some(hidden.arrival)),
        ("port_data", data, Some(hidden.port_data)),
    ];
    fields.extend((unused > 0).then_some(("_", unused, None)));
    add_prefix(program, INGRESS_PREFIX, &fields);
    let fields: Vec<_> = chip
        .egress_fields()
        .into_iter()
        .map(|(name, width)| {
            let var = match name {
                "egress_port" => Some(hidden.egress_port),
                _ if is_filled(name) => Some(add_var(program, &egress_var(name), Type::bit(width))),
                _ => None,
            };
            (name, width, var)
        })
        .collect();
    add_prefix(program, EGRESS_PREFIX, &fields);
}

/// Returns whether the architecture fills a field of the egress metadata, apart from the port.
fn is_filled(name: &str) -> bool {
    matches!(
        name,
        "enq_qdepth"
            | "enq_tstamp"
            | "deq_qdepth"
            | "deq_timedelta"
            | "egress_rid"
            | "egress_qid"
            | "deflection_flag"
            | "pkt_length"
    )
}

/// Returns the name of the variable for a field of the egress metadata.
pub(in crate::arch::tna) fn egress_var(field: &str) -> String {
    format!("$egress.{field}")
}

/// Adds a control that emits a header with these fields: names, widths, and the variables with
/// their values.
fn add_prefix(program: &mut Program, name: &str, fields: &[(&str, u32, Option<VarId>)]) {
    let of_type = |(number, (name, width, _)): (usize, &(&str, u32, _))| {
        (if *name == "_" { format!("_{number}") } else { (*name).to_owned() }, Type::bit(*width))
    };
    let declared: Vec<_> = fields.iter().enumerate().map(of_type).collect();
    let header = add_header(program, &format!("{name}.header"), &declared);
    let mut stmts = vec![set_valid(header)];
    for (position, (_, _, var)) in fields.iter().enumerate() {
        if let Some(var) = var {
            let field = program.headers[header].fields[position];
            stmts.push(assign(program, field, value(program, *var)));
        }
    }
    stmts.push(emit(header));
    add_control(program, name, stmts);
}
