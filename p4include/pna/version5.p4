/* pna/version5.p4 - metadata, externs and blocks of PNA 0.5. */

#ifndef _PNA_VERSION5_P4_
#define _PNA_VERSION5_P4_

/* Values of the table property pna_idle_timeout. */
enum PNA_IdleTimeout_t {
    NO_TIMEOUT,
    NOTIFY_CONTROL
}

enum PNA_Direction_t {
    NET_TO_HOST,
    HOST_TO_NET
}

/* The path on which a packet arrived. */
enum PNA_PacketPath_t {
    FROM_NET_PORT,
    FROM_NET_LOOPEDBACK,
    FROM_NET_RECIRCULATED,
    FROM_HOST,
    FROM_HOST_LOOPEDBACK,
    FROM_HOST_RECIRCULATED
}

struct pna_pre_input_metadata_t {
    PortId_t input_port;
    ParserError_t parser_error;
    PNA_Direction_t direction;
    PassNumber_t pass;  // 0 the first time
    bool loopedback;
}

/* The results of PreControl: whether and how to decrypt the packet before the main parser. */
struct pna_pre_output_metadata_t {
    bool decrypt;
    SecurityAssocId_t said;
    bit<16> decrypt_start_offset;  // bytes
}

struct pna_main_parser_input_metadata_t {
    PNA_Direction_t direction;
    PassNumber_t pass;
    bool loopedback;
    PortId_t input_port;
}

struct pna_main_input_metadata_t {
    PNA_Direction_t direction;
    PassNumber_t pass;
    bool loopedback;
    Timestamp_t timestamp;
    ParserError_t parser_error;
    ClassOfService_t class_of_service;
    PortId_t input_port;
}

struct pna_main_output_metadata_t {
    ClassOfService_t class_of_service;
}

/* What happens to the packet after the main deparser. The last call decides. */
extern void drop_packet();
extern void send_to_port(in PortId_t dest_port);

/* Sends a copy of the packet to a mirror session. Each slot holds one such request. */
extern void mirror_packet(in MirrorSlotId_t mirror_slot_id, in MirrorSessionId_t mirror_session_id);

/* Sends the packet through the pipeline again. */
extern void recirculate();

/*
 * For the default action of a table with `add_on_miss`: adds an entry with the key that missed.
 * Returns whether it was added.
 */
extern bool add_entry<T>(string action_name,
                         in T action_params,
                         in ExpireTimeProfileId_t expire_time_profile_id);

/* Returns a number that no other flow has. */
extern FlowId_t allocate_flow_id();

/* For the actions of a table with idle timeouts: when the entry that matched expires. */
extern void set_entry_expire_time(in ExpireTimeProfileId_t expire_time_profile_id);
extern void restart_expire_timer();

/* One value for packets from the network, another for those from the host. */
@pure
extern T SelectByDirection<T>(in PNA_Direction_t direction, in T n2h_value, in T h2n_value);

control PreControlT<PH, PM>(in PH pre_hdr,
                            inout PM pre_user_meta,
                            in pna_pre_input_metadata_t istd,
                            inout pna_pre_output_metadata_t ostd);

parser MainParserT<MH, MM>(packet_in pkt,
                           out MH main_hdr,
                           inout MM main_user_meta,
                           in pna_main_parser_input_metadata_t istd);

control MainControlT<MH, MM>(inout MH main_hdr,
                             inout MM main_user_meta,
                             in pna_main_input_metadata_t istd,
                             inout pna_main_output_metadata_t ostd);

control MainDeparserT<MH, MM>(packet_out pkt,
                              in MH main_hdr,
                              in MM main_user_meta,
                              in pna_main_output_metadata_t ostd);

package PNA_NIC<PH, PM, MH, MM>(MainParserT<MH, MM> main_parser,
                                PreControlT<PH, PM> pre_control,
                                MainControlT<MH, MM> main_control,
                                MainDeparserT<MH, MM> main_deparser);

#endif
