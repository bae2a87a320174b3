//! Finds the parts of a frame that controls, actions and tables read and write.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use weir_ir::visit::{Visitor, walk_expr, walk_stmt};
use weir_ir::{
    ActionId, Block, ControlId, Expr, ExprKind, ExternCall, HeaderId, HeaderRef, Loc, Place, ProcedureId,
    StackId, Stmt, StmtKind, Table, TableId, VarId, VarRole,
};

use super::calls::{Calls, changes};
use super::parser_paths::ParserPaths;
use super::sums::{Sum, sum};
use super::{Frames, Offload, Reason};
use crate::externs::ExternState;
use crate::externs::hash::HashKind;

/// A walk over the code of all controls, in the order of their steps.
pub(super) struct Code<'a> {
    frames: &'a Frames<'a>,
    calls: &'a Calls<'a>,
    externs: &'a [ExternState],
    differing: BTreeSet<VarId>,
    /// The positions in frames, in bits, of the headers with bytes of IP, TCP or UDP.
    kept: BTreeMap<HeaderId, usize>,
    /// The headers of each parser path that extracts bytes of IP.
    ip_paths: Vec<BTreeSet<HeaderId>>,
    pending: Vec<&'a Block>,
    seen: VisitedCode,
    loc: Loc,
    /// The headers that may become valid.
    pub added: BTreeSet<HeaderId>,
    /// The place where a field of the IPv4 header changes. The header then needs a new checksum.
    ipv4_changes: Option<Loc>,
    /// The first reason why the program can distinguish frames, if there is one.
    outcome: Result<(), Reason>,
}

#[derive(Default)]
struct VisitedCode {
    actions: BTreeSet<ActionId>,
    procedures: BTreeSet<ProcedureId>,
    tables: BTreeSet<TableId>,
}

impl<'a> Code<'a> {
    /// Creates an analysis that has not visited any code yet.
    ///
    /// # Errors
    /// The parser can extract different bytes of IP, TCP or UDP into the same header.
    pub(super) fn new(
        frames: &'a Frames<'a>,
        calls: &'a Calls<'a>,
        externs: &'a [ExternState],
        parser_paths: &ParserPaths,
    ) -> Result<Self, Reason> {
        let mut offsets = BTreeMap::new();
        let mut ip_paths = Vec::new();
        for path in &parser_paths.paths {
            if path.end > frames.layout.network() * 8 {
                ip_paths.push(path.headers.iter().map(|(header, _)| *header).collect());
            }
        }
        for (header, at) in parser_paths.paths.iter().flat_map(|path| &path.headers) {
            let fields = &frames.program.headers[*header].fields;
            let width: usize =
                fields.iter().map(|field| frames.program.vars[*field].ty.width() as usize).sum();
            if at + width > frames.layout.network() * 8 && *offsets.entry(*header).or_insert(*at) != *at {
                let name = &frames.program.headers[*header].name;
                let problem = format!("the parser finds `{name}` at several places");
                return Err(Reason::new(frames.program, Loc::NONE, problem));
            }
        }
        Ok(Self {
            frames,
            calls,
            externs,
            differing: parser_paths.differing.union(&frames.facts).copied().collect(),
            kept: offsets,
            ip_paths,
            pending: Vec::new(),
            seen: VisitedCode::default(),
            loc: Loc::NONE,
            added: parser_paths.added.clone(),
            ipv4_changes: None,
            outcome: Ok(()),
        })
    }

    /// Visits a control and all code that it runs.
    pub(super) fn control(&mut self, control: ControlId) -> Result<(), Reason> {
        self.pending.push(&self.frames.program.controls[control].body);
        while let Some(block) = self.pending.pop() {
            self.block(block);
        }
        std::mem::replace(&mut self.outcome, Ok(()))
    }

    /// Visits the last control before the deparser. If IPv4 headers change, this control must
    /// compute their checksums, and must not change the headers in any other way.
    pub(super) fn last_control(&mut self, control: ControlId) -> Result<(), Reason> {
        let before = self.ipv4_changes.take();
        self.control(control)?;
        let changes = before.filter(|_| !self.computes_sum(&self.frames.program.controls[control].body));
        match self.ipv4_changes.or(changes) {
            Some(loc) => Err(Reason::new(
                self.frames.program,
                loc,
                "a field of IPv4 changes, and no `update_checksum` over all of its header follows",
            )),
            None => Ok(()),
        }
    }

