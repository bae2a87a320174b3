//! Setting CRC parameters.

use std::sync::Arc;

use weir_ir::Bits;

use super::error::Field;
use super::undo::Undo;
use super::words::fit_width;
use super::{Calculation, Control, ControlError, CrcAlgorithm, CrcParameters};
use crate::externs::crc::CustomCrc;

impl Control<'_> {
    /// Reads the parameters of a calculation. For [`Calculation::All`], returns the parameters of
    /// the calculations without a name.
    pub fn crc(&self, calculation: Calculation) -> Result<CrcParameters, ControlError> {
        let hashes = &self.state.settings.hashes;
        Ok(match calculation {
            Calculation::All(CrcAlgorithm::Crc16) => hashes.crc16_custom.parameters,
            Calculation::All(CrcAlgorithm::Crc32) => hashes.crc32_custom.parameters,
            Calculation::One(index) => {
                let hash = hashes.calculations.get(index);
                hash.ok_or(ControlError::NoSuchCalculation(index))?.parameters
            }
        })
    }

    pub(super) fn set_crc(
        &mut self,
        calculation: Calculation,
        parameters: CrcParameters,
    ) -> Result<Undo, ControlError> {
        let algorithm = match calculation {
            Calculation::All(algorithm) => algorithm,
            Calculation::One(index) => {
                let calculation_schema = self.schema.calculations.get(index);
                calculation_schema.ok_or(ControlError::NoSuchCalculation(index))?.algorithm
            }
        };
        let CrcParameters { polynomial, initial, final_xor, .. } = parameters;
        for (name, value) in
            [("polynomial", polynomial), ("initial value", initial), ("final xor value", final_xor)]
        {
            fit_width(Field::Crc(calculation, name), &Bits::new(32, u128::from(value)), algorithm.width())?;
        }
        let old = Arc::clone(&self.state.settings.hashes);
        let hashes = Arc::make_mut(&mut self.state.settings.hashes);
        let crc = CustomCrc::new(algorithm.width(), parameters);
        match calculation {
            Calculation::All(algorithm) => hashes.all_mut(algorithm).for_each(|place| *place = crc.clone()),
            Calculation::One(index) => hashes.calculations[index] = crc,
        }
        Ok(Undo::Crc(old))
    }
}
