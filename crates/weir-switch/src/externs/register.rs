//! Registers: arrays of bit strings. The fields of a struct are stored one after the other, each in
//! whole words. If a cell is read as one value, the first field has the upper bits.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use weir_ir::Bits;

use super::{Stripes, zeroes};

/// An array of cells that several threads can read and write. A cell of one word is an atomic. A
/// larger cell is read and written under a lock that it shares with few other cells, so that a
/// reader never sees a half-written value.
#[derive(Debug)]
pub(crate) struct RegisterArray {
    width: u32,
    /// The fields of a cell and their widths. A cell with a single value has one field without a
    /// name.
    pub fields: Vec<(String, u32)>,
    size: usize,
    /// The number of words in a cell. The fields are in order, each in ⌈width/64⌉ words, least
    /// significant first.
    pub cell_words: usize,
    /// Whether packets hold the [`RegisterLock`](super::register_lock::RegisterLock) while they use
    /// the register.
    pub needs_lock: bool,
    /// The words with which all cells begin, if they are not 0.
    pub initial: Option<Vec<u64>>,
    /// The words of all cells, each combined with its initial word by exclusive or. Cells that
    /// still have their initial value are zeroes, so they take no memory.
    words: Box<[AtomicU64]>,
    stripes: Stripes,
}

impl RegisterArray {
    /// Returns the memory in bytes of a cell with these fields.
    pub(crate) fn cell_bytes(fields: &[(String, u32)]) -> usize {
        fields.iter().map(|(_, width)| 8 * words_of(*width)).sum()
    }

    pub(crate) fn new(size: usize, fields: Vec<(String, u32)>) -> Self {
        let width = fields.iter().map(|(_, width)| width).sum();
        let cell_words = fields.iter().map(|(_, width)| words_of(*width)).sum();
        Self {
            width,
            fields,
            size,
            cell_words,
            needs_lock: false,
            initial: None,
            words: zeroes(size * cell_words),
            stripes: Stripes::default(),
        }
    }

    /// Returns an array whose cells begin with these words, or with zeroes.
    pub(crate) fn with_initial(size: usize, fields: Vec<(String, u32)>, initial: Option<Vec<u64>>) -> Self {
        let mut array = Self::new(size, fields);
        if let Some(initial) = initial {
            array.set_initial(initial);
        }
        array
    }

    /// Sets the words with which all cells begin, also after a reset. Nothing has been written yet.
    pub(crate) fn set_initial(&mut self, words: Vec<u64>) {
        debug_assert_eq!(words.len(), self.cell_words);
        self.initial = Some(words);
    }

    /// Returns a word with which all cells begin.
    #[inline]
    fn initial_word(&self, at: usize) -> u64 {
        self.initial.as_ref().map_or(0, |words| words[at])
    }

    /// Reads a cell's words; zeroes if the index is past the end.
    ///
    /// # Panics
    /// If `into` is shorter than `cell_words`.
    #[inline]
    pub(crate) fn read_words(&self, index: u64, into: &mut [u64]) {
        let into = &mut into[..self.cell_words];
        match (self.cell(index), into) {
            (None, into) => into.fill(0),
            (Some([word]), [into]) => *into = word.load(Relaxed) ^ self.initial_word(0),
            (Some(cell), into) => self.stripes.with_cell(index, || {
                for (at, (word, into)) in cell.iter().zip(into).enumerate() {
                    *into = word.load(Relaxed) ^ self.initial_word(at);
                }
            }),
        }
    }

    /// Sets a cell's words, in which bits above the fields' widths are 0. Returns false if the
    /// index is past the end.
    ///
    /// # Panics
    /// If `words` does not have `cell_words` words.
    #[inline]
    pub(crate) fn write_words(&self, index: u64, words: &[u64]) -> bool {
        let words = &words[..self.cell_words];
        match (self.cell(index), words) {
            (None, _) => return false,
            (Some([word]), [value]) => word.store(value ^ self.initial_word(0), Relaxed),
            (Some(cell), words) => self.stripes.with_cell(index, || {
                for (at, (word, value)) in cell.iter().zip(words).enumerate() {
                    word.store(value ^ self.initial_word(at), Relaxed);
                }
            }),
        }
        true
    }

    /// Reads a cell's fields. Returns zeroes if the index is past the end.
    pub(crate) fn read(&self, index: Option<u64>) -> Vec<Bits> {
        let mut words = vec![0; self.cell_words];
        if let Some(index) = index {
            self.read_words(index, &mut words);
        }
        self.split(&words)
    }

    /// Sets a cell's fields. Does nothing if the index is past the end.
    pub(crate) fn write(&self, index: u64, fields: &[Bits]) {
        if fields.len() != self.fields.len() {
            return;
        }
        let mut words = vec![0; self.cell_words];
        let mut start = 0;
        for (value, (_, width)) in fields.iter().zip(&self.fields) {
            let end = start + words_of(*width);
            value.resize(*width).write_words(&mut words[start..end]);
            start = end;
        }
        self.write_words(index, &words);
    }

    /// Returns the value with which all cells begin.
    pub(crate) fn initial_cell(&self) -> Bits {
        let fields = self.split(&self.initial_words());
        fields.iter().fold(Bits::zero(0), |value, field| value.concat(field))
    }

