//! `Checksum`: a checksum or hash of values that several calls add.

use std::collections::BTreeSet;

use weir_ir::visit::reached_statements;
use weir_ir::{ExternId, Package, Program, StmtKind};

use super::{Algorithms, Call, CallSite, Extern};
use crate::arch::BlockRole;
use crate::arch::externs::Object;
use crate::arch::families::Out;
use crate::error::{LoadError, LoadErrorKind};
use crate::externs::ExternState;
use crate::externs::hash::HashKind;
use crate::path::{ResolvedCall, write_value};

pub(in crate::arch) struct Checksum(pub Algorithms);

impl<A> Extern<A> for Checksum {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_all_blocks("Checksum.clear"),
                Call::in_all_blocks("Checksum.update"),
                Call::in_all_blocks("Checksum.get"),
            ]
        }
    }

    fn types(&self) -> &'static [&'static str] {
        &["Checksum"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        self.0.of_object(object).map(|_| ExternState::Stateless)
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        let (object, kind) = (site.object()?, self.0.of_site(site)?);
        if site.call.callee.ends_with(".clear") {
            let clear = ResolvedCall::new(move |env, _| {
                env.clear_gathered(object);
                Ok(())
            });
            return Ok(clear.local());
        }
        if site.call.callee.ends_with(".update") {
            let data = site.values(0)?;
            let update = ResolvedCall::new(move |env, words| {
                env.gather(object, &data, words);
                Ok(())
            });
            return Ok(update.local());
        }
        let result = Out::Result.value(site)?;
        let is_local = matches!(kind, HashKind::Data(algorithm) if !algorithm.is_custom());
        let get = ResolvedCall::new(move |env, words| {
            let hash = env.hash_gathered(object, kind);
            if let Some(result) = result {
                write_value(words, result, u128::from(hash));
            }
            Ok(())
        });
        Ok(if is_local { get.local() } else { get })
    }
}

/// Refuses checksum objects that several blocks use: the sum of an object begins with 0 in each
/// block.
pub(in crate::arch) fn shared_checksums(
    program: &Program,
    package: &Package,
    roles: &[BlockRole],
) -> Vec<LoadError> {
    let mut seen: BTreeSet<ExternId> = BTreeSet::new();
    let mut errors = Vec::new();
    for role in roles {
        let Some((_, block)) = role.find(package) else { continue };
        let mut here = BTreeSet::new();
        for stmt in reached_statements(program, block) {
            let StmtKind::Extern(call) = &stmt.kind else { continue };
            let Some(object) = call.instance else { continue };
            let instance = &program.externs[object];
            if !matches!(instance.kind.as_str(), "Checksum" | "InternetChecksum") || !here.insert(object) {
                continue;
            }
            if !seen.insert(object) {
                let message = format!("the {} `{}` is used by several blocks", instance.kind, instance.name);
                let help = "declare an object in each block, because sums do not pass between blocks; \
                            `get_state` and `set_state` carry one in metadata";
                let error = LoadError::new(program, LoadErrorKind::Misplaced, stmt.loc, message);
                errors.push(LoadError { help: Some(help.to_owned()), ..error });
            }
        }
    }
    errors
}
