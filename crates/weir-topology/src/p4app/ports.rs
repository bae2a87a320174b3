//! The numbers of ports.

use std::collections::BTreeSet;

use super::link::Cable;
use super::names::natural_sort_key;
use super::switch::Settings;
use crate::Switch;

/// The name of the other end of the links of CPU ports in p4-utils.
const CPU_SWITCH: &str = "sw-cpu";

/// Assigns the lowest free number to each end without one, from 0 on for hosts and from 1 on for
/// switches, in the natural order of the names of the links' nodes. Returns the CPU port of each
/// switch, which is numbered like a link from the switch to `sw-cpu`.
pub(super) fn assign_ports(
    cables: &mut [Cable<'_>],
    switches: &[Switch],
    settings: &[Settings],
) -> Vec<Option<u32>> {
    let mut taken: BTreeSet<(String, u32)> = cables
        .iter()
        .flat_map(|cable| &cable.ends)
        .filter_map(|end| Some((end.node.to_owned(), end.port?)))
        .collect();
    let mut take = |node: &str, first: u32| {
        let port = (first..=u32::MAX).find(|port| taken.insert((node.to_owned(), *port)));
        port.unwrap_or(u32::MAX)
    };
    let mut cpu_ports = vec![None; switches.len()];
    // Each item of `order` is a link, or the CPU port of a switch.
    let links = cables.iter().enumerate();
    let mut order: Vec<_> = links
        .map(|(number, cable)| {
            (natural_sort_key(cable.ends[0].node), natural_sort_key(cable.ends[1].node), Ok(number))
        })
        .chain((switches.iter().zip(settings).enumerate()).filter(|(_, (_, own))| own.has_cpu_port).map(
            |(number, (switch, _))| {
                (natural_sort_key(&switch.name), natural_sort_key(CPU_SWITCH), Err(number))
            },
        ))
        .collect();
    order.sort();
    for (_, _, which) in order {
        match which {
            Ok(cable) => {
                for end in &mut cables[cable].ends {
                    if end.port.is_none() {
                        end.port = Some(take(end.node, u32::from(!end.is_host)));
                    }
                }
            }
            Err(switch) => cpu_ports[switch] = Some(take(&switches[switch].name, 1)),
        }
    }
    cpu_ports
}
