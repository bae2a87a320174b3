//! Formats values in traces, digests and messages for human readers.

use weir_ir::Bits;

use crate::value::format_value;

/// The largest number that is shown only as decimal.
const MAX_DECIMAL_ONLY: u128 = 0xff;
/// The largest number that is also shown as decimal.
const MAX_DECIMAL: u128 = 0xffff;
/// Words in the names of fields whose values are shown only as hexadecimal.
const HEXADECIMAL_WORDS: [&str; 8] = ["check", "chksum", "cksum", "csum", "crc", "hash", "magic", "mask"];

/// Returns the text of a value: its label, if it has one; an address, if its width and name suggest
/// one; otherwise a number. Large numbers are hexadecimal. `header` is the header that contains
/// the field, if `name` is only the field's last part.
pub fn field_text(value: &Bits, label: Option<&str>, header: &str, name: &str) -> String {
    if let Some(label) = label {
        return label.to_owned();
    }
    let text = format_value(value, &format!("{header}.{name}"));
    let number = value.to_u128().unwrap_or(u128::MAX);
    if number <= MAX_DECIMAL_ONLY || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text;
    }
    let last = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_hexadecimal = HEXADECIMAL_WORDS.iter().any(|part| last.contains(part));
    if number > MAX_DECIMAL || name.is_empty() || is_hexadecimal {
        format!("{value:#}")
    } else {
        format!("{text} ({value:#})")
    }
}
