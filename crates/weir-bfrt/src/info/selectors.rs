//! The tables of selectors: of their groups, and of the members that hashes choose.

use weir_ir::{ConstArg, ExternId};

use super::hashes::ids;
use super::{DEFAULT_SIZE, DataField, FieldType, KeyField, Object, Table, field};

/// The first byte of the number of a table of members that hashes choose.
const GET_MEMBER: u32 = 0x9a << 24;

/// Makes the tables of a selector whose members have the given table.
pub(super) fn tables(name: String, groups: u32, members: u32, id: ExternId, args: &[ConstArg]) -> [Table; 2] {
    let (group_size, size) = limits(args);
    let group = || KeyField::exact(field::SELECTOR_GROUP_ID, "$SELECTOR_GROUP_ID", 32);
    let member = DataField::new(field::ACTION_MEMBER_ID, "$ACTION_MEMBER_ID", FieldType::Uint(32, None));
    let status = DataField::new(field::ACTION_MEMBER_STATUS, "$ACTION_MEMBER_STATUS", FieldType::Bool(None));
    let most = DataField::new(field::MAX_GROUP_SIZE, "$MAX_GROUP_SIZE", FieldType::Uint(32, Some(0)));
    let chosen = Table {
        keys: vec![group(), KeyField::exact(ids::VALUE, "hash_value", 64)],
        data: vec![member.clone().read_only()],
        depends_on: vec![groups],
        ..Table::new(
            format!("{name}_get_member"),
            GET_MEMBER | groups & 0x00ff_ffff,
            Object::MemberOfHash(id),
            "SelectorGetMember",
            1,
        )
    };
    let groups = Table {
        keys: vec![group()],
        data: vec![member.list(), status.list(), most],
        depends_on: vec![members],
        group_size,
        ..Table::new(name, groups, Object::Groups(id), "Selector", size)
    };
    [chosen, groups]
}

/// Returns the maximum number of members of a group, and that of groups, with the arguments of a
/// selector's constructor. Only selectors of TNA with a profile have both.
fn limits(args: &[ConstArg]) -> (Option<u32>, u64) {
    let number = |arg: &ConstArg| match arg {
        ConstArg::Bits(_, bits) => u32::try_from(bits.low_u64()).ok().filter(|number| *number > 0),
        _ => None,
    };
    match args {
        [_, _, _, .., members, groups] => (number(members), number(groups).map_or(DEFAULT_SIZE, u64::from)),
        _ => (None, DEFAULT_SIZE),
    }
}
