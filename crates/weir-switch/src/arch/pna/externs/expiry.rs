//! `restart_expire_timer`, `set_entry_expire_time` and their conditional forms: when the entry that
//! a packet has hit expires.

use weir_device::Nanos;
use weir_exec::FrameValue;

use super::{Call, Decision, Extern, Site, in_control, tables_of_actions};
use crate::error::LoadError;
use crate::path::{ExternContext, ResolvedCall, low_bits};
use crate::tables::{EXPIRY_CALLS, EntryChange, supports_timeout};

pub(super) struct Expiry;

const HELP: &str = "actions of tables call it for the entry that the packet has hit";

impl Extern<Decision> for Expiry {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                in_control(EXPIRY_CALLS[0], HELP),
                in_control(EXPIRY_CALLS[1], HELP),
                in_control(EXPIRY_CALLS[2], HELP),
                in_control(EXPIRY_CALLS[3], HELP),
            ]
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let tables = tables_of_actions(site, supports_timeout);
        if tables.is_empty() {
            let callee = &site.call.callee;
            let problem = format!("no action of a table with time-outs calls this `{callee}`");
            let help = "write `pna_idle_timeout = PNA_IdleTimeout_t.NOTIFY_CONTROL;` in the table whose actions \
                        call it, or `AUTO_DELETE` if idle entries are to be deleted";
            let error = LoadError::malformed(site.program, site.loc, problem);
            return Err(LoadError { help: Some(help.to_owned()), ..error });
        }
        let conditions: &[&str] = match site.call.callee.as_str() {
            "set_entry_expire_time_if" => &["condition"],
            "update_expire_info" => &["update_aging_info"],
            _ => &[],
        };
        let conditions: Vec<FrameValue> = conditions.iter().filter_map(|name| site.named(name)).collect();
        let (profile, sets) = (site.named("expire_time_profile_id"), site.named("update_expire_time"));
        let change = move |env: &mut ExternContext<'_, '_>, words: &[u64]| {
            let is_true = |value: &FrameValue| low_bits(words, *value) == 1;
            if !conditions.iter().all(is_true) {
                return;
            }
            let Some((table, Some(slot))) = env.last_lookup(&tables) else { return };
            let (time, entries) = (env.context.now, env.context.control.tables.get(table).entries);
            let handle = entries.handle(slot);
            let profile = profile.filter(|_| sets.as_ref().is_none_or(is_true));
            env.context.thread.changes.push(match profile {
                None => EntryChange::Restart { table, handle, time },
                Some(profile) => {
                    let timeout = expire_time(env, low_bits(words, profile));
                    EntryChange::SetTimeout { table, handle, time, timeout }
                }
            });
        };
        Ok(ResolvedCall::new(move |env, words| {
            change(env, words);
            Ok(())
        })
        .changing_entries())
    }
}

/// Returns the time-out of entries with a profile; `None` if the entries never expire.
pub(super) fn expire_time(env: &ExternContext<'_, '_>, profile: u64) -> Option<Nanos> {
    env.context.config.expire_times.get(usize::try_from(profile).ok()?).copied().filter(|time| *time > 0)
}
