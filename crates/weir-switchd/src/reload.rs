//! Reads the files again while packets pass (SIGHUP).

use std::collections::BTreeMap;

use weir_p4runtime::{Reload, Reloaded};

use crate::instance::Instance;
use crate::p4runtime::Serving;
use crate::program::{Compiled, Files, warn_of_lost_copies};

/// The maximum number of log lines about the losses of a reload.
const MAX_LOGGED_LOSSES: usize = 20;

/// Reads the certificates and roles of servers again. A mistake in the files is logged, and its
/// server continues as before. Returns whether all reloads succeeded.
pub fn reload_servers(servers: &[Serving]) -> bool {
    let mut all_well = true;
    for serving in servers {
        let (replaced, mistakes) = serving.read_again();
        if !replaced.is_empty() {
            let file_kinds = replaced.join(" and ");
            tracing::info!(p4runtime = serving.address(), "the {file_kinds} of P4Runtime are reloaded");
        }
        for mistake in &mistakes {
            tracing::error!(p4runtime = serving.address(), "{mistake}");
        }
        all_well &= mistakes.is_empty();
    }
    all_well
}

/// Reads the files of switches again, and changes the switches. Logs which state was kept and which
/// was lost. A mistake in the files is also logged, and its switch continues as before. Returns
/// whether all reloads succeeded.
pub fn reload(instances: &mut [Instance]) -> bool {
    let mut compiled = Compiled::default();
    let mut all_well = true;
    for instance in instances {
        let switch = instance.plane.name.clone();
        if instance.args.program.is_none() {
            tracing::info!(switch, "the program is a controller's, so there are no files to reload");
            continue;
        }
        match change(instance, &mut compiled) {
            Ok(reloaded) => log(switch.as_deref(), &reloaded),
            Err(why) => {
                tracing::error!(
                    switch,
                    "the files are not reloaded, and the switch continues as before: {why}"
                );
                all_well = false;
            }
        }
    }
    all_well
}

fn change(instance: &mut Instance, compiled: &mut Compiled) -> Result<Reloaded, String> {
    let Instance { args, plane, files, .. } = instance;
    let now = Files::read(args, Some(files), compiled)?;
    for warning in &now.warnings {
        tracing::warn!(switch = plane.name, "{warning}");
    }
    let mut after = now.switch(args)?;
    warn_of_lost_copies(plane.name.as_deref(), &mut after);
    let reloaded_files = weir_p4runtime::Files { before: files.switch(args)?, after };
    let reload = Reload::new(reloaded_files, plane.translations())?;
    let reloaded = plane.reload(reload)?;
    *files = now;
    Ok(reloaded)
}

/// Warns of state that a reload has lost.
fn log(switch: Option<&str>, reloaded: &Reloaded) {
    let lost = reloaded.kept.lost.iter().chain(&reloaded.changed.lost);
    for (lost, count) in lost.clone().take(MAX_LOGGED_LOSSES) {
        tracing::warn!(switch, what = lost.what, count, why = lost.why, "lost by the reload");
    }
    let lost: usize = lost.map(|(_, count)| count).sum();
    let program = if reloaded.is_replaced { "replaced" } else { "the same" };
    let (kept, changed) = (list_counts(&reloaded.kept.written), list_counts(&reloaded.changed.written));
    tracing::info!(switch, program, kept, changed, lost, "the files are reloaded");
}

/// Formats counts, such as `2 table entries, 1 meters`.
fn list_counts(counts: &BTreeMap<&'static str, usize>) -> String {
    let counts: Vec<_> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") }
}
