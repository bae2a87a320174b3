//! A toy architecture, which tests whether a description is enough: packages contain packages, and
//! ingress and egress each parse, run a control and deparse. `docs/how-to/architecture.md` explains
//! its parts.

use std::collections::BTreeMap;

use weir_ir::{ControlId, Package, PackageArg, Param, Program, VarId};

use super::GressKind::{Egress, Ingress};
use super::calls::Call;
use super::externs::{CallSite, Extern, Known, objects, operations};
use super::families::Out;
use super::{Architecture, BlockRole, Loaded, LoadedArchitecture, Settings};
use crate::error::LoadError;
use crate::p4info::{ControlView, ExternView, ObjectKind};
use crate::path::{
    Fact, Fate, Metadata, PacketPath, Reading, ResolvedCall, Rule, Step, StepSource, When, low_bits,
    write_value,
};
use crate::stats::DropPlace;

/// Controllers see tallies, for which P4Runtime has no messages.
pub(super) const CONTROL_VIEW: ControlView = ControlView {
    name: Some("toy"),
    externs: &[&[ExternView::new("Tally", ObjectKind::Other(0x81))]],
    digest_function: None,
};

const FRONT: usize = 0;
const BACK: usize = 3;

pub(super) const ARCHITECTURE: Architecture = Architecture {
    package: "Pair",
    target_macro: "__TARGET_TOY__",
    blocks: &[
        BlockRole::new(&[0, 0], "the front parser", Ingress),
        BlockRole::new(&[0, 1], "the front", Ingress),
        BlockRole::new(&[0, 2], "the front deparser", Ingress),
        BlockRole::new(&[1, 0], "the back parser", Egress),
        BlockRole::new(&[1, 1], "the back", Egress),
        BlockRole::new(&[1, 2], "the back deparser", Egress),
    ],
    shared: &[&[(FRONT, 0), (FRONT + 1, 0), (FRONT + 2, 0)], &[(BACK, 0), (BACK + 1, 0), (BACK + 2, 0)]],
    pipes: &[],
    optional_params: false,
    calls: || EXTERNS.iter().flat_map(|family| family.calls()).collect(),
    load,
    warnings: |_| Vec::new(),
    egress_port: |program, package| Some(field(params(program, package, FRONT), 2, "port")),
    last_port_drops: false,
    recirculation_port: None,
    recirculation_calls: &[],
    hidden: &[],
    check: |_, _| Vec::new(),
    prepare: |_| {},
};

const EXTERNS: &[&dyn Extern<()>] = &[&Fold];

/// The function `fold`: the exclusive or of both halves of a number of 32 bits.
struct Fold;

impl Extern<()> for Fold {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("fold")] }
    }

    fn resolve(&self, site: &CallSite<'_, ()>) -> Result<ResolvedCall, LoadError> {
        let (number, result) = (site.value(0)?, Out::Result.value(site)?);
        Ok(ResolvedCall::new(move |_, words| {
            let number = low_bits(words, number);
            if let Some(result) = result {
                write_value(words, result, u128::from((number ^ number >> 16) & 0xffff));
            }
            Ok(())
        })
        .pure())
    }
}

fn block(package: &Package, position: usize) -> &PackageArg {
    ARCHITECTURE.blocks[position].find(package).expect("the program is ours").1
}

fn control(package: &Package, position: usize) -> ControlId {
    match block(package, position) {
        PackageArg::Control(id) => *id,
        other => panic!("{other:?} is not a control"),
    }
}

/// Returns the parameters of the control in one half of the switch.
fn params<'a>(program: &'a Program, package: &Package, half: usize) -> &'a [Param] {
    &program.controls[control(package, half + 1)].params
}

fn field(params: &[Param], param: usize, name: &str) -> VarId {
    let storage = &params[param].storage;
    let index = storage.paths.iter().position(|path| path == name);
    storage.vars[index.expect("the struct has this field")]
}

/// Returns the steps of a half up to its decision, which begins with `drop`.
fn steps_of_half(
    program: &Program,
    package: &Package,
    first: usize,
    (place, drop): (DropPlace, u64),
    facts: [(&str, Reading); 2],
) -> Vec<Step> {
    let PackageArg::Parser(parser) = *block(package, first) else { panic!("it begins with a parser") };
    let params = params(program, package, first);
    let drops = field(params, 2, "drop");
    let mut steps = vec![Step::Parse { parser, error: None }, Step::Set(drops, StepSource::Const(drop))];
    steps.extend(facts.map(|(name, fact)| Step::Set(field(params, 1, name), StepSource::Fact(fact))));
    steps.extend([
        Step::Control { control: control(package, first + 1), name: "control", place },
        Step::Deparse { control: control(package, first + 2), name: "deparser", place },
        Step::Decide(Rule { when: When::Is(drops, 1), fate: Fate::Drop(place) }),
    ]);
    steps
}

fn load(program: &Program, package: &Package, settings: &Settings<'_>) -> Loaded {
    let always = |fate| Step::Decide(Rule { when: When::Always, fate });
    let facts = [("port", Fact::IngressPort.plain()), ("time", Fact::IngressTime.plain())];
    let mut steps = steps_of_half(program, package, FRONT, (DropPlace::Ingress, 1), facts);
    let port = field(params(program, package, FRONT), 2, "port");
    steps.push(always(Fate::Unicast { port, priority: None }));
    let first_of_egress = steps.len();
    let facts = [("port", Fact::EgressPort.plain()), ("length", Fact::Length.plain())];
    steps.extend(steps_of_half(program, package, BACK, (DropPlace::Egress, 0), facts));
    steps.push(always(Fate::Transmit));
    let externs = objects(program, EXTERNS, settings).map_err(|error| vec![error])?;
    let mut errors = Vec::new();
    let known_externs = Known::new("the toy", EXTERNS, settings);
    let operations = operations(program, &externs, &(), &known_externs, &mut errors);
    let path = PacketPath { steps, first_of_egress, metadata: Metadata::default(), operations };
    if errors.is_empty() {
        Ok(LoadedArchitecture { path, externs, sessions: BTreeMap::new() })
    } else {
        Err(errors)
    }
}

#[cfg(test)]
mod tests;
