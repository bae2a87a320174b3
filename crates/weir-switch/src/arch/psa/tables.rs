//! The properties of PSA's tables.

use crate::arch::families::{ObjectProperty, Setting, TableProperties};

pub(super) const PROPERTIES: TableProperties = TableProperties {
    architecture: "PSA",
    implementation: ObjectProperty {
        name: "psa_implementation",
        types: &["ActionProfile", "ActionSelector"],
    },
    counter: ObjectProperty { name: "psa_direct_counter", types: &["DirectCounter"] },
    meter: ObjectProperty { name: "psa_direct_meter", types: &["DirectMeter"] },
    register: None,
    settings: &[("psa_idle_timeout", Setting::Member("PSA_IdleTimeout_t"))],
};
