//! `RegisterParam`: a number that the control plane can set.

use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::{Out, initial_words};
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::path::ResolvedCall;

pub(super) struct RegisterParam;

impl Extern<Lengths> for RegisterParam {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("RegisterParam.read")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["RegisterParam"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let [ty] = object.instance.type_args[..] else {
            return Err(object.malformed("its value must be one number"));
        };
        let fields = vec![(String::new(), ty.width())];
        let initial = initial_words(object, 0, &fields)?;
        Ok(ExternState::register(1, fields, initial, false))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, result) = (site.object()?, Out::Result.value(site)?);
        let Some(result) = result else { return Ok(ResolvedCall::no_effect()) };
        Ok(ResolvedCall::new(move |env, words| {
            if let Some(register) = env.register(object) {
                register.read_words(0, &mut words[result.words()]);
            }
            Ok(())
        }))
    }
}
