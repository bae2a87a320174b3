//! Matches the headers between controller and switch: which of the program's fields a P4Info shows.

use weir_switch::p4info::controller_headers;

use super::objects::{ControllerHeader, Object};
use super::resolve::Resolver;
use crate::proto::config;

impl<'a> Resolver<'a> {
    pub(super) fn controller_headers(&mut self, message: &'a [config::ControllerPacketMetadata]) {
        for header in message {
            let Some(named) = self.named(header.preamble.as_ref(), Object::ControllerHeader) else {
                continue;
            };
            let program = self.program;
            let mut headers = controller_headers(program);
            let Some((id, _)) = headers.find(|(_, name)| *name == named.name) else {
                self.problems.push(format!("the program has no {}", named.description));
                continue;
            };
            let ty = &program.header_types[id];
            let mut fields = Vec::new();
            for known in &ty.fields {
                let bits = known.ty.width();
                let visible_field = header.metadata.iter().find(|metadata| metadata.name == known.name);
                let field = visible_field.and_then(|metadata| {
                    let name = (metadata.id, metadata.name.as_str());
                    self.field(&named, name, metadata.bitwidth, metadata.type_name.as_ref(), bits)
                });
                fields.push((bits, field));
            }
            for metadata in &header.metadata {
                if !ty.fields.iter().any(|field| field.name == metadata.name) {
                    let near = ty.fields.iter().map(|field| field.name.as_str());
                    let near = weir_suggest::nearest(&metadata.name, near);
                    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                    let problem = format!("the {} has no field `{}`{hint}", named.description, metadata.name);
                    self.problems.push(problem);
                }
            }
            self.check_ids(&named, header.metadata.iter().map(|metadata| metadata.id));
            let bits: u32 = fields.iter().map(|(bits, _)| bits).sum();
            if !bits.is_multiple_of(8) {
                self.problems
                    .push(format!("the {} has {bits} bits, which are not whole bytes", named.description));
            }
            let place = match named.name {
                "packet_in" => &mut self.layout.packet_in,
                "packet_out" => &mut self.layout.packet_out,
                _ => {
                    let problem = "controller headers are `packet_in` and `packet_out`";
                    self.problems.push(format!("{problem}, not `{}`", named.name));
                    continue;
                }
            };
            *place = Some(ControllerHeader { fields });
        }
    }
}
