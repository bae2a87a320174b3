//! `switch` statements on values and on the action that a table ran.

use rustc_hash::FxHashSet;
use weir_ir as ir;
use weir_ir::{Bits, Block, StmtKind};
use weir_syntax::Span;

use super::fold;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir;

impl Lowerer<'_> {
    /// Lowers `switch (expression)`.
    pub(super) fn switch_value(
        &mut self,
        subject: &hir::Expr,
        cases: &[hir::ValueCase],
        default: Option<&hir::Block>,
    ) -> Lowered<()> {
        let scrutinee = match self.value(subject)? {
            Value::Scalar(scrutinee) => scrutinee,
            _ => return self.unsupported(subject.span, "a switch on a value of this type"),
        };
        let mut seen = FxHashSet::default();
        let mut lowered = Vec::with_capacity(cases.len());
        for case in cases {
            let mut values = Vec::with_capacity(case.values.len());
            for value in &case.values {
                let bits = self.constant_bits(value)?;
                if seen.insert(bits.clone()) {
                    values.push(bits);
                }
            }
            let body = self.nested_block(&case.body)?;
            if !values.is_empty() {
                lowered.push((values, body));
            }
        }
        let default = default.map_or(Ok(Block::default()), |block| self.nested_block(block))?;
        self.emit(StmtKind::Switch { scrutinee, cases: lowered, default });
        Ok(())
    }

    /// Lowers `switch (table.apply().action_run)`.
    pub(super) fn switch_action(
        &mut self,
        table: hir::TableId,
        cases: &[hir::ActionCase],
        default: Option<&hir::Block>,
        span: Span,
    ) -> Lowered<()> {
        let ran = self.temporary_var(fold::U32);
        self.apply_table(table, None, Some(ran), span)?;
        let actions = &self.hir.tables[table].actions;
        let mut lowered = Vec::with_capacity(cases.len());
        for case in cases {
            let positions: Vec<Bits> = case
                .actions
                .iter()
                .filter_map(|action| actions.iter().position(|item| item.action == *action))
                .map(|position| Bits::new(32, position as u128))
                .collect();
            let body = self.nested_block(&case.body)?;
            if !positions.is_empty() {
                lowered.push((positions, body));
            }
        }
        let default = default.map_or(Ok(Block::default()), |block| self.nested_block(block))?;
        let scrutinee: ir::Expr = fold::var(ran, fold::U32);
        self.emit(StmtKind::Switch { scrutinee, cases: lowered, default });
        Ok(())
    }
}
