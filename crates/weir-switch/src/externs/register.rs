//! Arrays of bit strings.

use weir_ir::Bits;

#[derive(Clone, Debug)]
pub(crate) struct RegisterArray {
    width: u32,
    size: usize,
    /// ⌈width/64⌉ a cell.
    words: Vec<u64>,
}

impl RegisterArray {
    pub(crate) fn new(size: usize, width: u32) -> Self {
        Self { width, size, words: vec![0; size * width.div_ceil(64) as usize] }
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    fn cell(&self, index: u64) -> Option<std::ops::Range<usize>> {
        let index = usize::try_from(index).ok().filter(|i| *i < self.size)?;
        let words = self.width.div_ceil(64) as usize;
        Some(index * words..(index + 1) * words)
    }

    pub(crate) fn get(&self, index: u64) -> Option<Bits> {
        Some(Bits::from_words(self.width, &self.words[self.cell(index)?]))
    }

    /// Sets a cell to the low bits of the value; returns false past the end.
    pub(crate) fn set(&mut self, index: u64, value: &Bits) -> bool {
        let Some(cell) = self.cell(index) else { return false };
        value.resize(self.width).write_words(&mut self.words[cell]);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_any_width_keep_what_they_are_given() {
        for width in [1, 48, 64, 65, 300] {
            let mut register = RegisterArray::new(3, width);
            assert!(register.set(1, &Bits::ones(width)));
            let cells: Vec<_> = (0..4).map(|i| register.get(i)).collect();
            let zero = || Some(Bits::zero(width));
            assert_eq!(cells, [zero(), Some(Bits::ones(width)), zero(), None]);
            assert!(!register.set(3, &Bits::ones(width)));
        }
    }
}
