//! Objects whose calls `prepare` replaces, or that only other objects and tables name.

use super::{Extern, Lengths};
use crate::arch::externs::Object;
use crate::error::LoadError;
use crate::externs::ExternState;

pub(super) struct Objects;

impl Extern<Lengths> for Objects {
    fn types(&self) -> &'static [&'static str] {
        &[
            "Alpm",
            "Atcam",
            "CRCPolynomial",
            "DirectRegisterAction",
            "DirectRegisterAction2",
            "DirectRegisterAction3",
            "DirectRegisterAction4",
            "Mirror",
            "ParserCounter",
            "ParserPriority",
            "RegisterAction",
            "RegisterAction2",
            "RegisterAction3",
            "RegisterAction4",
            "Resubmit",
        ]
    }

    fn object(&self, _object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::Stateless)
    }
}
