//! The objects of TNA that controllers see.

use crate::p4info::{ControlView, ExternView, ObjectKind};

pub(super) const TNA: ControlView =
    ControlView { name: Some("tna"), externs: &[EXTERNS], digest_function: None };

const EXTERNS: &[ExternView] = &[
    ExternView::new("ActionProfile", ObjectKind::ActionProfile),
    ExternView::new("ActionSelector", ObjectKind::ActionProfile).with_groups(),
    ExternView::new("Counter", ObjectKind::Counter).indexed_by(1),
    ExternView::new("Digest", ObjectKind::Digest),
    ExternView::new("DirectCounter", ObjectKind::DirectCounter),
    ExternView::new("DirectMeter", ObjectKind::DirectMeter),
    ExternView::new("Meter", ObjectKind::Meter).indexed_by(0),
    ExternView::new("Register", ObjectKind::Register).indexed_by(1),
];
