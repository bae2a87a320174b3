//! The properties of PNA's tables.

use crate::arch::families::{ObjectProperty, Setting, TableProperties};

pub(super) const PROPERTIES: TableProperties = TableProperties {
    architecture: "PNA",
    implementation: ObjectProperty {
        name: "pna_implementation",
        types: &["ActionProfile", "ActionSelector"],
    },
    counter: ObjectProperty { name: "pna_direct_counter", types: &["DirectCounter"] },
    meter: ObjectProperty { name: "pna_direct_meter", types: &["DirectMeter"] },
    register: None,
    settings: &[
        ("add_on_miss", Setting::Bool),
        // Calls of `add_entry` name the profile of the time-out, so this number has no effect.
        ("default_idle_timeout_for_data_plane_added_entries", Setting::Number),
        // DPDK's form of `AUTO_DELETE`.
        ("idle_timeout_with_auto_delete", Setting::Bool),
        ("pna_idle_timeout", Setting::Member("PNA_IdleTimeout_t")),
    ],
};
