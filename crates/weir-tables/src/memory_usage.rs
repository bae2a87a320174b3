//! Memory of a table.

/// The memory of a table, and the number of its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUsage {
    /// The number of entries.
    pub entries: usize,
    /// The number of bytes of everything in the table, including pages that are free or held by
    /// snapshots.
    pub bytes: usize,
}

impl MemoryUsage {
    /// Returns the mean number of bytes per entry; 0 without entries.
    pub fn per_entry(self) -> f64 {
        if self.entries == 0 { 0.0 } else { self.bytes as f64 / self.entries as f64 }
    }
}
