//! The models of p4c's targets for BPF: the packet filter `ebpfFilter(parser, filter)`, the switch
//! `xdp(parser, switch, deparser)`, and `ubpf(parser, pipeline, deparser)` outside the kernel.
//!
//! A pass consists of a parser, a control and a deparser. Weir decides where the models say
//! nothing, or assume a host computer:
//!
//! - A packet that the program passes on to the computer leaves through the port on which it
//!   arrived, as in p4c's tests.
//! - A parser's error drops the packet. In `ubpf`, it leaves unchanged instead, as with p4c.
//! - In `ubpf`, `output_port` is initially the port of arrival. `ubpf_action.DROP` drops, like
//!   `mark_to_drop`.

mod externs;
mod steps;
mod tables;

use std::collections::BTreeMap;

use weir_ir::{Package, Program, VarId};

use super::GressKind::Ingress;
use super::assembly::{Parts, assemble, warnings};
use super::blocks::{Blocks, Shape};
use super::externs::{Extern, Known, objects};
use super::rejection::{self, REJECTED};
use super::{Architecture, BlockRole, Loaded, Settings, hidden};
use crate::p4info::{ControlView, ExternView, ObjectKind};
use crate::path::Metadata;

/// The blocks of each model. The filter has no deparser.
const PARSER: usize = 0;
const CONTROL: usize = 1;
const DEPARSER: usize = 2;

pub(super) const FILTER: Architecture = Architecture {
    package: "ebpfFilter",
    target_macro: "__TARGET_EBPF__",
    blocks: &[BlockRole::new(&[0], "the parser", Ingress), BlockRole::new(&[1], "the filter", Ingress)],
    shared: &[&[(PARSER, 0), (CONTROL, 0)]],
    pipes: &[],
    optional_params: false,
    calls: || externs::OF_FILTER.iter().flat_map(|family| family.calls()).collect(),
    load: |program, package, settings| load(program, package, settings, &FILTER_MODEL),
    warnings: |program| warnings(program, externs::OF_FILTER, &tables::PROPERTIES),
    egress_port: |program, _| hidden::find(program, OUTPUT_PORT),
    last_port_drops: false,
    recirculation_port: None,
    recirculation_calls: &[],
    hidden: HIDDEN,
    check: |_, _| Vec::new(),
    prepare: |program| {
        rejection::record(program);
        tables::prepare(program);
    },
};

pub(super) const XDP: Architecture = Architecture {
    package: "xdp",
    blocks: &[
        BlockRole::new(&[0], "the parser", Ingress),
        BlockRole::new(&[1], "the switch control", Ingress),
        BlockRole::new(&[2], "the deparser", Ingress),
    ],
    shared: &[&[(PARSER, 0), (CONTROL, 0), (DEPARSER, 0)]],
    calls: || externs::OF_XDP.iter().flat_map(|family| family.calls()).collect(),
    load: |program, package, settings| load(program, package, settings, &XDP_MODEL),
    warnings: |program| warnings(program, externs::OF_XDP, &tables::PROPERTIES),
    prepare: |program| {
        (FILTER.prepare)(program);
        steps::add_redirection(program);
    },
    ..FILTER
};

pub(super) const UBPF: Architecture = Architecture {
    package: "ubpf",
    target_macro: "__TARGET_UBPF__",
    blocks: &[
        BlockRole::new(&[0], "the parser", Ingress),
        BlockRole::new(&[1], "the pipeline", Ingress),
        BlockRole::new(&[2], "the deparser", Ingress),
    ],
    shared: &[
        &[(PARSER, 0), (CONTROL, 0), (DEPARSER, 0)],
        &[(PARSER, 1), (CONTROL, 1)],
        &[(PARSER, 2), (CONTROL, 2)],
    ],
    calls: || externs::OF_UBPF.iter().flat_map(|family| family.calls()).collect(),
    load: |program, package, settings| load(program, package, settings, &UBPF_MODEL),
    warnings: |program| warnings(program, externs::OF_UBPF, &tables::PROPERTIES),
    egress_port: |program, package| {
        let blocks = Blocks::new(program, package, &UBPF_MODEL.shape).ok()?;
        blocks.find_field(program, (CONTROL, 2), "output_port")
    },
    ..FILTER
};

