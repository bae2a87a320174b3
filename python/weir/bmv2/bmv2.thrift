// The calls of BMv2's Thrift services, as Weir's switches serve them. Names of calls, numbers and
// types of fields are those that BMv2's clients use; names of types and comments are Weir's.
//
// Exceptions have a field that BMv2's do not have: why. Clients that do not know it skip it.

// Tables

enum MatchType { EXACT = 0, LPM = 1, TERNARY = 2, VALID = 3, RANGE = 4 }

struct ExactMatch { 1: required binary key }
struct PrefixMatch { 1: required binary key, 2: required i32 prefix_length }
struct TernaryMatch { 1: required binary key, 2: required binary mask }
struct ValidMatch { 1: required bool key }
struct RangeMatch { 1: required binary start, 2: required binary end_ }

// What an entry says of a key: the field that belongs to its type.
struct Match {
  1: required MatchType type,
  2: optional ExactMatch exact,
  3: optional PrefixMatch lpm,
  4: optional TernaryMatch ternary,
  5: optional ValidMatch valid,
  6: optional RangeMatch range,
}

// The smallest priority is preferred.
struct EntryOptions { 1: optional i32 priority }

enum TargetType { NONE = 0, ACTION_DATA = 1, MBR_HANDLE = 2, GRP_HANDLE = 3 }

// What an entry or a default leads to.
struct Target {
  1: TargetType action_type,
  2: optional string action_name,
  3: optional list<binary> action_data,
  4: optional i32 mbr_handle,
  5: optional i32 grp_handle,
}

struct EntryLife { 1: i32 timeout_ms, 2: i32 time_since_hit_ms }

struct Entry {
  1: list<Match> match_key,
  2: EntryOptions options,
  3: i32 entry_handle,
  4: Target action_entry,
  5: optional EntryLife life,
}

struct Member { 1: i32 mbr_handle, 2: string action_name, 3: list<binary> action_data }
struct Group { 1: i32 grp_handle, 2: list<i32> mbr_handles }

enum TableCode {
  TABLE_FULL = 1,
  INVALID_HANDLE = 2,
  EXPIRED_HANDLE = 3,
  COUNTERS_DISABLED = 4,
  METERS_DISABLED = 5,
  AGEING_DISABLED = 6,
  INVALID_TABLE_NAME = 7,
  INVALID_ACTION_NAME = 8,
  WRONG_TABLE_TYPE = 9,
  INVALID_MBR_HANDLE = 10,
  MBR_STILL_USED = 11,
  MBR_ALREADY_IN_GRP = 12,
  MBR_NOT_IN_GRP = 13,
  INVALID_GRP_HANDLE = 14,
  GRP_STILL_USED = 15,
  EMPTY_GRP = 16,
  DUPLICATE_ENTRY = 17,
  BAD_MATCH_KEY = 18,
  INVALID_METER_OPERATION = 19,
  DEFAULT_ACTION_IS_CONST = 20,
  DEFAULT_ENTRY_IS_CONST = 21,
  NO_DEFAULT_ENTRY = 22,
  INVALID_ACTION_PROFILE_NAME = 23,
  NO_ACTION_PROFILE_SELECTION = 24,
  IMMUTABLE_TABLE_ENTRIES = 25,
  BAD_ACTION_DATA = 26,
  NO_TABLE_KEY = 27,
  ERROR = 100,
}
exception TableError { 1: TableCode code, 2: string why }

// Counters, meters, registers, value sets

struct Count { 1: required i64 bytes, 2: required i64 packets }
enum CounterCode { INVALID_COUNTER_NAME = 1, INVALID_INDEX = 2, ERROR = 3 }
exception CounterError { 1: CounterCode code, 2: string why }

struct Rate { 1: required double units_per_micros, 2: required i32 burst_size }
enum MeterCode {
  INVALID_METER_NAME = 1,
  INVALID_INDEX = 2,
  BAD_RATES_LIST = 3,
  INVALID_INFO_RATE_VALUE = 4,
  INVALID_BURST_SIZE_VALUE = 5,
  ERROR = 6,
}
exception MeterError { 1: MeterCode code, 2: string why }

enum RegisterCode { INVALID_REGISTER_NAME = 1, INVALID_INDEX = 2, ERROR = 3 }
exception RegisterError { 1: RegisterCode code, 2: string why }

enum ValueSetCode { INVALID_PARSE_VSET_NAME = 1, ERROR = 2 }
exception ValueSetError { 1: ValueSetCode code, 2: string why }

// Learning, programs, ports, hashes, ids

enum LearnCode { INVALID_LIST_ID = 1, INVALID_LIST_NAME = 2, ERROR = 3 }
exception LearnError { 1: LearnCode code, 2: string why }

