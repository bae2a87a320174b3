//! PSA's externs. To add an extern, add a file here, or a row for a family, and a line in [`OWN`].

mod engines;
mod predicates;

use super::metadata::Fields;
use super::tables::{COUNTER, METER};
use crate::arch::calls::Call;
use crate::arch::externs::{CallSite, Extern};
use crate::arch::families::portable::{Algorithms, Common, Portable, joined};

impl Portable for Fields {
    const ALGORITHMS: Algorithms = Algorithms("PSA_HashAlgorithm_t");
    const COUNTER: &'static str = COUNTER;
    const METER: &'static str = METER;
}

/// All externs of PSA.
pub(super) const EXTERNS: &[&dyn Extern<Fields>] =
    &joined::<_, { OWN.len() + Common::<Fields>::EXTERNS.len() }>(OWN, Common::<Fields>::EXTERNS);

/// The externs that PNA does not have.
const OWN: &[&dyn Extern<Fields>] = &[&engines::Engines, &predicates::Predicates];

type Site<'a> = CallSite<'a, Fields>;
