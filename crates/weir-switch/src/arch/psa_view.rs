//! The objects of PSA and PNA that controllers see. Both have the same names for extern objects.

use crate::p4info::{ControlView, ExternView, ObjectKind};

pub(super) const PSA: ControlView =
    ControlView { name: Some("psa"), externs: &[EXTERNS], digest_function: None };
pub(super) const PNA: ControlView = ControlView { name: Some("pna"), ..PSA };

/// The types of objects that controllers see.
pub(super) const EXTERNS: &[ExternView] = &[
    ExternView::new("ActionProfile", ObjectKind::ActionProfile),
    ExternView::new("ActionSelector", ObjectKind::ActionProfile).with_groups(),
    ExternView::new("Counter", ObjectKind::Counter).indexed_by(1),
    ExternView::new("Digest", ObjectKind::Digest),
    ExternView::new("DirectCounter", ObjectKind::DirectCounter),
    ExternView::new("DirectMeter", ObjectKind::DirectMeter),
    ExternView::new("Meter", ObjectKind::Meter).indexed_by(0),
    ExternView::new("Register", ObjectKind::Register).indexed_by(1),
];