enum SwapCode { CONFIG_SWAP_DISABLED = 1, ONGOING_SWAP = 2, NO_ONGOING_SWAP = 3 }
exception SwapError { 1: SwapCode code, 2: string why }

struct PortInfo { 1: i32 port_num, 2: string iface_name, 3: bool is_up, 4: map<string, string> extra }
enum PortCode { ERROR = 1 }
exception PortError { 1: PortCode code, 2: string why }

struct SwitchInfo {
  1: i64 device_id,
  2: i32 thrift_port,
  3: optional string notifications_socket,
  4: optional string elogger_socket,
  5: optional string debugger_socket,
}

struct Crc16 {
  1: required i16 polynomial,
  2: required i16 initial_remainder,
  3: required i16 final_xor_value,
  4: required bool data_reflected,
  5: required bool remainder_reflected,
}
struct Crc32 {
  1: required i32 polynomial,
  2: required i32 initial_remainder,
  3: required i32 final_xor_value,
  4: required bool data_reflected,
  5: required bool remainder_reflected,
}
enum CrcCode { INVALID_CALCULATION_NAME = 1, WRONG_TYPE_CALCULATION = 2, INVALID_CONFIG = 3 }
exception CrcError { 1: CrcCode code, 2: string why }

enum ToeplitzCode { INVALID_CALCULATION_NAME = 1, WRONG_TYPE_CALCULATION = 2, INVALID_KEY = 3 }
exception ToeplitzError { 1: ToeplitzCode code, 2: string why }

enum Resource {
  MATCH_TABLE = 0,
  ACTION_PROFILE = 1,
  COUNTER = 2,
  METER = 3,
  REGISTER = 4,
  LEARNING_LIST = 5,
}
enum IdCode { INVALID_RESOURCE_TYPE = 0, INVALID_RESOURCE_NAME = 1 }
exception IdError { 1: IdCode code, 2: string why }

