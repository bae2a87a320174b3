//! The values of variables at one point of a pipeline, to which later code can return.
//!
//! A deparser may change variables before it is known whether there is room for its headers. A
//! packet without room leaves the pipeline as if the deparser had not run. The values stay in
//! registers, so packets with room pay nothing but the registers.

use cranelift_codegen::ir::Value;
use cranelift_frontend::Variable;
use weir_ir::{VarId, VarRole};

use super::Emit;
use crate::analysis::Facts;

/// The values of variables at one point of a pipeline.
pub(super) struct HeldValues(Vec<(Variable, Value)>);

impl Emit<'_, '_, '_> {
    /// Returns the values of all variables that code with these facts may change. `None` if the
    /// code may change variables that are not in registers.
    pub(super) fn held_values(&mut self, facts: &Facts) -> Option<HeldValues> {
        // An extern that gets the whole state may change any variable.
        let changes_any = facts.opaque_calls > 0;
        let used = self.scope.as_ref().filter(|_| changes_any).map(|scope| scope.facts.vars.clone());
        let changed = used.as_ref().unwrap_or(&facts.changed);
        if !changed.iter().all(|var| self.registers.contains_key(var)) {
            return None;
        }
        let mut held: Vec<Variable> = Vec::new();
        for var in changed {
            held.extend(self.registers.get(var).copied().unwrap_or_default().into_iter().flatten());
            held.extend(self.location_variables(*var));
        }
        held.sort_unstable_by_key(|variable| variable.as_u32());
        held.dedup();
        Some(HeldValues(held.into_iter().map(|variable| (variable, self.b.use_var(variable))).collect()))
    }

    /// Returns the variables with the locations of a field's header.
    fn location_variables(&self, var: VarId) -> impl Iterator<Item = Variable> {
        let header = match self.unit.program.vars[var].role {
            VarRole::Field(header) | VarRole::Validity(header) => Some(header),
            _ => None,
        };
        let locations = header.zip(self.scope.as_ref()).map(|(header, scope)| {
            [scope.locations.get(&header).copied(), scope.field_locations.get(&header).copied()]
        });
        locations.into_iter().flatten().flatten()
    }

    /// Sets the variables to the values that were held.
    pub(super) fn restore(&mut self, held: &HeldValues) {
        for (variable, value) in &held.0 {
            self.b.def_var(*variable, *value);
        }
    }
}
