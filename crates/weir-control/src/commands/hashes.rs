//! Commands on the CRCs whose parameters a program leaves open.

use weir_switch::control::{CrcAlgorithm, CrcParameters, Update};

use super::registry::{Command, Output, Session};
use super::values::read_whole;
use crate::Error;

/// The heading of these commands in help.
const GROUP: &str = "Hashes";
/// The arguments of the commands that set a CRC's parameters.
const CRC_ARGUMENTS: &str = "NAME POLYNOMIAL INITIAL FINAL_XOR REFLECT_DATA REFLECT_REMAINDER";
/// The note in help about the names of calculations.
const DETAILS: &str = "NAME names a call of hash, update_checksum or verify_checksum, as in p4c: calc, calc_0, … The name of the\n\
                       algorithm sets all of its calls. The last two arguments are true or false (1 or 0).";

/// The commands that change the parameters of hashes.
pub(super) const COMMANDS: [Command; 2] = [
    Command::new(
        GROUP,
        "set_crc16_parameters",
        CRC_ARGUMENTS,
        "set the parameters of crc16_custom",
        "set_crc16_parameters calc 0x8005 0 0 true true",
        |session, args| set_parameters(session, args, CrcAlgorithm::Crc16),
    )
    .details(DETAILS),
    Command::new(
        GROUP,
        "set_crc32_parameters",
        CRC_ARGUMENTS,
        "set the parameters of crc32_custom",
        "set_crc32_parameters calc 0x04c11db7 0xffffffff 0xffffffff true true",
        |session, args| set_parameters(session, args, CrcAlgorithm::Crc32),
    )
    .details(DETAILS),
];

fn set_parameters(session: &mut Session<'_, '_>, args: &[&str], algorithm: CrcAlgorithm) -> Output {
    let most = (1u64 << algorithm.width()) - 1;
    let number = |at: usize, what: &str| Ok::<_, Error>(read_whole(args[at], what, 0, most)? as u32);
    let parameters = CrcParameters {
        polynomial: number(1, "a polynomial")?,
        initial: number(2, "an initial value")?,
        final_xor: number(3, "a value to xor at the end")?,
        reflect_in: parse_flag(args[4])?,
        reflect_out: parse_flag(args[5])?,
    };
    let calculation = session.names().calculation(args[0])?;
    let own = session.names().algorithm(calculation);
    if own != Some(algorithm) {
        let own = own.map_or("another algorithm", CrcAlgorithm::name);
        return Err(Error::new(format!(
            "{} is a calculation of {own}, not of {}",
            args[0],
            algorithm.name()
        )));
    }
    session.change(&Update::SetCrc { calculation, parameters })?;
    Ok(Vec::new())
}

fn parse_flag(text: &str) -> Result<bool, Error> {
    match text.to_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Error::new(format!("expected true or false, found \"{text}\""))),
    }
}
