//! The layout of a table's keys in words.

use std::ops::Range;

use weir_ir::wire::Writer;
use weir_ir::{Bits, Table};

/// The layout of a table's keys: each key takes whole words, in order. Selector keys are not match
/// fields.
#[derive(Debug)]
pub(crate) struct KeyWords {
    /// The width of each key in bits.
    widths: Vec<u32>,
    /// The number of words that all keys take.
    pub(super) all: usize,
    /// The words that belong to match fields; `None` if all keys are match fields.
    fields: Option<Vec<Range<usize>>>,
    /// The selector keys: the first word and the width in bits of each.
    selectors: Vec<(usize, u32)>,
}

impl KeyWords {
    pub(super) fn new(table: &Table) -> Self {
        let (mut all, mut fields, mut selectors) = (0, Vec::<Range<usize>>::new(), Vec::new());
        for key in &table.keys {
            let width = key.expr.ty.width();
            let end = all + width.div_ceil(64) as usize;
            match fields.last_mut() {
                _ if key.match_kind == "selector" => selectors.push((all, width)),
                Some(last) if last.end == all => last.end = end,
                _ => fields.push(all..end),
            }
            all = end;
        }
        let widths = table.keys.iter().map(|key| key.expr.ty.width()).collect();
        Self { widths, all, fields: (!selectors.is_empty()).then_some(fields), selectors }
    }

    /// Returns whether all keys are match fields.
    pub(super) fn are_all_fields(&self) -> bool {
        self.fields.is_none()
    }

    /// Writes the values of the keys in 64-bit words.
    pub(crate) fn write(&self, keys: &[Bits], into: &mut Vec<u64>) {
        into.clear();
        into.resize(self.all, 0);
        let mut at = 0;
        for (key, width) in keys.iter().zip(&self.widths) {
            key.write_words(&mut into[at..]);
            at += width.div_ceil(64) as usize;
        }
    }

    /// Returns the words of the match fields. Copies them to `scratch` if some keys are not match
    /// fields.
    #[inline]
    pub(crate) fn fields<'a>(&self, key: &'a [u64], scratch: &'a mut Vec<u64>) -> &'a [u64] {
        let Some(fields) = &self.fields else { return key };
        scratch.clear();
        push_fields(fields, key, scratch);
        scratch
    }

    /// Returns the words of the match fields of several keys, one key after the other. Copies them
    /// to `scratch` if some keys are not match fields.
    pub(crate) fn fields_of_all<'a>(&self, keys: &'a [u64], scratch: &'a mut Vec<u64>) -> &'a [u64] {
        let Some(fields) = &self.fields else { return keys };
        scratch.clear();
        keys.chunks_exact(self.all).for_each(|key| push_fields(fields, key, scratch));
        scratch
    }

    /// Writes the bytes of the selector keys to `into`, one key after the other.
    pub(crate) fn selector_bytes(&self, key: &[u64], into: &mut Vec<u8>) {
        into.clear();
        let mut writer = Writer::new(into);
        self.selectors.iter().for_each(|(at, width)| writer.push_words(*width, &key[*at..]));
    }
}

fn push_fields(fields: &[Range<usize>], key: &[u64], into: &mut Vec<u64>) {
    fields.iter().for_each(|words| into.extend_from_slice(&key[words.clone()]));
}
