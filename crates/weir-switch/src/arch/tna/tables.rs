//! The properties of TNA's tables.

use weir_ir::{Program, Table};

use crate::arch::families::{ObjectProperty, Setting, TableProperties};

/// The properties for the direct counter, the direct filter, the direct meter and the direct
/// register.
pub(super) const COUNTER: &str = "counters";
pub(super) const FILTER: &str = "filters";
pub(super) const METER: &str = "meters";
pub(super) const REGISTER: &str = "registers";

pub(super) const PROPERTIES: TableProperties = TableProperties {
    architecture: "TNA",
    implementation: ObjectProperty { name: "implementation", types: &["ActionProfile", "ActionSelector"] },
    direct: &[
        ObjectProperty { name: COUNTER, types: &["DirectCounter"] },
        ObjectProperty { name: FILTER, types: &["DirectLpf", "DirectWred"] },
        ObjectProperty { name: METER, types: &["DirectMeter"] },
        ObjectProperty { name: REGISTER, types: &["DirectRegister"] },
    ],
    settings: &[
        // How the chip stores entries and updates them.
        ("requires_versioning", Setting::Bool),
        (IDLE_TIMEOUT, Setting::Bool),
        (SUPPORT_TIMEOUT, Setting::Bool),
    ],
};

const IDLE_TIMEOUT: &str = "idle_timeout";
/// The name that the tables of the switch know.
const SUPPORT_TIMEOUT: &str = "support_timeout";

/// The types of objects that decide how the chip stores a table, and of those whose cells the
/// actions choose by an index. Tables with such objects match the same entries.
const WITHOUT_EFFECT: [&str; 8] = ["Alpm", "Atcam", "Counter", "Hash", "Lpf", "Meter", "Register", "Wred"];

/// Brings tables into the form that the switch reads.
pub(super) fn prepare(program: &mut Program) {
    PROPERTIES.prepare(program);
    mask_value_sets(program);
    let externs = &program.externs;
    let has_no_effect = |object| WITHOUT_EFFECT.contains(&externs[object].kind.as_str());
    for table in program.tables.values_mut() {
        table.implementation = table.implementation.filter(|object| !has_no_effect(*object));
        table.attached.retain(|(_, object)| !has_no_effect(*object));
        // The partition, and the way of a hash table, are keys like any other.
        for key in &mut table.keys {
            if matches!(key.match_kind.as_str(), "atcam_partition_index" | "dleft_hash") {
                "exact".clone_into(&mut key.match_kind);
            }
        }
        rename_timeout(table);
    }
}

/// Gives every field of a value set a mask, as the chip does, which matches parser states in TCAM.
fn mask_value_sets(program: &mut Program) {
    for field in program.value_sets.values_mut().flat_map(|set| &mut set.fields) {
        "ternary".clone_into(&mut field.match_kind);
    }
}

fn rename_timeout(table: &mut Table) {
    for (name, _) in &mut table.properties {
        if name == IDLE_TIMEOUT {
            SUPPORT_TIMEOUT.clone_into(name);
        }
    }
    if let Some(loc) = table.property_locs.remove(IDLE_TIMEOUT) {
        table.property_locs.insert(SUPPORT_TIMEOUT.to_owned(), loc);
    }
}
