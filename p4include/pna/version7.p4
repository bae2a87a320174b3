/* pna/version7.p4 - metadata, externs and blocks of PNA 0.7. */

#ifndef _PNA_VERSION7_P4_
#define _PNA_VERSION7_P4_

/* Values of the table property pna_idle_timeout. */
enum PNA_IdleTimeout_t {
    NO_TIMEOUT,
    NOTIFY_CONTROL,
    AUTO_DELETE
}

enum PNA_Source_t {
    FROM_HOST,
    FROM_NET
}

struct pna_main_parser_input_metadata_t {
    bool recirculated;
    PortId_t input_port;
}

struct pna_main_input_metadata_t {
    bool recirculated;
#ifdef _PNA_TC_
    bool recirculate;
#endif
    Timestamp_t timestamp;
    ParserError_t parser_error;
    ClassOfService_t class_of_service;
    PortId_t input_port;
}

struct pna_main_output_metadata_t {
    ClassOfService_t class_of_service;
}

extern bool is_host_port(in PortId_t p);
extern bool is_net_port(in PortId_t p);

/* What happens to the packet after the main deparser. The last call decides. */
extern void drop_packet();
extern void send_to_port(in PortId_t dest_port);

/* Sends a copy of the packet to a mirror session. Each slot holds one such request. */
extern void mirror_packet(in MirrorSlotId_t mirror_slot_id, in MirrorSessionId_t mirror_session_id);

typedef bit<1> AddEntryErrorStatus_t;
const AddEntryErrorStatus_t ADD_ENTRY_SUCCESS = 0;
const AddEntryErrorStatus_t ADD_ENTRY_NOT_DONE = 1;

/* For the default action of a table with `add_on_miss`: adds an entry with the key that missed. */
extern AddEntryErrorStatus_t add_entry<T>(string action_name,
                                          in T action_params,
                                          in ExpireTimeProfileId_t expire_time_profile_id);
extern AddEntryErrorStatus_t add_entry_if<T>(in bool do_add_entry,
                                             string action_name,
                                             in T action_params,
                                             in ExpireTimeProfileId_t expire_time_profile_id);

/* Returns a number that no other flow has. */
extern FlowId_t allocate_flow_id();

/* For the actions of a table with idle timeouts: when the entry that matched expires. */
extern void set_entry_expire_time(in ExpireTimeProfileId_t expire_time_profile_id);
extern void set_entry_expire_time_if(in bool condition, in ExpireTimeProfileId_t expire_time_profile_id);
extern void restart_expire_timer();
extern void update_expire_info(in bool update_aging_info,
                               in bool update_expire_time,
                               in ExpireTimeProfileId_t expire_time_profile_id);

/* One value for packets from the network, another for those from the host. */
@pure
extern T SelectByDirection<T>(in bool is_network_port, in T from_net_value, in T from_host_value);

parser MainParserT<MH, MM>(packet_in pkt,
                           out MH main_hdr,
                           inout MM main_user_meta,
                           in pna_main_parser_input_metadata_t istd);

control MainControlT<MH, MM>(inout MH main_hdr,
                             inout MM main_user_meta,
                             in pna_main_input_metadata_t istd,
                             inout pna_main_output_metadata_t ostd);

control MainDeparserT<MH, MM>(packet_out pkt,
                              inout MH main_hdr,
                              in MM main_user_meta,
                              in pna_main_output_metadata_t ostd);

package PNA_NIC<MH, MM>(MainParserT<MH, MM> main_parser,
                        MainControlT<MH, MM> main_control,
                        MainDeparserT<MH, MM> main_deparser);

#endif
