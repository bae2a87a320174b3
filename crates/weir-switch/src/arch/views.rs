//! The objects of each architecture that controllers see. Weir shows programs to controllers even
//! if the switch cannot run their architecture.

use weir_ir::{PackageArg, Program};

#[cfg(test)]
use super::toy;
use super::{ebpf, psa_view, tna_view, v1model};
use crate::p4info::ControlView;

/// The views, by the names of packages.
const VIEWS: &[(&str, &ControlView)] = &[
    ("V1Switch", &v1model::CONTROL_VIEW),
    ("PSA_Switch", &psa_view::PSA),
    ("PNA_NIC", &psa_view::PNA),
    ("ebpfFilter", &ebpf::FILTER_VIEW),
    ("xdp", &ebpf::XDP_VIEW),
    ("ubpf", &ebpf::UBPF_VIEW),
    ("Switch", &tna_view::TNA),
    #[cfg(test)]
    ("Pair", &toy::CONTROL_VIEW),
];

/// The view of a program without a known architecture: extern objects with the usual names.
const UNKNOWN: ControlView = ControlView {
    name: None,
    externs: &[v1model::VIEWED_EXTERNS, psa_view::EXTERNS],
    digest_function: v1model::CONTROL_VIEW.digest_function,
};

/// Returns the parts of the program's architecture that controllers see.
pub fn control_view(program: &Program) -> &'static ControlView {
    let Some(package) = &program.main else { return &UNKNOWN };
    let known = VIEWS.iter().find(|(known, _)| *known == package.kind);
    // Programs that are not for TNA may have a package of this name, too.
    let is_other =
        package.kind == "Switch" && !matches!(package.args.first(), Some((_, PackageArg::Package(_))));
    known.filter(|_| !is_other).map_or(&UNKNOWN, |(_, view)| view)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::packages;

    #[test]
    fn every_architecture_has_a_view_with_types_of_its_own() {
        for package in packages() {
            assert!(VIEWS.iter().any(|(known, _)| *known == package), "{package}");
        }
        for (package, view) in VIEWS {
            let types: Vec<&str> = view.externs.iter().copied().flatten().map(|one| one.name).collect();
            for (place, name) in types.iter().enumerate() {
                assert!(!types[..place].contains(name), "{package} lists {name} twice");
            }
        }
    }
}
