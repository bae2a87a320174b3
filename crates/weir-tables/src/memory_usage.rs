//! How much memory a table takes.

/// A table's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUsage {
    /// Entries.
    pub entries: usize,
    /// Bytes of all that it holds, pages that are free or kept by snapshots included.
    pub bytes: usize,
}

impl MemoryUsage {
    /// Bytes an entry, on average; 0 without entries.
    pub fn per_entry(self) -> f64 {
        if self.entries == 0 { 0.0 } else { self.bytes as f64 / self.entries as f64 }
    }
}
