//! The properties of PSA's tables.

use crate::arch::families::{ObjectProperty, Setting, TableProperties};

/// The property for the direct counter, and the one for the direct meter.
pub(super) const COUNTER: &str = "psa_direct_counter";
pub(super) const METER: &str = "psa_direct_meter";

pub(super) const PROPERTIES: TableProperties = TableProperties {
    architecture: "PSA",
    implementation: ObjectProperty {
        name: "psa_implementation",
        types: &["ActionProfile", "ActionSelector"],
    },
    direct: &[
        ObjectProperty { name: COUNTER, types: &["DirectCounter"] },
        ObjectProperty { name: METER, types: &["DirectMeter"] },
    ],
    settings: &[
        ("psa_empty_group_action", Setting::Action),
        ("psa_idle_timeout", Setting::Member("PSA_IdleTimeout_t", 2)),
    ],
};
