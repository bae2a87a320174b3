//! Checks that the deparser emits the headers of a frame in their original order, with no new
//! header after the IP header. Then added or removed headers only move the rest of the frame as a
//! whole.

use std::collections::BTreeSet;

use weir_ir::{Block, ControlId, ExprKind, HeaderId, HeaderRef, Loc, StmtKind};

use super::code::Code;
use super::parser_paths::{ParserPath, ParserPaths};
use super::{Frames, Reason};

/// A header that the deparser emits.
struct Emit {
    header: HeaderId,
    loc: Loc,
    /// Whether the emission depends on a condition.
    conditional: bool,
}

/// Checks the deparser.
pub(super) fn check(
    frames: &Frames<'_>,
    code: &Code<'_>,
    parser_paths: &ParserPaths,
    deparser: ControlId,
) -> Result<(), Reason> {
    let mut emits = Vec::new();
    collect_emits(frames, &frames.program.controls[deparser].body, false, &mut emits)?;
    for Emit { header, loc, .. } in &emits {
        let mut fields = frames.program.headers[*header].fields.iter();
        // Headers with bytes of IP, TCP or UDP must leave unchanged.
        if !code.is_fixed_header(*header)
            && let Some(field) = fields.find(|field| parser_paths.differing.contains(field))
        {
            let problem = format!("the deparser emits {}", frames.describe(Some(*field)));
            return Err(Reason::new(frames.program, *loc, problem));
        }
    }
    parser_paths.paths.iter().try_for_each(|path| {
        misplaced_header(frames, code, path, &emits)
            .map_or(Ok(()), |(loc, problem)| Err(Reason::new(frames.program, loc, problem)))
    })
}

fn collect_emits(
    frames: &Frames<'_>,
    block: &Block,
    conditional: bool,
    emits: &mut Vec<Emit>,
) -> Result<(), Reason> {
    let program = frames.program;
    for stmt in &block.0 {
        match &stmt.kind {
            StmtKind::Emit(HeaderRef::Header(header)) => {
                emits.push(Emit { header: *header, loc: stmt.loc, conditional });
            }
            StmtKind::Emit(HeaderRef::Element(stack, index)) => {
                let elements = &program.stacks[*stack].elements;
                let emitted = match &index.kind {
                    ExprKind::Const(index) => {
                        elements.get(index.low_u64() as usize..=index.low_u64() as usize)
                    }
                    _ => None,
                };
                for header in emitted.unwrap_or(elements) {
                    let conditional = conditional || emitted.is_none();
                    emits.push(Emit { header: *header, loc: stmt.loc, conditional });
                }
            }
            StmtKind::If { then, otherwise, .. } => {
                collect_emits(frames, then, true, emits)?;
                collect_emits(frames, otherwise, true, emits)?;
            }
            StmtKind::Switch { cases, default, .. } => {
                let blocks = cases.iter().map(|(_, block)| block).chain([default]);
                blocks.into_iter().try_for_each(|block| collect_emits(frames, block, true, emits))?;
            }
            StmtKind::Call(id) => collect_emits(frames, &program.procedures[*id].body, conditional, emits)?,
            StmtKind::CallAction(id) => {
                collect_emits(frames, &program.actions[*id].body, conditional, emits)?;
            }
            StmtKind::Apply { .. } | StmtKind::Loop { .. } | StmtKind::Return | StmtKind::Exit => {
                let problem = "the deparser does more than to emit headers in an order";
                return Err(Reason::new(program, stmt.loc, problem));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the reason why the headers of a parser path are not emitted in order, if they are not.
fn misplaced_header(
    frames: &Frames<'_>,
    code: &Code<'_>,
    path: &ParserPath,
    emits: &[Emit],
) -> Option<(Loc, String)> {
    let (program, network) = (frames.program, frames.layout.network() * 8);
    let name = |header: HeaderId| &program.headers[header].name;
    let fixed_headers: Vec<_> =
        path.headers.iter().filter(|(header, _)| code.is_fixed_header(*header)).collect();
    // The parser leaves no gaps from the IP header to the payload.
    let mut at = fixed_headers.first().map_or(path.end, |(_, at)| *at);
    let starts_late = at > network;
    for (header, begin) in &fixed_headers {
        let fields = &program.headers[*header].fields;
        let width: usize = fields.iter().map(|field| program.vars[*field].ty.width() as usize).sum();
        if *begin != at || starts_late {
            return Some((Loc::NONE, format!("the parser skips bytes in front of `{}`", name(*header))));
        }
        at += width;
    }
    if at != path.end || starts_late {
        return Some((Loc::NONE, "the parser skips bytes of IP, TCP or UDP".to_owned()));
    }
    let extracted: BTreeSet<_> = path.headers.iter().map(|(header, _)| *header).collect();
    let may_be_valid = |header: &HeaderId| extracted.contains(header) || code.added.contains(header);
    let mut emitted = emits.iter().filter(|emit| may_be_valid(&emit.header));
    let mut expected = fixed_headers.iter().map(|(header, _)| *header);
    let first = expected.next()?;
    let Some(found) = emitted.find(|emit| code.is_fixed_header(emit.header)) else {
        return Some((Loc::NONE, format!("the deparser does not emit `{}`", name(first))));
    };
    let mut found = Some(found);
    let mut wanted = Some(first);
    loop {
        match (found, wanted) {
            (None, None) => return None,
            (Some(emit), wanted) if Some(emit.header) != wanted => {
                let problem = format!("`{}` may come behind the IP header", name(emit.header));
                return Some((emit.loc, problem));
            }
            (Some(emit), _) if emit.conditional => {
                let problem = format!("the deparser does not always emit `{}`", name(emit.header));
                return Some((emit.loc, problem));
            }
            (Some(_), _) => {}
            (None, Some(header)) => {
                return Some((Loc::NONE, format!("the deparser does not emit `{}`", name(header))));
            }
        }
        (found, wanted) = (emitted.next(), expected.next());
    }
}
