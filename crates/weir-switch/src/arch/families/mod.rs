//! Externs that several architectures have under different names. An architecture has a row for
//! each family: the names of types and methods, and the places of arguments.

mod action_profile;
mod assert;
mod counter;
mod digest;
mod hash;
mod meter;
pub(super) mod portable;
mod random;
mod register;
mod tables;

use weir_exec::FrameValue;

use super::calls::Call;
use super::externs::{CallSite, Extern, Object};
use crate::error::LoadError;
use crate::path::low_bits;

pub(super) use action_profile::ActionProfile;
pub(super) use assert::Assert;
pub(super) use counter::{Counter, unit};
pub(super) use digest::send;
pub(super) use hash::{sum, write_hash};
pub(super) use meter::{Colours, Meter, meters_bytes};
pub(super) use random::{draw, draw_number};
pub(super) use register::{Register, initial_words, written_cell};
pub(super) use tables::{ObjectProperty, Setting, TableProperties};

/// The place to which a call writes its value.
#[derive(Clone, Copy)]
pub(super) enum Out {
    /// The argument at this position.
    Argument(usize),
    /// The result, which a program may ignore.
    Result,
}

impl Out {
    fn values<A>(self, site: &CallSite<'_, A>) -> Result<Vec<FrameValue>, LoadError> {
        match self {
            Self::Argument(position) => site.values(position),
            Self::Result => Ok(site.frame.result.clone()),
        }
    }

    /// Returns the single value that a call writes; `None` if the program ignores it.
    pub(super) fn value<A>(self, site: &CallSite<'_, A>) -> Result<Option<FrameValue>, LoadError> {
        match self {
            Self::Argument(position) => site.value(position).map(Some),
            Self::Result => Ok(site.frame.result.first().copied()),
        }
    }
}

/// The length of the packet for a counter or meter.
#[derive(Clone, Copy)]
struct Length {
    /// The length, if the program gives it. p4c's names for this argument differ.
    given: Option<FrameValue>,
    /// The number of bytes to subtract.
    less: Option<FrameValue>,
    offset: isize,
}

impl Length {
    fn of<A>(site: &CallSite<'_, A>) -> Self {
        let length = site.named("pkt_len").or_else(|| site.named("increment"));
        Self { given: length, less: site.named("adjust_byte_count"), offset: site.length_offset }
    }

    /// Returns the length to count for a packet of this length.
    fn read(self, length: usize, words: &[u64]) -> usize {
        let length = match self.given {
            Some(given) => low_bits(words, given) as usize,
            None => length.saturating_add_signed(self.offset),
        };
        self.less.map_or(length, |less| length.saturating_sub(low_bits(words, less) as usize))
    }
}
