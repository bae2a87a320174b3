//! Decides whether a program can distinguish frames with offloads from frames on a wire.
//!
//! The kernel can pass TCP and UDP data to a switch before it has cut the data into frames (GSO)
//! and completed their checksums. The switch may leave both to the code that sends the frame, if
//! the frames on the wire have the same bits. This analysis proves this for a program and each
//! header layout of such frames:
//!
//! - The analysis follows the parser ([`parser_paths`]) with a frame, and knows only the bits that
//!   all frames of the layout share. The parser must not decide by bits that differ between a frame
//!   and its segments.
//! - The controls ([`code`]) must neither read nor write such bits, except to sum up the IPv4
//!   header ([`sums`]). They must not write other data on which a checksum or the segmentation
//!   depends, and must not make calls with an effect for each packet ([`calls`]).
//! - The deparser ([`emits`]) must emit the IP header and the headers after it unchanged. Headers
//!   in front of the IP header may be added or removed.
//!
//! If the analysis cannot prove this, frames of the layout reach the program without the offload.

mod bit;
mod calls;
mod code;
mod emits;
mod frames;
mod layout;
mod parser_paths;
mod reason;
mod sums;

use weir_ir::Program;

use crate::externs::ExternState;
use crate::path::{PacketPath, Step};

use calls::Calls;
use code::Code;
use frames::Frames;
pub use layout::FrameLayout;
use parser_paths::ParserPaths;
pub use reason::Reason;

/// The work that the sender of a frame has left to the network card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offload {
    /// To cut a GSO frame into segments, and to complete their checksums.
    Whole,
    /// To complete the checksum of TCP or UDP.
    Checksum,
}

impl Offload {
    /// Returns words for the frames with this offload, and for the work that is done on them.
    pub fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::Whole => ("GSO frames", "cut"),
            Self::Checksum => ("partial checksums", "completed"),
        }
    }
}

/// The frames with offloads that a program can distinguish from frames on a wire.
#[derive(Clone, Debug)]
pub struct WholeFrames {
    /// The reason why the program can distinguish the frames, for each layout.
    whole: Vec<Option<Reason>>,
    checksum: Vec<Option<Reason>>,
}

impl WholeFrames {
    pub(crate) fn for_program(program: &Program, path: &PacketPath, externs: &[ExternState]) -> Self {
        let reasons = |offload| {
            let calls = Calls::new(program, &path.operations, offload);
            let reason = |layout| {
                let frames = Frames::new(program, path, layout, offload);
                prove(&frames, &calls, path, externs).err()
            };
            FrameLayout::all().map(reason).collect()
        };
        Self { whole: reasons(Offload::Whole), checksum: reasons(Offload::Checksum) }
    }

    /// Returns the reason why frames of this layout must reach the program without the offload, or
    /// `None` if they need not.
    pub fn reason(&self, layout: FrameLayout, offload: Offload) -> Option<&Reason> {
        let reasons = match offload {
            Offload::Whole => &self.whole,
            Offload::Checksum => &self.checksum,
        };
        reasons[layout.index()].as_ref()
    }

    /// Returns the layouts whose frames must reach the program without the offload, each with the
    /// reason.
    pub fn refused(&self, offload: Offload) -> impl Iterator<Item = (FrameLayout, &Reason)> {
        FrameLayout::all().filter_map(move |layout| Some((layout, self.reason(layout, offload)?)))
    }

    /// Returns the different reasons, each with a description of its frames: `all`, or a list of
    /// layouts.
    pub fn reasons(&self, offload: Offload) -> Vec<(&Reason, String)> {
        let mut rest: Vec<_> = self.refused(offload).collect();
        let mut reasons = Vec::new();
        while let Some((_, reason)) = rest.first().copied() {
            let (same, others): (Vec<_>, _) = rest.iter().partition(|(_, other)| *other == reason);
            rest = others;
            let layouts = same.iter().map(|(layout, _)| layout.to_string());
            let all = same.len() == FrameLayout::COUNT;
            reasons
                .push((reason, if all { "all".to_owned() } else { layouts.collect::<Vec<_>>().join(", ") }));
        }
        reasons
    }

    /// Describes the default handling of frames with offloads, with one line per offload and
    /// reason.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for offload in [Offload::Whole, Offload::Checksum] {
            let reasons = self.reasons(offload);
            let (what, done) = offload.describe();
            if reasons.is_empty() {
                lines.push(format!("{what} pass the program as they are"));
            }
            lines.extend(reasons.iter().map(|(reason, frames)| {
                format!("{what} ({frames}) are {done} before the program runs: {reason}")
            }));
        }
        lines
    }
}

/// Proves that the program cannot distinguish the frames.
fn prove(
    frames: &Frames<'_>,
    calls: &Calls<'_>,
    path: &PacketPath,
    externs: &[ExternState],
) -> Result<(), Reason> {
    let parsers = path.steps.iter().filter_map(|step| match step {
        Step::Parse { parser, .. } => Some(*parser),
        _ => None,
    });
    if parsers.clone().count() > 1 {
        return Err(Reason { place: None, what: "egress parses packets again".to_owned() });
    }
    let mut parser_paths = ParserPaths::default();
    for parser in parsers {
        parser_paths = ParserPaths::through_parser(frames, calls, parser)?;
    }
    let mut code = Code::new(frames, calls, externs, &parser_paths)?;
    let mut controls: Vec<_> = path
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Control { control, .. } => Some(*control),
            _ => None,
        })
        .collect();
    let last = controls.pop();
    controls.into_iter().try_for_each(|control| code.control(control))?;
    last.map_or(Ok(()), |control| code.last_control(control))?;
    for step in &path.steps {
        if let Step::Deparse { control, .. } = step {
            code.deparser(*control)?;
            emits::check(frames, &code, &parser_paths, *control)?;
        }
    }
    Ok(())
}