// The service `standard`. The first argument of most calls is a context, which is 0.
service Standard {
  i64 bm_mt_get_num_entries(1: i32 context, 2: string table) throws (1: TableError error),
  void bm_mt_clear_entries(1: i32 context, 2: string table, 3: bool reset_default)
    throws (1: TableError error),
  i32 bm_mt_add_entry(1: i32 context, 2: string table, 3: list<Match> matches, 4: string action,
    5: list<binary> data, 6: EntryOptions options) throws (1: TableError error),
  void bm_mt_set_default_action(1: i32 context, 2: string table, 3: string action,
    4: list<binary> data) throws (1: TableError error),
  void bm_mt_reset_default_entry(1: i32 context, 2: string table) throws (1: TableError error),
  void bm_mt_delete_entry(1: i32 context, 2: string table, 3: i32 handle)
    throws (1: TableError error),
  void bm_mt_modify_entry(1: i32 context, 2: string table, 3: i32 handle, 4: string action,
    5: list<binary> data) throws (1: TableError error),
  void bm_mt_set_entry_ttl(1: i32 context, 2: string table, 3: i32 handle, 4: i32 timeout_ms)
    throws (1: TableError error),

  i32 bm_mt_act_prof_add_member(1: i32 context, 2: string profile, 3: string action,
    4: list<binary> data) throws (1: TableError error),
  void bm_mt_act_prof_delete_member(1: i32 context, 2: string profile, 3: i32 member)
    throws (1: TableError error),
  void bm_mt_act_prof_modify_member(1: i32 context, 2: string profile, 3: i32 member,
    4: string action, 5: list<binary> data) throws (1: TableError error),
  i32 bm_mt_act_prof_create_group(1: i32 context, 2: string profile) throws (1: TableError error),
  void bm_mt_act_prof_delete_group(1: i32 context, 2: string profile, 3: i32 group)
    throws (1: TableError error),
  void bm_mt_act_prof_add_member_to_group(1: i32 context, 2: string profile, 3: i32 member,
    4: i32 group) throws (1: TableError error),
  void bm_mt_act_prof_remove_member_from_group(1: i32 context, 2: string profile, 3: i32 member,
    4: i32 group) throws (1: TableError error),
  list<Member> bm_mt_act_prof_get_members(1: i32 context, 2: string profile)
    throws (1: TableError error),
  Member bm_mt_act_prof_get_member(1: i32 context, 2: string profile, 3: i32 member)
    throws (1: TableError error),
  list<Group> bm_mt_act_prof_get_groups(1: i32 context, 2: string profile)
    throws (1: TableError error),
  Group bm_mt_act_prof_get_group(1: i32 context, 2: string profile, 3: i32 group)
    throws (1: TableError error),

  i32 bm_mt_indirect_add_entry(1: i32 context, 2: string table, 3: list<Match> matches,
    4: i32 member, 5: EntryOptions options) throws (1: TableError error),
  void bm_mt_indirect_modify_entry(1: i32 context, 2: string table, 3: i32 handle, 4: i32 member)
    throws (1: TableError error),
  void bm_mt_indirect_delete_entry(1: i32 context, 2: string table, 3: i32 handle)
    throws (1: TableError error),
  void bm_mt_indirect_set_entry_ttl(1: i32 context, 2: string table, 3: i32 handle,
    4: i32 timeout_ms) throws (1: TableError error),
  void bm_mt_indirect_set_default_member(1: i32 context, 2: string table, 3: i32 member)
    throws (1: TableError error),
  void bm_mt_indirect_reset_default_entry(1: i32 context, 2: string table)
    throws (1: TableError error),
  i32 bm_mt_indirect_ws_add_entry(1: i32 context, 2: string table, 3: list<Match> matches,
    4: i32 group, 5: EntryOptions options) throws (1: TableError error),
  void bm_mt_indirect_ws_modify_entry(1: i32 context, 2: string table, 3: i32 handle, 4: i32 group)
    throws (1: TableError error),
  void bm_mt_indirect_ws_set_default_group(1: i32 context, 2: string table, 3: i32 group)
    throws (1: TableError error),

  Count bm_mt_read_counter(1: i32 context, 2: string table, 3: i32 handle)
    throws (1: TableError error),
  void bm_mt_reset_counters(1: i32 context, 2: string table) throws (1: TableError error),
  void bm_mt_write_counter(1: i32 context, 2: string table, 3: i32 handle, 4: Count value)
    throws (1: TableError error),
  void bm_mt_set_meter_rates(1: i32 context, 2: string table, 3: i32 handle, 4: list<Rate> rates)
    throws (1: TableError error),
  list<Rate> bm_mt_get_meter_rates(1: i32 context, 2: string table, 3: i32 handle)
    throws (1: TableError error),
  list<Entry> bm_mt_get_entries(1: i32 context, 2: string table) throws (1: TableError error),
  Entry bm_mt_get_entry(1: i32 context, 2: string table, 3: i32 handle)
    throws (1: TableError error),
  Target bm_mt_get_default_entry(1: i32 context, 2: string table) throws (1: TableError error),
  Entry bm_mt_get_entry_from_key(1: i32 context, 2: string table, 3: list<Match> matches,
    4: EntryOptions options) throws (1: TableError error),

  Count bm_counter_read(1: i32 context, 2: string counter, 3: i32 index)
    throws (1: CounterError error),
  void bm_counter_reset_all(1: i32 context, 2: string counter) throws (1: CounterError error),
  void bm_counter_write(1: i32 context, 2: string counter, 3: i32 index, 4: Count value)
    throws (1: CounterError error),

  void bm_learning_ack(1: i32 context, 2: i32 list_id, 3: i64 buffer_id, 4: list<i32> sample_ids)
    throws (1: LearnError error),
  void bm_learning_ack_buffer(1: i32 context, 2: i32 list_id, 3: i64 buffer_id)
    throws (1: LearnError error),
  void bm_learning_set_timeout(1: i32 context, 2: i32 list_id, 3: i32 timeout_ms)
    throws (1: LearnError error),
  void bm_learning_set_buffer_size(1: i32 context, 2: i32 list_id, 3: i32 samples)
    throws (1: LearnError error),

  void bm_load_new_config(1: string config) throws (1: SwapError error),
  void bm_swap_configs() throws (1: SwapError error),

  void bm_meter_array_set_rates(1: i32 context, 2: string meter, 3: list<Rate> rates)
    throws (1: MeterError error),
  void bm_meter_set_rates(1: i32 context, 2: string meter, 3: i32 index, 4: list<Rate> rates)
    throws (1: MeterError error),
  list<Rate> bm_meter_get_rates(1: i32 context, 2: string meter, 3: i32 index)
    throws (1: MeterError error),

  i64 bm_register_read(1: i32 context, 2: string array, 3: i32 index)
    throws (1: RegisterError error),
  list<i64> bm_register_read_all(1: i32 context, 2: string array)
    throws (1: RegisterError error),
  void bm_register_write(1: i32 context, 2: string array, 3: i32 index, 4: i64 value)
    throws (1: RegisterError error),
  void bm_register_write_range(1: i32 context, 2: string array, 3: i32 start, 4: i32 end_,
    5: i64 value) throws (1: RegisterError error),
  void bm_register_reset(1: i32 context, 2: string array) throws (1: RegisterError error),

  void bm_parse_vset_add(1: i32 context, 2: string value_set, 3: binary value)
    throws (1: ValueSetError error),
  void bm_parse_vset_remove(1: i32 context, 2: string value_set, 3: binary value)
    throws (1: ValueSetError error),
  list<binary> bm_parse_vset_get(1: i32 context, 2: string value_set)
    throws (1: ValueSetError error),
  void bm_parse_vset_clear(1: i32 context, 2: string value_set) throws (1: ValueSetError error),

  void bm_dev_mgr_add_port(1: string interface_name, 2: i32 port, 3: string pcap)
    throws (1: PortError error),
  void bm_dev_mgr_remove_port(1: i32 port) throws (1: PortError error),
  list<PortInfo> bm_dev_mgr_show_ports() throws (1: PortError error),

  SwitchInfo bm_mgmt_get_info(),
  void bm_set_crc16_custom_parameters(1: i32 context, 2: string calculation, 3: Crc16 crc)
    throws (1: CrcError error),
  void bm_set_crc32_custom_parameters(1: i32 context, 2: string calculation, 3: Crc32 crc)
    throws (1: CrcError error),
  void bm_set_toeplitz_hash_key(1: i32 context, 2: string calculation, 3: binary key)
    throws (1: ToeplitzError error),
  void bm_reset_state(),
  string bm_get_config(),
  binary bm_get_config_md5(),
  i32 bm_get_id_from_name(1: i32 context, 2: Resource type, 3: string name)
    throws (1: IdError error),
  string bm_serialize_state(),
}

