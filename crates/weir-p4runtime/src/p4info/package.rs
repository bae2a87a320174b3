//! Makes the package information of a program.

use weir_ir::{Annotation, AnnotationValue, Program};
use weir_switch::p4info::{P4Info as Facts, only_text};

use super::annotations::{annotation_messages, documentation};
use crate::proto::config::{PkgInfo, PlatformProperties};

/// Makes the package information from the annotations of `main`. Returns `None` in a program
/// without `main`.
pub(super) fn pkg_info(program: &Program, facts: &Facts) -> Option<PkgInfo> {
    let main = program.main.as_ref()?;
    let names_with_fields = ["pkginfo", "platform_property", "name", "id", "brief", "description"];
    let (annotations, structured_annotations) = annotation_messages(&main.annotations, &names_with_fields);
    let text = |key: &str| match pair(&main.annotations, "pkginfo", key) {
        Some(AnnotationValue::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let doc = |name| only_text(&main.annotations, name);
    Some(PkgInfo {
        name: text("name"),
        version: text("version"),
        doc: documentation(doc("brief"), doc("description")),
        annotations,
        arch: facts.architecture.clone(),
        organization: text("organization"),
        contact: text("contact"),
        url: text("url"),
        structured_annotations,
        platform_properties: platform(&main.annotations),
        ..PkgInfo::default()
    })
}

fn platform(annotations: &[Annotation]) -> Option<PlatformProperties> {
    let number = |key: &str| match pair(annotations, "platform_property", key) {
        Some(AnnotationValue::Int(number)) => i32::try_from(number).unwrap_or_default().max(0),
        _ => 0,
    };
    let properties = PlatformProperties {
        multicast_group_table_size: number("multicast_group_table_size"),
        multicast_group_table_total_replicas: number("multicast_group_table_total_replicas"),
        multicast_group_table_max_replicas_per_entry: number("multicast_group_table_max_replicas_per_entry"),
    };
    (properties != PlatformProperties::default()).then_some(properties)
}

/// Finds the value of a key in the annotations of this name.
fn pair<'a>(annotations: &'a [Annotation], name: &str, key: &str) -> Option<&'a AnnotationValue> {
    let mut args = annotations.iter().filter(|annotation| annotation.name == name).flat_map(|one| &one.args);
    args.find(|arg| arg.key.as_deref() == Some(key)).map(|arg| &arg.value)
}
