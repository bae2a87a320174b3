//! Reads a P4Info's data about types with `@p4runtime_translation`.

use weir_switch::p4info::{MAPPINGS, TextNames};

use crate::config::p4_new_type_spec::Representation;
use crate::config::{P4NewTypeSpec, P4NewTypeTranslation};

/// The number of the CPU port for controllers.
pub const SDN_PORT_CPU: u32 = 0xffff_fffd;
/// The number of the recirculation port for controllers.
pub const SDN_PORT_RECIRCULATE: u32 = 0xffff_fffa;

/// Returns the translation of a type, if it is translated.
pub fn translation(spec: &P4NewTypeSpec) -> Option<&P4NewTypeTranslation> {
    match &spec.representation {
        Some(Representation::TranslatedType(found)) => Some(found),
        _ => None,
    }
}

/// Returns the names that a P4Info gives the values of a type, if any.
pub fn text_names(spec: &P4NewTypeSpec) -> Option<Result<TextNames, String>> {
    let prefix = format!("@{MAPPINGS}(");
    let mut bodies =
        spec.annotations.iter().filter_map(|text| text.trim().strip_prefix(&prefix)?.strip_suffix(')'));
    bodies.next().map(TextNames::parse)
}

/// Returns whether the URI of a translation names a type of ports, such as
/// `p4.org/psa/v1/PortId_t`.
pub fn is_port_type(name: &str) -> bool {
    name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase().contains("port")
}
