//! A program's requirements for its platform (`PkgInfo.platform_properties`).

use crate::proto::config::P4Info;

/// The number of multicast groups of a switch. Groups are numbered from 1 to 65535.
const MULTICAST_GROUPS: i32 = 65_535;

/// Returns a requirement that a switch cannot meet, if there is one. The number of replicas is
/// never such a requirement, because a switch does not limit it.
pub(super) fn missing(p4info: &P4Info) -> Option<String> {
    let wanted = p4info.pkg_info.as_ref()?.platform_properties.as_ref()?;
    let (groups, all) = (wanted.multicast_group_table_size, wanted.multicast_group_table_total_replicas);
    let max_replicas = wanted.multicast_group_table_max_replicas_per_entry;
    match () {
        () if groups.min(all).min(max_replicas) < 0 => {
            Some("a property of the platform is negative".to_owned())
        }
        () if groups > MULTICAST_GROUPS => {
            Some(format!("the program needs {groups} multicast groups; a switch has {MULTICAST_GROUPS}"))
        }
        () if max_replicas > all => Some(format!(
            "the program needs {max_replicas} replicas in a multicast group, and {all} in all groups"
        )),
        () => None,
    }
}
