//! An allocator of small blocks of units within an array, by size classes.

/// The sizes of blocks. Other sizes are rounded up.
const CLASSES: [u32; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// The set of used units of an array.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockAllocator {
    free: [Vec<u32>; CLASSES.len()],
    /// The number of units that were ever used.
    top: u32,
}

fn size_class(len: u32) -> usize {
    CLASSES.partition_point(|class| *class < len)
}

impl BlockAllocator {
    /// Returns whether blocks of these lengths are of the same size class.
    pub(crate) fn same_class(a: u32, b: u32) -> bool {
        size_class(a) == size_class(b)
    }

    /// Allocates a block of 1 to 64 units.
    pub(crate) fn allocate(&mut self, len: u32) -> u32 {
        let class = size_class(len);
        self.free[class].pop().unwrap_or_else(|| {
            let block = self.top;
            self.top += CLASSES[class];
            block
        })
    }

    /// Frees a block that was allocated with this length.
    pub(crate) fn release(&mut self, block: u32, len: u32) {
        self.free[size_class(len)].push(block);
    }

    /// Skips all units below this one, in an array that is still empty.
    pub(crate) fn skip_to(&mut self, unit: u32) {
        self.top = self.top.max(unit);
    }

    /// Returns the number of units that the array needs.
    pub(crate) fn unit_count(&self) -> u32 {
        self.top
    }

    /// Returns the size of the free lists in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.free.iter().map(|list| list.capacity() * 4).sum()
    }
}
