//! Checks cells of counters and registers.

use std::cmp::Ordering;

use num_bigint::BigInt;
use weir_control::Cells;
use weir_control::commands::values::{number, read_whole};
use weir_ir::Bits;
use weir_switch::control::EntryRef;

use super::Test;
use crate::check::{Check, Operator};
use crate::mistake::{AtPart, PartMistake};
use crate::outcome::{Failure, PrintedLine};

impl Test<'_> {
    /// Checks or prints a cell of a counter.
    pub(super) fn check_counter<'t>(
        &mut self,
        line: usize,
        check: &Check<'t>,
    ) -> Result<(), PartMistake<'t>> {
        let handle = self.named.handle(check.index).at_part(check.index)?;
        let index = handle.map_or_else(|| number(check.index, "an index").at_part(check.index), Ok)?;
        let (count, counted) = self.control(|session, _| {
            let names = session.names();
            let cells = names.counter(check.name).at_part(check.name)?;
            let unit = names.counter_unit(check.name).at_part(check.name)?;
            let found = match cells {
                Cells::Indexed(id) => session.control.counter(id, index),
                Cells::Direct(table) => session.control.direct_counter(table, &EntryRef::Handle(index)),
            };
            Ok((found.at_part(check.index)?, unit))
        })?;
        let Some((operator, wanted)) = &check.expected else {
            let text = format!("{}[{index}] = {}", check.name, counted.shown(count));
            self.outcome.printed.push(PrintedLine::Line(text));
            return Ok(());
        };
        let (unit, value) = check.unit.count_in_unit(count, counted, check.name).at_part(check.name)?;
        let cell_name = format!("{unit} of {}[{index}]", check.name);
        self.check(line, &cell_name, &value.into(), *operator, wanted);
        Ok(())
    }

    /// Checks a cell of a register.
    pub(super) fn check_register<'t>(
        &mut self,
        line: usize,
        check: &Check<'t>,
    ) -> Result<(), PartMistake<'t>> {
        let index = read_whole(check.index, "an index", 0, i64::MAX as u64).at_part(check.index)?;
        let (value, has_sign) = self.control(|session, _| {
            let names = session.names();
            let register = names.register(check.name).at_part(check.name)?;
            let schema = names.register_schema(register);
            let has_sign = schema.is_some_and(|schema| matches!(&schema.values[..], [one] if one.has_sign()));
            Ok((session.control.register(register, index).at_part(check.index)?, has_sign))
        })?;
        if let Some((operator, wanted)) = &check.expected {
            let cell_name = format!("{}[{}]", check.name, check.index);
            // The bits of a signed value may also be written as an unsigned number.
            let as_bits = Bits::wrap_signed(value.width(), wanted);
            let (value, wanted) = match has_sign {
                true if *wanted == BigInt::from(as_bits.to_biguint()) => {
                    (value.to_signed(), as_bits.to_signed())
                }
                true => (value.to_signed(), wanted.clone()),
                false => (value.to_biguint().into(), wanted.clone()),
            };
            self.check(line, &cell_name, &value, *operator, &wanted);
        }
        Ok(())
    }

    /// Compares a value of the switch with the wanted value, and records a failure.
    fn check(&mut self, line: usize, what: &str, value: &BigInt, operator: Operator, wanted: &BigInt) {
        self.outcome.checks += 1;
        let ordering: Ordering = value.cmp(wanted);
        if !operator.holds(ordering) {
            let message = format!("{what}: expected {} {wanted}, got {value}", operator.text());
            self.outcome.failures.push(Failure { line, message, ..Failure::default() });
        }
    }
}
