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

pub(super) use action_profile::ActionProfile;
pub(super) use assert::Assert;
pub(super) use counter::{Counter, unit};
pub(super) use digest::send;
pub(super) use hash::{sum, write_hash};
pub(super) use meter::{Colours, Meter, meters_bytes};
pub(super) use random::draw;
pub(super) use register::Register;
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
    /// The values that a call writes.
    fn values<A>(self, site: &CallSite<'_, A>) -> Result<Vec<FrameValue>, LoadError> {
        match self {
            Self::Argument(position) => site.values(position),
            Self::Result => Ok(site.frame.result.clone()),
        }
    }

    /// The single value that a call writes; `None` if the program ignores it.
    pub(super) fn value<A>(self, site: &CallSite<'_, A>) -> Result<Option<FrameValue>, LoadError> {
        match self {
            Self::Argument(position) => site.value(position).map(Some),
            Self::Result => Ok(site.frame.result.first().copied()),
        }
    }
}

/// The length of the packet, if the program gives it to a counter or meter. p4c's names for this
/// argument differ.
fn length<A>(site: &CallSite<'_, A>) -> Option<FrameValue> {
    site.named("pkt_len").or_else(|| site.named("increment"))
}
