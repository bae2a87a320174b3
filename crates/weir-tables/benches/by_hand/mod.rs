//! Hand-written lookups for comparison.

#![allow(dead_code, reason = "loops of whole programs need more")]

mod tables;

use weir_tables::workload::Workload;

use tables::{BATCH, Routes, Stations};

/// A hand-written table.
pub enum ByHand {
    Routes(Routes),
    Stations(Stations),
}

/// Returns the hand-written table for a workload, if there is one.
pub fn hand_written_table(workload: &Workload) -> Option<ByHand> {
    let entries = workload.entries.iter().map(|(patterns, _, _, data)| (&patterns[0], data[0]));
    match workload.name {
        "lpm 32" => Some(ByHand::Routes(Routes::new(entries))),
        "exact 48" => Some(ByHand::Stations(Stations::new(entries))),
        _ => None,
    }
}

impl ByHand {
    /// Returns the sum of the first words of data over a batch of keys.
    pub fn sum(&self, keys: &[u64]) -> u64 {
        let mut slots = [0; BATCH];
        match self {
            Self::Routes(routes) => {
                keys.iter().for_each(|key| routes.prefetch(*key as u32));
                for (key, slot) in keys.iter().zip(&mut slots) {
                    *slot = usize::from(routes.slot(*key as u32));
                }
                let hops =
                    keys.iter().zip(slots).filter_map(|(key, slot)| routes.hop(*key as u32, slot as u16));
                hops.map(u64::from).sum()
            }
            Self::Stations(stations) => {
                for (key, home) in keys.iter().zip(&mut slots) {
                    *home = stations.prefetch(*key);
                }
                let values = keys.iter().zip(slots).filter_map(|(key, home)| stations.find(*key, home));
                values.map(u64::from).sum()
            }
        }
    }
}
