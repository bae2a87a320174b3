//! The objects of v1model that controllers see.

use crate::p4info::{ControlView, ExternView, ObjectKind};

pub(crate) const CONTROL_VIEW: ControlView =
    ControlView { name: Some("v1model"), externs: &[EXTERNS], digest_function: Some("digest") };

/// The types of objects that controllers see.
pub(crate) const EXTERNS: &[ExternView] = &[
    ExternView::new("action_profile", ObjectKind::ActionProfile),
    ExternView::new("action_selector", ObjectKind::ActionProfile).with_groups(),
    ExternView::new("counter", ObjectKind::Counter),
    ExternView::new("direct_counter", ObjectKind::DirectCounter),
    ExternView::new("direct_meter", ObjectKind::DirectMeter),
    ExternView::new("meter", ObjectKind::Meter),
    ExternView::new("register", ObjectKind::Register).indexed_by(1),
];