    /// Returns the words with which all cells begin.
    pub(crate) fn initial_words(&self) -> Vec<u64> {
        (0..self.cell_words).map(|at| self.initial_word(at)).collect()
    }

    /// Returns the number of cells.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    /// Reads a cell as one value.
    pub(crate) fn get(&self, index: u64) -> Option<Bits> {
        self.cell(index)?;
        Some(self.read(Some(index)).iter().fold(Bits::zero(0), |value, field| value.concat(field)))
    }

    /// Sets a cell to the low bits of the value. Returns false if the index is past the end.
    pub(crate) fn set(&self, index: u64, value: &Bits) -> bool {
        let mut above = self.width;
        let field = |(_, width): &(String, u32)| {
            above -= width;
            value.resize(self.width).shr(u64::from(above)).resize(*width)
        };
        let fields: Vec<_> = self.fields.iter().map(field).collect();
        self.write(index, &fields);
        self.cell(index).is_some()
    }

    /// Splits the words of a cell into its fields.
    fn split(&self, mut words: &[u64]) -> Vec<Bits> {
        let field = |(_, width): &(String, u32)| {
            let (of_field, rest) = words.split_at(words_of(*width));
            words = rest;
            Bits::from_words(*width, of_field)
        };
        self.fields.iter().map(field).collect()
    }

    /// Returns the words of a cell; `None` if there is no such cell.
    #[inline]
    fn cell(&self, index: u64) -> Option<&[AtomicU64]> {
        let index = usize::try_from(index).ok().filter(|i| *i < self.size)?;
        Some(&self.words[index * self.cell_words..][..self.cell_words])
    }
}

fn words_of(width: u32) -> usize {
    width.div_ceil(64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_any_width_keep_their_values() {
        for width in [1, 48, 64, 65, 300] {
            let register = RegisterArray::new(3, vec![(String::new(), width)]);
            assert!(register.set(1, &Bits::ones(width)));
            let cells: Vec<_> = (0..4).map(|i| register.get(i)).collect();
            let zero = || Some(Bits::zero(width));
            assert_eq!(cells, [zero(), Some(Bits::ones(width)), zero(), None]);
            assert!(!register.set(3, &Bits::ones(width)));
        }
    }

    #[test]
    fn fields_of_a_cell_do_not_overlap() {
        let fields = [("a", 3), ("b", 64), ("c", 1), ("d", 70)];
        let register = RegisterArray::new(2, fields.map(|(name, width)| (name.to_owned(), width)).into());
        let values = [Bits::new(3, 5), Bits::ones(64), Bits::zero(1), Bits::new(70, 77)];
        register.write(1, &values);
        assert_eq!((register.width(), register.read(Some(1))), (138, values.to_vec()));
        let zeroes = fields.map(|(_, width)| Bits::zero(width)).to_vec();
        assert_eq!(
            [register.read(Some(0)), register.read(Some(2)), register.read(None)],
            [(); 3].map(|()| zeroes.clone())
        );
        let all = register.get(1).unwrap();
        assert_eq!(all, values.iter().fold(Bits::zero(0), |all, value| all.concat(value)));
        assert!(register.set(0, &all));
        assert_eq!(register.read(Some(0)), values, "as one value or field by field, a cell is the same");
    }

    #[test]
    fn cells_begin_with_the_initial_value_and_take_any_other() {
        let fields = [("a", 3), ("b", 70)];
        let mut register = RegisterArray::new(2, fields.map(|(name, width)| (name.to_owned(), width)).into());
        register.set_initial(vec![5, 9, 1]);
        let mut words = [0; 3];
        for (index, written) in [(0, None), (1, Some([0, 0, 0])), (1, Some([7, 9, 2])), (1, Some([5, 9, 1]))]
        {
            assert!(written.is_none_or(|words| register.write_words(index, &words)));
            register.read_words(index, &mut words);
            assert_eq!(words, written.unwrap_or([5, 9, 1]));
        }
        register.read_words(2, &mut words);
        assert_eq!(words, [0; 3], "past the end, nothing has the initial value");
        let mut single = RegisterArray::new(1, vec![(String::new(), 8)]);
        single.set_initial(vec![77]);
        assert_eq!(single.get(0), Some(Bits::new(8, 77)));
        assert!(single.set(0, &Bits::zero(8)));
        assert_eq!(single.get(0), Some(Bits::zero(8)));
    }

    #[test]
    fn words_are_the_fields_in_order() {
        let fields = [("a", 3), ("b", 70)];
        let register = RegisterArray::new(2, fields.map(|(name, width)| (name.to_owned(), width)).into());
        assert_eq!(register.cell_words, 3);
        assert!(register.write_words(1, &[5, 9, 1]) && !register.write_words(2, &[5, 9, 1]));
        assert_eq!(register.read(Some(1)), [Bits::new(3, 5), Bits::new(70, 1 << 64 | 9)]);
        let mut words = [7; 4];
        register.read_words(1, &mut words);
        assert_eq!(words, [5, 9, 1, 7]);
        register.read_words(2, &mut words);
        assert_eq!(words, [0, 0, 0, 7]);
    }
}
