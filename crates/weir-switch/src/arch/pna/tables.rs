//! The properties of PNA's tables.

use crate::arch::families::{ObjectProperty, Setting, TableProperties};

/// The property for the direct counter, and the one for the direct meter.
pub(super) const COUNTER: &str = "pna_direct_counter";
pub(super) const METER: &str = "pna_direct_meter";

pub(super) const PROPERTIES: TableProperties = TableProperties {
    architecture: "PNA",
    implementation: ObjectProperty {
        name: "pna_implementation",
        types: &["ActionProfile", "ActionSelector"],
    },
    direct: &[
        ObjectProperty { name: COUNTER, types: &["DirectCounter"] },
        ObjectProperty { name: METER, types: &["DirectMeter"] },
    ],
    settings: &[
        ("add_on_miss", Setting::Bool),
        // Calls of `add_entry` name the profile of the time-out, so this number has no effect.
        ("default_idle_timeout_for_data_plane_added_entries", Setting::Number),
        // DPDK's form of `AUTO_DELETE`.
        ("idle_timeout_with_auto_delete", Setting::Bool),
        ("pna_empty_group_action", Setting::Action),
        ("pna_idle_timeout", Setting::Member("PNA_IdleTimeout_t", 3)),
    ],
};