    /// Visits the deparser.
    pub(super) fn deparser(&mut self, control: ControlId) -> Result<(), Reason> {
        self.control(control)?;
        self.ipv4_changes.map_or(Ok(()), |loc| {
            Err(Reason::new(self.frames.program, loc, "the deparser changes a field of IPv4"))
        })
    }

    /// Returns whether a header has bytes of IP, TCP or UDP.
    pub(super) fn is_fixed_header(&self, header: HeaderId) -> bool {
        self.kept.contains_key(&header)
    }

    /// Returns whether a block computes the checksum of each IPv4 header that the parser extracts,
    /// before any statement that does not compute checksums.
    fn computes_sum(&self, block: &Block) -> bool {
        for stmt in &block.0 {
            match &stmt.kind {
                StmtKind::Extern(call) if self.sum(call).is_some_and(|sum| sum.updates && sum.always) => {
                    return true;
                }
                StmtKind::If { condition: Expr { kind: ExprKind::Var(var), .. }, then, .. } => {
                    let role = self.frames.program.vars[*var].role;
                    let is_in_all = |header| self.ip_paths.iter().all(|path| path.contains(&header));
                    return matches!(role, VarRole::Validity(header) if is_in_all(header))
                        && self.computes_sum(then);
                }
                StmtKind::Extern(_) | StmtKind::Assign(..) => {}
                _ => return false,
            }
        }
        false
    }

    /// Returns the checksum of the IPv4 header that a call computes, if it does.
    fn sum(&self, call: &ExternCall) -> Option<Sum> {
        sum(self.frames, self.calls, call, &|var| self.bits(var), &self.ip_paths)
    }

    fn header_offset(&self, header: HeaderId) -> Option<usize> {
        self.kept.get(&header).copied()
    }

    /// Returns the position of a variable in frames, in bits, if it is a field of a header with
    /// bytes of IP, TCP or UDP.
    fn bits(&self, var: VarId) -> Option<Range<usize>> {
        let program = self.frames.program;
        let VarRole::Field(header) = program.vars[var].role else { return None };
        let mut start = self.header_offset(header)?;
        for field in &program.headers[header].fields {
            let width = program.vars[*field].ty.width() as usize;
            if *field == var {
                return Some(start..start + width);
            }
            start += width;
        }
        None
    }

    /// Notes the first reason why the switch cannot handle whole frames.
    fn refuse(&mut self, what: String) {
        if self.outcome.is_ok() {
            self.outcome = Err(Reason::new(self.frames.program, self.loc, what));
        }
    }

    fn write(&mut self, var: VarId) {
        if self.differing.contains(&var) {
            let field = self.frames.describe(Some(var));
            return self.refuse(format!("the program writes {field}"));
        }
        let Some(bits) = self.bits(var) else { return };
        if bits.end <= self.frames.layout.network() * 8 {
            return;
        }
        if self.frames.may_write(bits) {
            let needs_sum = self.frames.offload == Offload::Whole && !self.frames.layout.v6;
            self.ipv4_changes = self.ipv4_changes.or(needs_sum.then_some(self.loc));
        } else {
            let name = &self.frames.program.vars[var].name;
            self.refuse(format!("the program writes `{name}`, on which checksums or segments depend"));
        }
    }

    /// Checks a header that may become valid or invalid.
    fn change(&mut self, header: HeaderId) {
        if self.is_fixed_header(header) {
            let name = &self.frames.program.headers[header].name;
            self.refuse(format!("the program adds, removes or copies `{name}`, on which segments depend"));
        }
        self.added.insert(header);
    }

    fn change_ref(&mut self, header: &HeaderRef) {
        match header {
            HeaderRef::Header(id) => self.change(*id),
            HeaderRef::Element(stack, index) => {
                self.change_stack(*stack);
                self.expr(index);
            }
            HeaderRef::Next(stack) => self.change_stack(*stack),
        }
    }

    fn change_stack(&mut self, stack: StackId) {
        let program = self.frames.program;
        program.stacks[stack].elements.iter().for_each(|header| self.change(*header));
    }

    fn write_to(&mut self, place: &Place) {
        match place {
            Place::Var(var) => self.write(*var),
            Place::Indexed(vars, index) => {
                vars.iter().for_each(|var| self.write(*var));
                self.expr(index);
            }
        }
    }

