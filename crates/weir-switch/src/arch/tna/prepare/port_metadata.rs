//! `port_metadata_unpack`: the data of the packet's port, which controllers write into a table.

use weir_ir::passes::rewrite;
use weir_ir::{Expr, ExprKind, Place, Program, Stmt, StmtKind, Type, VarRole};

use super::super::build::{add_var, assign, number, set_valid, value};
use super::super::chip::Chip;

/// Replaces the calls by reads of the bytes before the packet.
pub(super) fn unpack(program: &mut Program, chip: Chip) {
    let (width, unused) = chip.port_data();
    rewrite(program, &mut |program, stmt| {
        let StmtKind::Extern(call) = &stmt.kind else { return vec![stmt] };
        if call.callee != "port_metadata_unpack" {
            return vec![stmt];
        }
        let loc = stmt.loc;
        let data = add_var(program, "$unpacked", Type::bit(width));
        let mut left = width;
        let mut stmts = vec![Stmt { kind: StmtKind::Lookahead(Place::Var(data)), loc }];
        for to in &call.result {
            if let VarRole::Validity(header) = program.vars[*to].role {
                stmts.push(Stmt { loc, ..set_valid(header) });
                continue;
            }
            let bits = program.vars[*to].ty.width();
            if bits > left {
                return vec![stmt];
            }
            let operand = Box::new(value(program, data));
            let kind = ExprKind::Slice { operand, high: left - 1, low: left - bits };
            stmts.push(assign(program, *to, Expr { kind, ty: Type::bit(bits) }));
            left -= bits;
        }
        let skipped = number(Type::bit(32), u128::from(width + unused));
        stmts.push(Stmt { kind: StmtKind::Advance(skipped), loc });
        stmts
    });
}