// The service `simple_switch`.

struct CloneSession { 1: optional i32 port, 2: optional i32 mgid }
enum CloneCode { SESSION_NOT_FOUND = 1 }
exception CloneError { 1: CloneCode code, 2: string why }

service SimpleSwitch {
  i32 mirroring_mapping_add(1: i32 session, 2: i32 port),
  i32 mirroring_mapping_delete(1: i32 session),
  i32 mirroring_mapping_get_egress_port(1: i32 session),
  void mirroring_session_add(1: i32 session, 2: CloneSession config) throws (1: CloneError error),
  void mirroring_session_delete(1: i32 session) throws (1: CloneError error),
  CloneSession mirroring_session_get(1: i32 session) throws (1: CloneError error),
  i32 set_egress_priority_queue_depth(1: i32 port, 2: i32 priority, 3: i32 packets),
  i32 set_egress_queue_depth(1: i32 port, 2: i32 packets),
  i32 set_all_egress_queue_depths(1: i32 packets),
  i32 set_egress_priority_queue_rate(1: i32 port, 2: i32 priority, 3: i64 packets_per_second),
  i32 set_egress_queue_rate(1: i32 port, 2: i64 packets_per_second),
  i32 set_all_egress_queue_rates(1: i64 packets_per_second),
  i64 get_time_elapsed_us(),
  i64 get_time_since_epoch_us(),
}

// The service `simple_pre_lag`. Sets of ports and of link aggregation groups are texts of 0 and 1,
// the last of which is number 0.

enum MulticastCode {
  TABLE_FULL = 1,
  INVALID_MGID = 2,
  INVALID_MGRP_HANDLE = 3,
  INVALID_L1_HANDLE = 4,
  ERROR = 5,
}
exception MulticastError { 1: MulticastCode code, 2: string why }

service Multicast {
  i32 bm_mc_mgrp_create(1: i32 context, 2: i32 group) throws (1: MulticastError error),
  void bm_mc_mgrp_destroy(1: i32 context, 2: i32 group) throws (1: MulticastError error),
  i32 bm_mc_node_create(1: i32 context, 2: i32 rid, 3: string ports, 4: string lags)
    throws (1: MulticastError error),
  void bm_mc_node_associate(1: i32 context, 2: i32 group, 3: i32 node)
    throws (1: MulticastError error),
  void bm_mc_node_dissociate(1: i32 context, 2: i32 group, 3: i32 node)
    throws (1: MulticastError error),
  void bm_mc_node_destroy(1: i32 context, 2: i32 node) throws (1: MulticastError error),
  void bm_mc_node_update(1: i32 context, 2: i32 node, 3: string ports, 4: string lags)
    throws (1: MulticastError error),
  void bm_mc_set_lag_membership(1: i32 context, 2: i16 lag, 3: string ports)
    throws (1: MulticastError error),
  string bm_mc_get_entries(1: i32 context) throws (1: MulticastError error),
}

// The service `weir`: runtime commands as text.

exception CommandError { 1: string why }

service Commands {
  list<string> run(1: string line) throws (1: CommandError error),
}