/// The differences between the models that `load` needs.
struct Model {
    shape: Shape,
    externs: &'static [&'static dyn Extern<Hidden>],
    steps: fn(&Program, &Blocks<'_>, Hidden) -> steps::Made,
}

const FILTER_MODEL: Model = Model {
    shape: Shape { architecture: "ebpf_model", roles: FILTER.blocks, blocks: &[(true, 1, 1), (false, 2, 2)] },
    externs: externs::OF_FILTER,
    steps: steps::of_filter,
};

const XDP_MODEL: Model = Model {
    shape: Shape {
        architecture: "xdp_model",
        roles: XDP.blocks,
        blocks: &[(true, 1, 1), (false, 3, 3), (false, 1, 1)],
    },
    externs: externs::OF_XDP,
    steps: steps::of_xdp,
};

const UBPF_MODEL: Model = Model {
    shape: Shape {
        architecture: "ubpf_model",
        roles: UBPF.blocks,
        blocks: &[(true, 3, 3), (false, 3, 3), (false, 1, 1)],
    },
    externs: externs::OF_UBPF,
    steps: steps::of_ubpf,
};

const PARSER_ERROR: &str = "$parser_error";
const OUTPUT_PORT: &str = "$output_port";
const DROPPED: &str = "$dropped";

const HIDDEN: &[(&str, u32)] = &[(PARSER_ERROR, 32), (REJECTED, 1), (OUTPUT_PORT, 32), (DROPPED, 1)];

/// The hidden variables of a program.
#[derive(Clone, Copy)]
struct Hidden {
    /// The number of the parser's error.
    parser_error: VarId,
    /// Whether the parser has gone to `reject`, which sets no error.
    rejected: VarId,
    /// The port through which the packet leaves, in models without such metadata.
    output_port: VarId,
    /// Whether the last call was `mark_to_drop`.
    dropped: VarId,
}

impl Hidden {
    /// Finds the hidden variables of a program that was prepared.
    fn find(program: &Program) -> Option<Self> {
        let find = |name| hidden::find(program, name);
        Some(Self {
            parser_error: find(PARSER_ERROR)?,
            rejected: find(REJECTED)?,
            output_port: find(OUTPUT_PORT)?,
            dropped: find(DROPPED)?,
        })
    }
}

fn load(program: &Program, package: &Package, settings: &Settings<'_>, model: &Model) -> Loaded {
    let as_list = |error| vec![error];
    let blocks = Blocks::new(program, package, &model.shape).map_err(as_list)?;
    let objects = objects(program, model.externs, settings).map_err(as_list)?;
    let hidden = Hidden::find(program).ok_or_else(|| vec![hidden::not_prepared(program)])?;
    let (steps, inputs) = (model.steps)(program, &blocks, hidden).map_err(as_list)?;
    let metadata = Metadata { inputs, ..Metadata::default() };
    let known_externs = Known::new(model.shape.architecture, model.externs, settings);
    let parts = Parts { objects, steps, metadata, sessions: BTreeMap::new(), mistakes: Vec::new() };
    assemble(program, &hidden, &known_externs, &tables::PROPERTIES, parts)
}

pub(super) const FILTER_VIEW: ControlView =
    ControlView { name: Some("ebpf_model"), externs: &[OBJECTS], digest_function: None };
pub(super) const XDP_VIEW: ControlView = ControlView { name: Some("xdp_model"), ..FILTER_VIEW };
pub(super) const UBPF_VIEW: ControlView = ControlView { name: Some("ubpf_model"), ..FILTER_VIEW };

/// The types of objects that controllers see.
const OBJECTS: &[ExternView] = &[
    ExternView::new("CounterArray", ObjectKind::Counter),
    ExternView::new("Register", ObjectKind::Register).indexed_by(1),
];
