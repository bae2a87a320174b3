//! The tables of the models, whose `implementation` is the kind of a map and its size.

use weir_ir::{ConstArg, Program};

use crate::arch::families::{ObjectProperty, TableProperties};

/// The kinds of maps.
pub(super) const MAPS: &[&str] = &["array_table", "hash_table"];

pub(super) const PROPERTIES: TableProperties = TableProperties {
    architecture: "p4c's BPF model",
    implementation: ObjectProperty { name: "implementation", types: MAPS },
    direct: &[],
    settings: &[],
};

/// Gives tables the sizes of their maps. Their implementation is removed, because the switch would
/// take it for an action profile.
pub(super) fn prepare(program: &mut Program) {
    for table in program.tables.values_mut() {
        let map = table.implementation.map(|object| &program.externs[object]);
        let Some(map) = map.filter(|map| MAPS.contains(&map.kind.as_str())) else { continue };
        if let Some(ConstArg::Bits(_, size)) = map.args.first() {
            table.size = table.size.or(size.to_u64());
        }
        table.implementation = None;
    }
}
