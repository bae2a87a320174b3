//! Functions and objects whose calls `prepare` replaces, objects that only other objects and tables
//! name, and objects that Weir does not have yet.

use super::super::{ED, EP, ID, IP};
use super::{Call, Extern, Lengths};
use crate::arch::externs::Object;
use crate::error::LoadError;
use crate::externs::ExternState;

pub(super) struct Objects;

impl Extern<Lengths> for Objects {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_all_blocks("DirectRegisterAction.execute"),
                Call::in_all_blocks("DirectRegisterAction2.execute"),
                Call::in_all_blocks("DirectRegisterAction3.execute"),
                Call::in_all_blocks("DirectRegisterAction4.execute"),
                Call::in_all_blocks("RegisterAction.execute"),
                Call::in_all_blocks("RegisterAction2.execute"),
                Call::in_all_blocks("RegisterAction3.execute"),
                Call::in_all_blocks("RegisterAction4.execute"),
                Call::in_all_blocks("funnel_shift_right"),
                Call::in_all_blocks("invalidate"),
                Call::in_all_blocks("is_validated"),
                Call::in_all_blocks("max"),
                Call::in_all_blocks("min"),
                Call::in_all_blocks("sizeInBits"),
                Call::in_all_blocks("sizeInBytes"),
                Call::in_blocks(
                    "Mirror.emit",
                    &[ID, ED],
                    "deparsers mirror packets: in a control, set `mirror_type` of the metadata for the \
                     deparser, and call `emit` in the deparser",
                ),
                Call::in_blocks("Resubmit.emit", &[ID], INGRESS_REQUESTS),
                Call::in_blocks("ParserCounter.decrement", &[IP, EP], PARSERS),
                Call::in_blocks("ParserCounter.increment", &[IP, EP], PARSERS),
                Call::in_blocks("ParserCounter.is_negative", &[IP, EP], PARSERS),
                Call::in_blocks("ParserCounter.is_zero", &[IP, EP], PARSERS),
                Call::in_blocks("ParserCounter.pop", &[IP, EP], PARSERS),
                Call::in_blocks("ParserCounter.push", &[IP, EP], PARSERS),
                Call::in_blocks("ParserCounter.set", &[IP, EP], PARSERS),
                Call::in_blocks("ParserPriority.set", &[IP, EP], PARSERS),
                Call::in_blocks(
                    "port_metadata_unpack",
                    &[IP],
                    "only packets in the ingress parser begin with the data of their port",
                ),
            ]
        }
    }

    fn types(&self) -> &'static [&'static str] {
        &[
            "Alpm",
            "Atcam",
            "CRCPolynomial",
            "DirectRegisterAction",
            "DirectRegisterAction2",
            "DirectRegisterAction3",
            "DirectRegisterAction4",
            "Mirror",
            "ParserCounter",
            "ParserPriority",
            "RegisterAction",
            "RegisterAction2",
            "RegisterAction3",
            "RegisterAction4",
            "Resubmit",
        ]
    }

    fn object(&self, _object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::Stateless)
    }
}

/// Objects that programs can declare, but that do not run.
pub(super) struct Missing;

impl Extern<Lengths> for Missing {
    fn types(&self) -> &'static [&'static str] {
        &["IdleTimeout", "Pktgen", "SelectorAction"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let help = format!(
            "Weir has no `{}` of TNA yet; docs/reference/tna.md lists what runs",
            object.instance.kind
        );
        Err(LoadError { help: Some(help), ..object.unsupported() })
    }
}

/// Help for requests of deparsers that only ingress can make.
pub(super) const INGRESS_REQUESTS: &str = "only the ingress deparser makes this request: in ingress, set \
    `resubmit_type` or `digest_type` of the metadata for the deparser, and make the call in the deparser";

const PARSERS: &str = "only parsers have counters and priorities; controls use metadata and registers";
