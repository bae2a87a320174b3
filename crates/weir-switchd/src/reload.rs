//! The files are read again while packets pass (SIGHUP).

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_p4runtime::{Reload, Reloaded};

use crate::args::Args;
use crate::plane::Plane;
use crate::program::Files;

/// Lines of the log about what a reload has lost.
const LOGGED: usize = 20;

/// Reads the files again and changes the switch. `files` is what they said before. What is kept and
/// what is lost is logged, and so is a mistake in the files: the switch goes on as before then.
/// Returns whether it worked.
pub fn reload(args: &Args, plane: &Arc<Plane>, files: &mut Files) -> bool {
    match change(args, plane, files) {
        Ok(reloaded) => {
            log(&reloaded);
            true
        }
        Err(why) => {
            tracing::error!("the files are not reloaded, and the switch goes on as before: {why}");
            false
        }
    }
}

fn change(args: &Args, plane: &Arc<Plane>, files: &mut Files) -> Result<Reloaded, String> {
    let now = Files::read(args, Some(files))?;
    for warning in &now.warnings {
        tracing::warn!("{warning}");
    }
    let both = weir_p4runtime::Files { before: files.switch(args)?, after: now.switch(args)? };
    let reload = Reload::new(both, plane.cpu_port)?;
    let reloaded = plane.reload(reload)?;
    *files = now;
    Ok(reloaded)
}

fn log(reloaded: &Reloaded) {
    let lost = reloaded.kept.lost.iter().chain(&reloaded.changed.lost);
    for (lost, count) in lost.clone().take(LOGGED) {
        tracing::warn!(what = lost.what, count, why = lost.why, "lost by the reload");
    }
    let lost: usize = lost.map(|(_, count)| count).sum();
    let program = if reloaded.is_replaced { "replaced" } else { "the same" };
    let (kept, changed) = (listed(&reloaded.kept.written), listed(&reloaded.changed.written));
    tracing::info!(program, kept, changed, lost, "the files are reloaded");
}

/// `2 table entries, 1 meters`.
fn listed(counts: &BTreeMap<&'static str, usize>) -> String {
    let counts: Vec<_> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") }
}
