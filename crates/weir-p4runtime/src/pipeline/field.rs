//! The fields that controllers write. Their values are plain numbers, or numbers and texts that
//! stand for other numbers (`@p4runtime_translation`).

use weir_grpc::Problem;
use weir_ir::Bits;

use super::number::{fit, number};
use super::translation::{Translation, Translator};
use crate::wire::shortest;

/// A field that controllers write: a match field, a parameter, or a field of a header.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The id, which is unique in its object.
    pub id: u32,
    /// The name in the program.
    pub name: String,
    /// The width that controllers see, in bits; 0 for texts.
    pub width: u32,
    /// The width in the program, in bits.
    pub bits: u32,
    pub translation: Translation,
}

impl Field {
    /// Converts a controller's value to the program's value.
    pub fn read(&self, translator: &Translator, bytes: &[u8]) -> Result<Bits, Problem> {
        let value = match self.translation {
            Translation::None => return number(bytes, self.bits).map_err(|problem| self.explain(problem)),
            Translation::Text(map) => translator.number_of_text(map, bytes, self.bits),
            Translation::Ports => {
                number(bytes, self.width).and_then(|value| translator.port_in(&value, self.bits))
            }
            Translation::Number => number(bytes, self.width).and_then(|value| fit(&value, self.bits)),
        };
        value.map_err(|problem| self.explain(problem))
    }

    /// Converts a value of the program to the controller's value.
    pub fn write(&self, translator: &Translator, value: &Bits) -> Vec<u8> {
        match self.translation {
            Translation::None | Translation::Number => shortest(value),
            Translation::Ports => translator.port_out(value),
            Translation::Text(map) => translator.text_of_number(map, value),
        }
    }

    fn explain(&self, problem: Problem) -> Problem {
        problem.within(&self.shown())
    }

    /// Describes the field in messages by its name and its id, if it has them. The only field of a
    /// value set may have no name, and a value inside other data has no id.
    pub fn shown(&self) -> String {
        match (self.name.as_str(), self.id) {
            ("", id) => format!("field {id}"),
            (name, 0) => format!("`{name}`"),
            (name, id) => format!("`{name}` (id {id})"),
        }
    }
}
