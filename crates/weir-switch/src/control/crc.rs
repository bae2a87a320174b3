//! Setting CRC parameters.

use std::sync::Arc;

use weir_ir::Bits;

use super::error::Field;
use super::undo::Undo;
use super::words::fit;
use super::{Control, ControlError, CrcAlgorithm, CrcParameters};
use crate::externs::crc::CustomCrc;

impl Control<'_> {
    pub(super) fn set_crc(
        &mut self,
        algorithm: CrcAlgorithm,
        parameters: CrcParameters,
    ) -> Result<Undo, ControlError> {
        let CrcParameters { polynomial, initial, final_xor, .. } = parameters;
        for (name, value) in
            [("polynomial", polynomial), ("initial value", initial), ("final xor value", final_xor)]
        {
            fit(Field::Crc(algorithm, name), &Bits::new(32, u128::from(value)), algorithm.width())?;
        }
        Ok(Undo::Crc(self.replace_crc(CustomCrc::new(algorithm.width(), parameters))))
    }

    /// Replaces the custom CRC of the same width; returns the old one.
    pub(super) fn replace_crc(&mut self, crc: CustomCrc) -> CustomCrc {
        let hashes = Arc::make_mut(&mut self.state.settings.hashes);
        let place = if crc.width == 16 { &mut hashes.crc16_custom } else { &mut hashes.crc32_custom };
        std::mem::replace(place, crc)
    }
}
