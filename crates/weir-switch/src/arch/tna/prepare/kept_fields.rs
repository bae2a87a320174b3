//! Fields that a program writes before it makes their header valid. In the chip, they keep their
//! values. [`StmtKind::SetValid`] sets the fields of an invalid header to 0, so such fields are
//! saved before it.

use std::collections::{BTreeMap, BTreeSet};

use weir_ir::passes::rewrite;
use weir_ir::{
    ArgValue, Block, ControlId, HeaderId, HeaderRef, Place, ProcedureId, Program, Stmt, StmtKind, Type,
    VarId, VarRole,
};

use super::super::build::{add_var, assign, value};

/// Saves the fields that these controls write before they make the headers valid.
pub(super) fn keep(program: &mut Program, controls: [ControlId; 2]) {
    let mut walk = Walk { program, kept: BTreeMap::new(), known: BTreeMap::new() };
    for control in controls {
        walk.block(&program.controls[control].body, &mut BTreeSet::new());
    }
    let kept = walk.kept;
    if kept.is_empty() {
        return;
    }
    let saved: BTreeMap<VarId, VarId> = kept
        .values()
        .flatten()
        .map(|field| {
            let (name, ty) = (format!("$kept.{}", program.vars[*field].name), program.vars[*field].ty);
            (*field, add_var(program, &name, ty))
        })
        .collect();
    rewrite(program, &mut |program, stmt| {
        let StmtKind::SetValid(HeaderRef::Header(header)) = &stmt.kind else { return vec![stmt] };
        let fields = kept.get(header).into_iter().flatten().map(|field| (*field, saved[field]));
        let fields: Vec<(VarId, VarId)> = fields.collect();
        let save = fields.iter().map(|(field, saved)| assign(program, *saved, value(program, *field)));
        let restore = fields.iter().map(|(field, saved)| assign(program, *field, value(program, *saved)));
        save.chain([stmt]).chain(restore).collect()
    });
}

struct Walk<'p> {
    program: &'p Program,
    /// The fields that may have been written before a statement makes their header valid.
    kept: BTreeMap<HeaderId, BTreeSet<VarId>>,
    /// The fields that have been written after a procedure, given those before it.
    known: BTreeMap<(ProcedureId, BTreeSet<VarId>), BTreeSet<VarId>>,
}

impl Walk<'_> {
    /// Follows statements. `written` are the fields that have been written since the last statement
    /// that made their header valid.
    fn block(&mut self, block: &Block, written: &mut BTreeSet<VarId>) {
        block.0.iter().for_each(|stmt| self.stmt(stmt, written));
    }

    /// Follows several branches; a packet takes one of them.
    fn branches<'b>(&mut self, blocks: impl IntoIterator<Item = &'b Block>, written: &mut BTreeSet<VarId>) {
        let before = written.clone();
        for block in blocks {
            let mut after = before.clone();
            self.block(block, &mut after);
            written.append(&mut after);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, written: &mut BTreeSet<VarId>) {
        let program = self.program;
        match &stmt.kind {
            StmtKind::Assign(Place::Var(var), _) => self.write([*var], written),
            StmtKind::Assign(Place::Indexed(vars, _), _) => self.write(vars.iter().copied(), written),
            StmtKind::Extern(call) => {
                for arg in &call.args {
                    if let ArgValue::Vars { vars, .. } = &arg.value {
                        self.write(vars.iter().copied(), written);
                    }
                }
                self.write(call.result.iter().copied(), written);
            }
            StmtKind::SetValid(HeaderRef::Header(header)) => {
                for field in &program.headers[*header].fields {
                    if written.remove(field) {
                        self.kept.entry(*header).or_default().insert(*field);
                    }
                }
            }
            StmtKind::Copy { to: HeaderRef::Header(to), from } => {
                let to = &program.headers[*to].fields;
                let from = match from {
                    HeaderRef::Header(from) => program.headers[*from].fields.as_slice(),
                    _ => &[],
                };
                for (place, field) in to.iter().enumerate() {
                    match from.get(place).is_some_and(|from| written.contains(from)) {
                        true => written.insert(*field),
                        false => written.remove(field),
                    };
                }
            }
            StmtKind::If { then, otherwise, .. } => self.branches([then, otherwise], written),
            StmtKind::Switch { cases, default, .. } => {
                self.branches(cases.iter().map(|(_, block)| block).chain([default]), written);
            }
            StmtKind::Loop { body, step, .. } => {
                // Fields that one round writes are there in the next.
                let mut before = None;
                while before.as_ref() != Some(&*written) {
                    before = Some(written.clone());
                    self.branches([body], written);
                    self.branches([step], written);
                }
            }
            StmtKind::Call(id) => {
                let key = (*id, written.clone());
                if let Some(after) = self.known.get(&key) {
                    written.clone_from(after);
                    return;
                }
                self.block(&program.procedures[*id].body, written);
                self.known.insert(key, written.clone());
            }
            StmtKind::CallAction(id) => self.block(&program.actions[*id].body, written),
            StmtKind::Apply { table, .. } => {
                let table = &program.tables[*table];
                let actions = table.actions.iter().map(|listed| listed.action);
                let actions = actions.chain([table.default_action.action]);
                self.branches(actions.map(|id| &program.actions[id].body), written);
            }
            _ => {}
        }
    }

    fn write(&self, new: impl IntoIterator<Item = VarId>, written: &mut BTreeSet<VarId>) {
        let vars = &self.program.vars;
        let is_field = |var: &VarId| {
            matches!(vars[*var].role, VarRole::Field(_)) && !matches!(vars[*var].ty, Type::Varbit { .. })
        };
        written.extend(new.into_iter().filter(is_field));
    }
}
