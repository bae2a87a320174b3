//! Arrays of bit strings. A struct's fields lie one behind the other, the first one in the upper bits.

use weir_ir::Bits;

#[derive(Clone, Debug)]
pub(crate) struct RegisterArray {
    width: u32,
    /// The fields of a cell and their widths; one without name for a cell of one value.
    pub fields: Vec<(String, u32)>,
    size: usize,
    /// ⌈width/64⌉ a cell.
    words: Vec<u64>,
}

impl RegisterArray {
    pub(crate) fn new(size: usize, fields: Vec<(String, u32)>) -> Self {
        let width: u32 = fields.iter().map(|(_, width)| width).sum();
        Self { width, fields, size, words: vec![0; size * width.div_ceil(64) as usize] }
    }

    /// A cell's fields; zeroes past the end.
    pub(crate) fn read(&self, index: Option<u64>) -> Vec<Bits> {
        let cell = index.and_then(|index| self.get(index)).unwrap_or_else(|| Bits::zero(self.width));
        let mut above = self.width;
        let field = |(_, width): &(String, u32)| {
            above -= width;
            cell.shr(u64::from(above)).resize(*width)
        };
        self.fields.iter().map(field).collect()
    }

    /// Sets a cell's fields; nothing past the end.
    pub(crate) fn write(&mut self, index: u64, fields: &[Bits]) {
        let cell = fields
            .iter()
            .zip(&self.fields)
            .fold(Bits::zero(0), |cell, (value, (_, width))| cell.concat(&value.resize(*width)));
        if fields.len() == self.fields.len() {
            self.set(index, &cell);
        }
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
            let mut register = RegisterArray::new(3, vec![(String::new(), width)]);
            assert!(register.set(1, &Bits::ones(width)));
            let cells: Vec<_> = (0..4).map(|i| register.get(i)).collect();
            let zero = || Some(Bits::zero(width));
            assert_eq!(cells, [zero(), Some(Bits::ones(width)), zero(), None]);
            assert!(!register.set(3, &Bits::ones(width)));
        }
    }

    #[test]
    fn fields_of_a_cell_keep_apart() {
        let fields = [("a", 3), ("b", 64), ("c", 1), ("d", 70)];
        let mut register = RegisterArray::new(2, fields.map(|(name, width)| (name.to_owned(), width)).into());
        let values = [Bits::new(3, 5), Bits::ones(64), Bits::zero(1), Bits::new(70, 77)];
        register.write(1, &values);
        assert_eq!((register.width(), register.read(Some(1))), (138, values.to_vec()));
        let zeroes = fields.map(|(_, width)| Bits::zero(width)).to_vec();
        assert_eq!(
            [register.read(Some(0)), register.read(Some(2)), register.read(None)],
            [(); 3].map(|()| zeroes.clone())
        );
    }
}
