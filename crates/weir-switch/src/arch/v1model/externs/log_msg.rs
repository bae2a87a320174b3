//! `log_msg`: a line for people, with values in the places of `{}`.

use weir_ir::{ArgValue, Bits};

use super::{Call, Extern, Site, V1Model};
use crate::error::LoadError;
use crate::path::{ResolvedCall, present};

pub(super) struct LogMsg;

impl Extern<V1Model> for LogMsg {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::anywhere("log_msg")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let text = match site.call.args.first().map(|arg| &arg.value) {
            Some(ArgValue::Text(text)) => text.clone(),
            _ => String::new(),
        };
        let values = site.frame.args.get(1).cloned().unwrap_or_default();
        Ok(ResolvedCall::new(move |env, words| {
            let values: Vec<Bits> = present(words, &values).map(|value| value.read(words)).collect();
            env.log(filled_in(&text, &values));
            Ok(())
        }))
    }
}

/// The text with values in the places of `{}`; places without value stay.
fn filled_in(text: &str, values: &[Bits]) -> String {
    let mut values = values.iter();
    let mut line = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("{}") {
        line += &rest[..at];
        match values.next() {
            Some(value) => line += &value.to_string(),
            None => line += "{}",
        }
        rest = &rest[at + 2..];
    }
    line + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fill_places_in_order() {
        let values = [Bits::new(8, 7), Bits::new(16, 9)];
        assert_eq!(filled_in("a {} b {} c {}", &values), "a 7 b 9 c {}");
        assert_eq!(filled_in("no place", &values), "no place");
    }
}
