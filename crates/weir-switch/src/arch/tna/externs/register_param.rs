//! `RegisterParam`: a number that the control plane can set.

use weir_ir::{Bits, ConstArg};

use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::Out;
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
        let width = object.instance.type_args.first().map_or(0, |ty| ty.width());
        let Some(ConstArg::Bits(_, initial)) = object.instance.args.first() else {
            return Err(object.malformed("its initial value must be one number"));
        };
        let mut words = vec![0; width.div_ceil(64) as usize];
        Bits::resize(initial, width).write_words(&mut words);
        let initial = words.iter().any(|word| *word != 0).then_some(words);
        Ok(ExternState::register(1, vec![(String::new(), width)], initial, false))
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
