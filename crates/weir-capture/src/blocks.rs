//! Simplifies the blocks of a pcapng file for the library that parses them.
//!
//! The library requires an `opt_endofopt` after the options of a block, which is optional in the
//! format (pcapng, section 3.5). It also refuses some valid options that a reader of packets does
//! not need. Therefore it gets only blocks that describe interfaces or contain packets. These
//! blocks have only the options that this crate uses, followed by an `opt_endofopt`.

use std::io::{Cursor, Read, Result};

/// The type of a section header block.
const SECTION: u32 = 0x0a0d_0d0a;
/// The type of an interface description block.
const INTERFACE: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
/// The type of an enhanced packet block.
const PACKET: u32 = 6;
/// The size of the largest block that is simplified, and that the library can hold.
const MAX_BLOCK_BYTES: usize = 8_000_000;

/// The bytes of a pcapng file with simpler blocks. A damaged block and the bytes after it stay
/// unchanged, and the library reports the damage.
pub(crate) struct SimplerBlocks<R> {
    file: R,
    block: Cursor<Vec<u8>>,
    big_endian: bool,
    damaged: bool,
}

impl<R: Read> SimplerBlocks<R> {
    pub(crate) fn new(file: R) -> Self {
        Self { file, block: Cursor::default(), big_endian: false, damaged: false }
    }

    /// Reads this many more bytes of the file, or fewer at its end.
    fn read_more(&mut self, block: &mut Vec<u8>, bytes: usize) -> Result<()> {
        self.file.by_ref().take(bytes as u64).read_to_end(block).map(drop)
    }

    /// Reads a block. Returns `None` for a block that neither describes an interface nor contains a
    /// packet, and an empty block at the end of the file.
    fn next_block(&mut self) -> Result<Option<Vec<u8>>> {
        let mut block = Vec::new();
        self.read_more(&mut block, 12)?;
        if block.len() < 12 {
            self.damaged = true;
            return Ok(Some(block));
        }
        if block[..4] == SECTION.to_be_bytes() {
            // The byte-order magic, 0x1a2b3c4d.
            self.big_endian = block[8] == 0x1a;
        }
        let kind = self.read_u32(&block, 0);
        let length = self.read_u32(&block, 4) as usize;
        if !(12..=MAX_BLOCK_BYTES).contains(&length) || !length.is_multiple_of(4) {
            self.damaged = true;
            return Ok(Some(block));
        }
        self.read_more(&mut block, length - 12)?;
        if block.len() < length || self.read_u32(&block, length - 4) as usize != length {
            self.damaged = true;
            return Ok(Some(block));
        }
        if !matches!(kind, SECTION | INTERFACE | OBSOLETE_PACKET | SIMPLE_PACKET | PACKET) {
            return Ok(None);
        }
        Ok(Some(self.simplified(kind, &block).unwrap_or(block)))
    }

    /// Returns the block with only the options that this crate uses; `None` if it has no options or
    /// is damaged.
    fn simplified(&self, kind: u32, block: &[u8]) -> Option<Vec<u8>> {
        let body = &block[8..block.len() - 4];
        let (fixed, used): (_, &[u16]) = match kind {
            SECTION => (16, &[]),
            // if_tsresol and if_fcslen.
            INTERFACE => (8, &[9, 13]),
            // epb_flags.
            PACKET | OBSOLETE_PACKET if body.len() >= 20 => {
                (20 + (self.read_u32(body, 12) as usize).next_multiple_of(4), &[2])
            }
            _ => return None,
        };
        let mut options = body.get(fixed..)?;
        let mut simple = body[..fixed].to_vec();
        while options.len() >= 4 {
            let (code, length) = (self.read_u16(options, 0), self.read_u16(options, 2));
            if code == 0 {
                break;
            }
            let (option, rest) = options.split_at_checked(4 + usize::from(length).next_multiple_of(4))?;
            if used.contains(&code) {
                simple.extend(option);
            }
            options = rest;
        }
        simple.extend([0; 4]);
        if kind == OBSOLETE_PACKET {
            // The block begins with 16 bits for the interface and 16 bits for the number of drops.
            let interface = self.read_u16(body, 0);
            simple[..4].copy_from_slice(&self.bytes(interface.into()));
        }
        let kind = if kind == OBSOLETE_PACKET { PACKET } else { kind };
        let length = self.bytes(simple.len() as u32 + 12);
        Some([&self.bytes(kind)[..], &length, &simple, &length].concat())
    }

    fn read_u32(&self, bytes: &[u8], at: usize) -> u32 {
        let word = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        if self.big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
    }

    fn read_u16(&self, bytes: &[u8], at: usize) -> u16 {
        let half = [bytes[at], bytes[at + 1]];
        if self.big_endian { u16::from_be_bytes(half) } else { u16::from_le_bytes(half) }
    }

    /// Returns a word's bytes in the section's byte order.
    fn bytes(&self, word: u32) -> [u8; 4] {
        if self.big_endian { word.to_be_bytes() } else { word.to_le_bytes() }
    }
}

impl<R: Read> Read for SimplerBlocks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            let read = self.block.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if self.damaged {
                return self.file.read(buffer);
            }
            if let Some(block) = self.next_block()? {
                self.block = Cursor::new(block);
            }
        }
    }
}
