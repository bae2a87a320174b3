//! Finds metadata of the architecture that is read before the switch sets it, or written where a
//! write has no effect.
//!
//! The architecture annotates the fields of its structs with the name of one of the package's
//! blocks: `@set_after("block")` if the switch sets the field after that block has run, and
//! `@read_after("block")` if the switch reads the field when that block ends.

use rustc_hash::FxHashSet;
use weir_syntax::Diagnostic;

use super::Flow;
use super::fields::{field, is_neutral, senders};
use super::report::source_text;
use crate::hir::{Expr, Field, PackageId, RecordId, Type};

/// The analysed block, and the findings in it.
#[derive(Default)]
pub(super) struct TimingCheck {
    /// The package, and the position of the block among its parameters; `None` outside of `main`.
    pub stage: Option<(PackageId, usize)>,
    /// Whether the key of a table without effect is being read. Such a table shows values for
    /// debugging.
    pub only_for_debugging: bool,
    /// The fields that the program writes before the switch sets them.
    written_early: FxHashSet<(RecordId, usize)>,
}

impl Flow<'_> {
    /// Returns the position of the block that the annotation names, and the name of its type.
    pub(super) fn named_stage(&self, field: &Field, annotation: &str) -> Option<(usize, String)> {
        let (package, _) = self.timing.stage?;
        let name = field.annotations.get(annotation)?.string()?;
        let params = &self.program.packages[package].params;
        let position = params.iter().position(|param| self.program.vars[param.var].name.text == name)?;
        let only_for_debugging = match self.program.types[self.program.vars[params[position].var].ty] {
            Type::BlockType { decl, .. } => self.program.block_types[decl].name.text.clone(),
            _ => name.to_owned(),
        };
        Some((position, only_for_debugging))
    }

    /// Checks a read of a field.
    pub(super) fn check_read_time(&mut self, expr: &Expr) {
        if self.now.is_none() || self.timing.only_for_debugging {
            return;
        }
        let Some((field, record, index)) = field(self.program, expr) else { return };
        let (Some((position, block)), Some((_, stage))) =
            (self.named_stage(field, "set_after"), self.timing.stage)
        else {
            return;
        };
        if stage > position || self.timing.written_early.contains(&(record, index)) {
            return;
        }
        let message = format!("`{}` is read before it has a value", source_text(self.program, expr));
        let label = format!("the switch sets this field after `{block}`");
        self.warn(Diagnostic::warning("read-too-early", message).primary(expr.span, label));
    }

    /// Checks a write of `value`, if it is known, to `target`.
    pub(super) fn check_write_time(&mut self, target: &Expr, value: Option<&Expr>) {
        if self.now.is_none() {
            return;
        }
        let Some((field, record, index)) = field(self.program, target) else { return };
        let Some((_, stage)) = self.timing.stage else { return };
        let name = source_text(self.program, target);
        if let Some((position, block)) = self.named_stage(field, "set_after")
            && stage <= position
        {
            self.timing.written_early.insert((record, index));
            let message = format!("`{name}` is written too early");
            let label = format!("lost: the switch sets this field itself after `{block}`");
            let mut diagnostic =
                Diagnostic::warning("written-too-early", message).primary(target.span, label);
            let senders = senders(self.program, record);
            if !senders.is_empty() {
                let senders: Vec<String> = senders.iter().map(|name| format!("`{name}`")).collect();
                diagnostic =
                    diagnostic.note(format!("the output of packets is set by {}", senders.join(", ")));
            }
            self.warn(diagnostic);
        }
        if let Some((position, block)) = self.named_stage(field, "read_after")
            && stage > position
            && !is_neutral(self.program, field, value)
            && !self.may_be_dropped()
        {
            let message = format!("`{name}` is written too late");
            let label = format!("no effect: the switch reads this field at the end of `{block}`");
            self.warn(Diagnostic::warning("written-too-late", message).primary(target.span, label));
        }
    }
}
