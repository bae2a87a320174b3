//! Names that the files shipped with Weir declare, to suggest an `#include`. Only messages use
//! them.

/// Returns the name of the shipped file that declares `name`. A test compares the lists with the
/// files.
pub(super) fn file_of(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(_, names)| names.contains(&name)).map(|(file, _)| *file)
}

/// The names that the shipped files declare, by file.
const FILES: [(&str, &[&str]); 2] = [
    ("core.p4", &["packet_in", "packet_out", "verify", "static_assert", "NoAction"]),
    (
        "v1model.p4",
        &[
            "standard_metadata_t",
            "V1Switch",
            "CounterType",
            "MeterType",
            "HashAlgorithm",
            "CloneType",
            "counter",
            "direct_counter",
            "meter",
            "direct_meter",
            "register",
            "action_profile",
            "action_selector",
            "random",
            "digest",
            "hash",
            "mark_to_drop",
            "verify_checksum",
            "update_checksum",
            "verify_checksum_with_payload",
            "update_checksum_with_payload",
            "clone",
            "clone_preserving_field_list",
            "resubmit_preserving_field_list",
            "recirculate_preserving_field_list",
            "truncate",
            "log_msg",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn files_declare_these_names() {
        for (file, names) in FILES {
            let text = match file {
                "core.p4" => include_str!("../../../../p4include/core.p4"),
                _ => include_str!("../../../../p4include/v1model.p4"),
            };
            let declared =
                |name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
            for name in names {
                assert!(declared(name), "{file} does not declare {name}");
            }
        }
    }
}
