//! Externs that PSA and PNA have under the same names. Beside them, both architectures have rows of
//! the other families.

mod checksum;
mod control_plane;
mod digest;
mod direct;
mod externs;
mod hash;
mod internet_checksum;
mod random;
mod sums;

use super::{Colours, Length};
use crate::arch::calls::Call;
use crate::arch::externs::{CallSite, Extern, Object};
use crate::error::LoadError;
use crate::externs::hash::{Algorithm, HashKind};

use checksum::Checksum;
use hash::Hash;
use internet_checksum::InternetChecksum;
use random::Random;

pub(in crate::arch) use checksum::shared_checksums;
pub(in crate::arch) use control_plane::first_sessions;
pub(in crate::arch) use digest::Digest;
pub(in crate::arch) use direct::{DirectCounter, DirectMeter, owner};
pub(in crate::arch) use externs::{Common, Portable, joined};
pub(in crate::arch) use sums::{add_sums, internet_steps, method, replaceable};

/// The members of `PSA_MeterColor_t` and `PNA_MeterColor_t`: green, yellow and red.
pub(in crate::arch) const COLOURS: Colours = Colours([1, 2, 0]);

/// The enumeration of hash algorithms.
#[derive(Clone, Copy)]
pub(in crate::arch) struct Algorithms(pub &'static str);

impl Algorithms {
    /// Returns the hash with this name.
    pub(in crate::arch) fn named(name: &str) -> Option<HashKind> {
        Some(HashKind::Data(match name {
            "IDENTITY" => Algorithm::Identity,
            "CRC32" => Algorithm::Crc32,
            "CRC32_CUSTOM" => Algorithm::Crc32Custom,
            "CRC16" | "TARGET_DEFAULT" => Algorithm::Crc16,
            "CRC16_CUSTOM" => Algorithm::Crc16Custom,
            "ONES_COMPLEMENT16" => Algorithm::Csum16,
            "TOEPLITZ" => Algorithm::Toeplitz,
            _ => return None,
        }))
    }

    /// Returns the algorithm of an object, which is the first argument of its constructor.
    fn of_object(self, object: &Object<'_>) -> Result<HashKind, LoadError> {
        let name = object.member(0).unwrap_or_default();
        Self::named(name).ok_or_else(|| object.malformed(&format!("Weir does not compute {}.{name}", self.0)))
    }

    /// Returns the algorithm of the object whose method is called.
    fn of_site<A>(self, site: &CallSite<'_, A>) -> Result<HashKind, LoadError> {
        let object = site.object()?;
        let name = site.member(object, 0).and_then(Self::named);
        name.ok_or_else(|| {
            site.unsupported(format!("the algorithm of `{}`", site.program.externs[object].name), None)
        })
    }
}
