//! Checks standard metadata, and the effects of copies of packets.

use num_bigint::BigInt;
use weir_compiler::hir::walk::Visitor;
use weir_compiler::hir::{Call, Callee, Expr, ExprKind, Program, Stmt, StmtKind, Type, VarId};
use weir_syntax::Span;

use crate::code::{Block, Code, Role};
use crate::names::{argument, function, number, same_place, standard_metadata, variable};
use crate::report::Report;
use crate::rules::{
    CLONE_IN_PARSER, PACKET_LENGTH, PRIORITY, QUEUE_TIME, RESUBMITTED_PORT, TRUNCATE, TRUNCATED_PAYLOAD,
};

/// Checks the use of metadata.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let seen: Vec<(Role, BlockFacts<'_>)> =
        code.blocks.iter().map(|block| (block.role, BlockFacts::collect(block))).collect();
    let calls = |name: &str| -> Vec<Span> {
        let all = seen.iter().flat_map(|(_, seen)| &seen.functions);
        all.filter(|(called, _)| called.starts_with(name)).map(|(_, span)| *span).collect()
    };
    let reads = |name: &str| -> Option<Span> {
        let all = seen.iter().flat_map(|(_, seen)| &seen.standard);
        all.filter(|(field, _)| *field == name).map(|(_, span)| *span).next()
    };
    for (_, seen) in &seen {
        seen.priorities.iter().for_each(|&span| report.add(&PRIORITY, span, ""));
    }
    if let Some(read) = reads("deq_timedelta") {
        report.add(&QUEUE_TIME, read, "");
    }
    if let Some(read) = reads("ingress_port").filter(|_| !calls("resubmit").is_empty()) {
        report.add(&RESUBMITTED_PORT, read, "read here");
    }
    let truncated = calls("truncate");
    let copies = !calls("recirculate").is_empty() || seen.iter().any(|(_, seen)| seen.multicast);
    for &span in truncated.iter().filter(|_| copies) {
        report.add(&TRUNCATE, span, "");
    }
    for span in calls("update_checksum_with_payload").into_iter().filter(|_| !truncated.is_empty()) {
        report.add(&TRUNCATED_PAYLOAD, span, "");
    }
    let resized = seen.iter().any(|(role, seen)| *role == Role::Ingress && seen.resizes);
    for (role, seen) in &seen {
        let mut lengths = seen.standard.iter().filter(|(field, _)| *field == "packet_length");
        if let Some((_, span)) = lengths.next().filter(|_| resized && *role == Role::Egress) {
            report.add(&PACKET_LENGTH, *span, "");
        }
    }
    if seen.iter().any(|(_, seen)| seen.ingress_clone) {
        for block in code.blocks.iter().filter(|block| block.role == Role::Parser) {
            parser_metadata(block, report);
        }
    }
}

/// The facts about a block that the rules of this module need.
struct BlockFacts<'a> {
    program: &'a Program,
    functions: Vec<(&'a str, Span)>,
    /// The fields of standard metadata that are read or written.
    standard: Vec<(&'a str, Span)>,
    /// The assignments of priorities that may be above 0.
    priorities: Vec<Span>,
    multicast: bool,
    ingress_clone: bool,
    /// Whether headers become valid or invalid.
    resizes: bool,
}

impl<'a> BlockFacts<'a> {
    /// Collects a block's uses of metadata.
    fn collect(block: &Block<'a>) -> Self {
        let mut seen = Self {
            program: block.program,
            functions: Vec::new(),
            standard: Vec::new(),
            priorities: Vec::new(),
            multicast: false,
            ingress_clone: false,
            resizes: false,
        };
        block.visit(&mut seen);
        seen
    }
}

impl Visitor for BlockFacts<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let Some(field) = standard_metadata(self.program, expr) {
            self.standard.push((field, expr.span));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let StmtKind::Assign { target, value } = &stmt.kind else { return };
        match standard_metadata(self.program, target) {
            Some("priority") if number(self.program, value) != Some(BigInt::ZERO) => {
                self.priorities.push(stmt.span);
            }
            Some("mcast_grp") => self.multicast = true,
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let is_resize = matches!(call.callee, Callee::SetValid(_) | Callee::SetInvalid(_));
        self.resizes |= is_resize;
        let Some(name) = function(self.program, call) else { return };
        self.functions.push((name, call.span));
        if name.starts_with("clone") {
            self.ingress_clone |= argument(call, 0).is_some_and(|kind| match &kind.kind {
                ExprKind::EnumMember { decl, member } => {
                    self.program.enums[*decl].members[*member].name.text == "I2E"
                }
                _ => false,
            });
        }
    }
}

/// Reports metadata that the parser reads but does not set.
fn parser_metadata(block: &Block<'_>, report: &mut Report<'_>) {
    let program = block.program;
    let params = block.parsers.iter().flat_map(|&parser| &program.parsers[parser].params);
    let metadata = params.map(|param| param.var).filter(|&var| match program.types[program.vars[var].ty] {
        Type::Record { decl, .. } => program.records[decl].name.text != "standard_metadata_t",
        _ => false,
    });
    let mut places = Places { program, metadata: metadata.collect(), read: Vec::new(), written: Vec::new() };
    block.visit(&mut places);
    // `extract` writes headers and is not an assignment: only metadata is assigned.
    for place in &places.read {
        if !places.written.iter().any(|written| same_place(written, place)) {
            report.add(&CLONE_IN_PARSER, place.span, "");
        }
    }
}

/// Collects the places that a block reads and writes.
struct Places<'a> {
    program: &'a Program,
    metadata: Vec<VarId>,
    read: Vec<Expr>,
    written: Vec<Expr>,
}

/// The fields that the switch sets for every pass.
const SET_IN_EVERY_PASS: [&str; 4] = ["ingress_port", "instance_type", "packet_length", "parser_error"];

impl Visitor for Places<'_> {
    fn expr(&mut self, expr: &Expr) {
        let of_switch =
            standard_metadata(self.program, expr).is_some_and(|field| !SET_IN_EVERY_PASS.contains(&field));
        let mine = crate::names::bits(self.program, expr.ty).is_some()
            && matches!(&expr.kind, ExprKind::Field { base, .. }
                if crate::names::record_kind(self.program, base.ty) == Some(weir_compiler::hir::RecordKind::Struct))
            && standard_metadata(self.program, expr).is_none()
            && variable(expr).is_some_and(|var| self.metadata.contains(&var));
        if of_switch || mine {
            self.read.push(expr.clone());
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign { target, .. } = &stmt.kind {
            self.written.push(target.clone());
        }
    }
}
