//! A program as a client sees it: its P4Info, matched with the program that the switch runs.
//!
//! The ids, the widths and the translated values come from the client's P4Info. Its objects are
//! found in the program by their full names. It may leave out objects of the program, but must not
//! have others.

mod data_type;
mod field;
mod headers;
mod layout;
mod lost_packets;
mod notes;
mod number;
mod objects;
mod platform;
mod resolve;
mod resolve_cells;
mod translation;
mod types;

use std::sync::Arc;

use weir_ir::Program;
use weir_switch::Switch;
use weir_switch::control::Schema;

pub(crate) use field::Field;
pub(crate) use layout::Layout;
pub use lost_packets::LostPackets;
pub(crate) use lost_packets::{Senders, add_lost};
pub(crate) use notes::{EntryKey, EntryNote, GroupNote, Notes};
pub(crate) use number::number;
pub(crate) use objects::{
    Action, Cells, ControllerHeader, Digest, Key, MeterType, Profile, Register, Scope, SizeSemantics, Table,
    ValueSet,
};
pub use translation::{SpecialPorts, Translations};
pub(crate) use translation::{Translation, Translator};

use crate::p4info::p4info;
use crate::proto::config::P4Info;
use crate::proto::v1::digest_entry;

/// A client's P4Info, matched with the program, and the values that controllers wrote and the
/// switch does not store.
#[derive(Debug)]
pub struct Pipeline {
    p4info: P4Info,
    pub(crate) layout: Layout,
    pub(crate) translator: Translator,
    pub(crate) notes: Notes,
    pub(crate) senders: Senders,
    /// The packets that will be lost because of the last write.
    pub(crate) lost: Vec<LostPackets>,
    /// The number of times that the switch had been reset when the notes were made.
    resets: u64,
}

/// The differences between a P4Info and the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the P4Info does not fit the program: {}", summarize(.0))]
pub struct PipelineError(pub Vec<String>);

/// The maximum number of differences that a message lists.
const MAX_LISTED: usize = 20;

/// Lists the first differences, and says how many more there are.
fn summarize(problems: &[String]) -> String {
    let listed = problems[..problems.len().min(MAX_LISTED)].join("; ");
    match problems.len().saturating_sub(MAX_LISTED) {
        0 => listed,
        more => format!("{listed}; and {more} more"),
    }
}

impl Pipeline {
    /// Matches a P4Info with a program and the schema of the switch that runs it.
    ///
    /// # Errors
    /// The P4Info has objects that the program does not have, or objects that differ from those of
    /// the program; the error lists all of them.
    pub fn new(p4info: P4Info, program: &Program, schema: &Schema) -> Result<Self, PipelineError> {
        let mut resolver = resolve::Resolver::new(&p4info, program, schema);
        resolver.all(&p4info);
        let resolve::Resolver { layout, mut problems, types, .. } = resolver;
        problems.extend(platform::missing(&p4info));
        let mut mistaken = Vec::new();
        let texts = types.text_types(&p4info, program, &mut mistaken);
        problems.append(&mut mistaken);
        if !problems.is_empty() {
            return Err(PipelineError(problems));
        }
        let translator = Translator::new(texts, schema.last_port);
        let (notes, senders) = (Notes::default(), Senders::from_program(program, schema));
        Ok(Self { layout, translator, notes, senders, lost: Vec::new(), resets: 0, p4info })
    }

    /// Matches the program that a switch runs with the P4Info that Weir's compiler makes from it.
    ///
    /// # Errors
    /// The program has no P4Info.
    pub fn of_switch(switch: &Switch, translations: &Translations) -> Result<Self, String> {
        let info = p4info_of(switch.program())?;
        let mut pipeline =
            Self::new(info, switch.program(), switch.schema()).map_err(|error| error.to_string())?;
        pipeline.set_translations(translations);
        Ok(pipeline)
    }

    /// Takes the lost packets of the last write: entries and members that send packets to ports
    /// that the switch does not have.
    pub fn take_lost_packets(&mut self) -> Vec<LostPackets> {
        std::mem::take(&mut self.lost)
    }

    /// Returns the client's P4Info.
    pub fn p4info(&self) -> &P4Info {
        &self.p4info
    }

    /// Sets the switch's ports that have special numbers for controllers.
    pub fn set_special_ports(&mut self, ports: SpecialPorts) {
        self.translator.ports = ports;
    }

    /// Sets the CPU port and the texts, which the program does not contain.
    pub fn set_translations(&mut self, translations: &Translations) {
        self.set_special_ports(SpecialPorts { cpu: translations.cpu, recirculate: None });
        self.translator.set_texts(Arc::clone(&translations.texts));
    }

    /// Forgets the notes about entries and groups if someone other than a controller has reset the
    /// switch. Must be called before each read or write, and before notices.
    pub fn follow(&mut self, switch: &Switch) {
        if self.resets != switch.reset_count() {
            self.resets = switch.reset_count();
            self.notes.forget_reset();
        }
    }

    /// Returns the settings for sending a digest's messages, or `None` if they are not sent.
    pub fn digest_config(&self, digest_id: u32) -> Option<digest_entry::Config> {
        Some(self.notes.digests.get(digest_id)?.config.unwrap_or_default())
    }

    /// Returns whether the P4Info has a digest with this id.
    pub fn has_digest(&self, digest_id: u32) -> bool {
        self.layout.digest(digest_id).is_ok()
    }
}

/// Makes the P4Info of a program.
///
/// # Errors
/// The program has no P4Info.
pub fn p4info_of(program: &Program) -> Result<P4Info, String> {
    p4info(program).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        format!("the program has no P4Info: {}", errors.join("; "))
    })
}
