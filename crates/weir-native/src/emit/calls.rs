//! Actions, procedures, tables and externs.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_module::Module;
use weir_ir::{ArgValue, ExternCall, Leaf, TableId, Type, VarId};

use super::parse::handed;
use super::{Emit, Inlined};
use crate::analysis::{Body, block_of};
use crate::runtime::{self, ExternSite, FAILED, HIT, TableSite, status};

impl Emit<'_, '_, '_> {
    /// Runs an action or a procedure, copied to here or as a function. Whether it comes back.
    pub(super) fn run(&mut self, body: Body) -> bool {
        if !self.analysis.inline(body) {
            self.call(body);
            return true;
        }
        let after = self.b.create_block();
        self.inlined.push(Inlined { after, used: false });
        let program = self.unit.program;
        let mut alive = self.block(block_of(program, body));
        if alive {
            self.b.ins().jump(after, &[]);
        }
        alive |= self.inlined.pop().is_some_and(|inlined| inlined.used);
        self.go_on(after, alive)
    }

    fn call(&mut self, body: Body) {
        let facts = self.analysis.body(body);
        let function = self.shared.function(self.module, body);
        let function = self.module.declare_func_in_func(function, self.b.func);
        if facts.parses {
            self.keep_position();
        }
        let call = self.b.ins().call(function, &[self.context]);
        let status = self.b.inst_results(call)[0];
        if facts.parses {
            self.take_position();
        }
        self.leave_unless_done(status);
        if facts.externs > 0 {
            self.load_words();
            self.reload(None);
        } else {
            // The validity of a header whose fields it writes is only read.
            self.reload(Some(&mut facts.vars.iter()));
        }
    }

    pub(super) fn apply(&mut self, table: TableId, hit: Option<VarId>, action_run: Option<VarId>) -> bool {
        let program = self.unit.program;
        let of = &program.tables[table];
        let site = self.shared.sites.tables.len() as u64;
        let keys = of.keys.iter().map(|key| handed(key.expr.ty)).collect();
        self.shared.sites.tables.push(TableSite { table, keys });
        let words: Vec<Value> = of
            .keys
            .iter()
            .flat_map(|key| match key.expr.ty {
                Type::Varbit { .. } => vec![self.varbit(&key.expr)],
                _ => self.eval(&key.expr),
            })
            .collect();
        let (words, site) = (self.hand_over(&words), self.k(site));
        let found = self.ask_host(runtime::look_up as *const u8, &[self.context, site, words]);
        let failed = self.compare_k(IntCC::Equal, found, FAILED);
        self.leave_if(failed, status::PANIC);
        let low = self.k(HIT - 1);
        let position = self.b.ins().band(found, low);
        if let Some(hit) = hit {
            let up = self.k(u64::from(HIT.trailing_zeros()));
            let value = self.b.ins().ushr(found, up);
            self.set(hit, &[value]);
        }
        if let Some(action_run) = action_run {
            self.set(action_run, &[position]);
        }
        self.choose(
            position,
            of.actions.len(),
            |emit, i| {
                let action = of.actions[i].action;
                // The look-up left the action data in memory.
                let params = &program.actions[action].params;
                emit.reload(Some(&mut params.iter().map(|param| &param.var)));
                emit.run(Body::Action(action))
            },
            |_| true,
        )
    }

    pub(super) fn call_extern(&mut self, call: &ExternCall) {
        let mut words = Vec::new();
        let mut values = Vec::new();
        for arg in &call.args {
            let ArgValue::Leaves(leaves) = &arg.value else { continue };
            for leaf in leaves {
                let Leaf::Value(value) = leaf else { continue };
                values.push(handed(value.ty));
                match value.ty {
                    Type::Varbit { .. } => words.push(self.varbit(value)),
                    _ => words.extend(self.eval(value)),
                }
            }
        }
        let site = self.shared.sites.externs.len() as u64;
        self.shared.sites.externs.push(ExternSite { call: call.clone(), values });
        let (words, site) = (self.hand_over(&words), self.k(site));
        let status = self.ask_host(runtime::call_extern as *const u8, &[self.context, site, words]);
        self.leave_unless_done(status);
        self.load_words();
        self.reload(None);
    }
}