    fn call(&mut self, call: &ExternCall) {
        if let Err(reason) = self.calls.effect(call, self.loc) {
            self.outcome = std::mem::replace(&mut self.outcome, Ok(())).and(Err(reason));
        }
        if self.frames.offload == Offload::Whole && self.sum(call).is_some() {
            return;
        }
        for expr in Calls::read(self.frames.program, call) {
            self.expr(&expr);
        }
        for var in Calls::written(call) {
            // Whole structs as arguments are metadata.
            if !self.frames.facts.contains(&var) {
                self.write(var);
            }
        }
    }

    fn apply(&mut self, id: TableId) {
        if !self.seen.tables.insert(id) {
            return;
        }
        let program = self.frames.program;
        let table: &'a Table = &program.tables[id];
        let applied = self.loc;
        for key in &table.keys {
            self.loc = key.loc;
            self.expr(&key.expr);
        }
        self.loc = table.loc;
        if self.frames.offload == Offload::Whole {
            if let Some((_, object)) = table.attached.first() {
                self.refuse(format!("{} at table `{}`", changes(program, *object), table.name));
            }
            if let Some(object) = table.implementation
                && let ExternState::Profile(profile) = &self.externs[object.index()]
                && matches!(profile.hash, Some(HashKind::Random))
            {
                self.refuse(format!("table `{}` chooses at random for each packet", table.name));
            }
        }
        let actions = table.actions.iter().map(|listed| listed.action).chain([table.default_action.action]);
        for action in actions {
            self.run_action(action);
        }
        self.loc = applied;
    }

    fn run_action(&mut self, id: ActionId) {
        if self.seen.actions.insert(id) {
            self.pending.push(&self.frames.program.actions[id].body);
        }
    }
}

impl Visitor for Code<'_> {
    fn expr(&mut self, expr: &Expr) {
        let vars: &[VarId] = match &expr.kind {
            ExprKind::Var(var) => std::slice::from_ref(var),
            ExprKind::Indexed { vars, .. } => vars,
            _ => &[],
        };
        if let Some(var) = vars.iter().find(|var| self.differing.contains(var)) {
            let field = self.frames.describe(Some(*var));
            self.refuse(format!("the program reads {field}"));
        }
        walk_expr(self, expr);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.loc = stmt.loc;
        match &stmt.kind {
            StmtKind::Assign(to, from) => {
                self.write_to(to);
                self.expr(from);
            }
            // Headers without bytes of IP, TCP or UDP may become valid or invalid; this one becomes
            // invalid.
            StmtKind::SetInvalid(HeaderRef::Header(header)) if !self.is_fixed_header(*header) => {}
            StmtKind::InvalidateOthers(header) => {
                let siblings = self.frames.program.siblings(*header);
                let fixed_siblings: Vec<_> = siblings.filter(|other| self.is_fixed_header(*other)).collect();
                fixed_siblings.into_iter().for_each(|other| self.change(other));
            }
            StmtKind::SetValid(header) | StmtKind::SetInvalid(header) => self.change_ref(header),
            StmtKind::Copy { to, from } => {
                self.change_ref(to);
                if let HeaderRef::Header(from) = from
                    && let mut fields = self.frames.program.headers[*from].fields.iter()
                    && let Some(field) = fields.find(|field| self.differing.contains(field)).copied()
                {
                    let field_text = self.frames.describe(Some(field));
                    self.refuse(format!("the program copies {field_text}"));
                }
                // The copied header could take the place of a header with bytes of IP, TCP or UDP.
                if !matches!(from, HeaderRef::Header(from) if !self.is_fixed_header(*from)) {
                    self.change_ref(from);
                }
            }
            StmtKind::PushFront(stack, _) | StmtKind::PopFront(stack, _) => self.change_stack(*stack),
            StmtKind::Call(id) => {
                if self.seen.procedures.insert(*id) {
                    self.pending.push(&self.frames.program.procedures[*id].body);
                }
            }
            StmtKind::CallAction(id) => self.run_action(*id),
            StmtKind::Apply { table, .. } => self.apply(*table),
            StmtKind::Extern(call) => self.call(call),
            StmtKind::Emit(_) => {}
            _ => walk_stmt(self, stmt),
        }
    }
}
