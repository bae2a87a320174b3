/* psa/architecture.p4 - the Portable Switch Architecture, for all files named psa.p4. */

#ifndef _PSA_P4_
#define _PSA_P4_

#include <core.p4>

/* The unsigned integers with which the data plane computes. */
typedef bit<32> PortIdUint_t;
typedef bit<32> MulticastGroupUint_t;
typedef bit<16> CloneSessionIdUint_t;
typedef bit<8> ClassOfServiceUint_t;
typedef bit<16> PacketLengthUint_t;    // bytes
typedef bit<16> EgressInstanceUint_t;
typedef bit<64> TimestampUint_t;

/* The same numbers as new types, which P4Runtime may translate for the control plane. */
@p4runtime_translation("p4.org/psa/v1/PortId_t", 32)
type PortIdUint_t PortId_t;
@p4runtime_translation("p4.org/psa/v1/MulticastGroup_t", 32)
type MulticastGroupUint_t MulticastGroup_t;
@p4runtime_translation("p4.org/psa/v1/CloneSessionId_t", 16)
type CloneSessionIdUint_t CloneSessionId_t;
@p4runtime_translation("p4.org/psa/v1/ClassOfService_t", 8)
type ClassOfServiceUint_t ClassOfService_t;
@p4runtime_translation("p4.org/psa/v1/PacketLength_t", 16)
type PacketLengthUint_t PacketLength_t;
@p4runtime_translation("p4.org/psa/v1/EgressInstance_t", 16)
type EgressInstanceUint_t EgressInstance_t;
@p4runtime_translation("p4.org/psa/v1/Timestamp_t", 64)
type TimestampUint_t Timestamp_t;

typedef error ParserError_t;

const PortId_t PSA_PORT_RECIRCULATE = (PortId_t)0xfffffffa;  // egress to this port goes back to ingress
const PortId_t PSA_PORT_CPU = (PortId_t)0xfffffffd;
const CloneSessionId_t PSA_CLONE_SESSION_TO_CPU = (CloneSessionId_t)0;

/* The same for headers between data plane and control plane: whole bytes on every target. */
typedef bit<32> PortIdInHeaderUint_t;
typedef bit<32> MulticastGroupInHeaderUint_t;
typedef bit<16> CloneSessionIdInHeaderUint_t;
typedef bit<8> ClassOfServiceInHeaderUint_t;
typedef bit<16> PacketLengthInHeaderUint_t;
typedef bit<16> EgressInstanceInHeaderUint_t;
typedef bit<64> TimestampInHeaderUint_t;

@p4runtime_translation("p4.org/psa/v1/PortIdInHeader_t", 32)
type PortIdInHeaderUint_t PortIdInHeader_t;
@p4runtime_translation("p4.org/psa/v1/MulticastGroupInHeader_t", 32)
type MulticastGroupInHeaderUint_t MulticastGroupInHeader_t;
@p4runtime_translation("p4.org/psa/v1/CloneSessionIdInHeader_t", 16)
type CloneSessionIdInHeaderUint_t CloneSessionIdInHeader_t;
@p4runtime_translation("p4.org/psa/v1/ClassOfServiceInHeader_t", 8)
type ClassOfServiceInHeaderUint_t ClassOfServiceInHeader_t;
@p4runtime_translation("p4.org/psa/v1/PacketLengthInHeader_t", 16)
type PacketLengthInHeaderUint_t PacketLengthInHeader_t;
@p4runtime_translation("p4.org/psa/v1/EgressInstanceInHeader_t", 16)
type EgressInstanceInHeaderUint_t EgressInstanceInHeader_t;
@p4runtime_translation("p4.org/psa/v1/TimestampInHeader_t", 64)
type TimestampInHeaderUint_t TimestampInHeader_t;

#define _PSA_CONVERSIONS(N) \
N##_t psa_##N##_header_to_int(in N##InHeader_t x) { \
    return (N##_t)(N##Uint_t)(N##InHeaderUint_t)x; \
} \
N##InHeader_t psa_##N##_int_to_header(in N##_t x) { \
    return (N##InHeader_t)(N##InHeaderUint_t)(N##Uint_t)x; \
}
_PSA_CONVERSIONS(PortId)
_PSA_CONVERSIONS(MulticastGroup)
_PSA_CONVERSIONS(CloneSessionId)
_PSA_CONVERSIONS(ClassOfService)
_PSA_CONVERSIONS(PacketLength)
_PSA_CONVERSIONS(EgressInstance)
_PSA_CONVERSIONS(Timestamp)

/* Values of the table property psa_idle_timeout. */
enum PSA_IdleTimeout_t {
    NO_TIMEOUT,
    NOTIFY_CONTROL
}

/* The path on which a packet arrived at ingress or egress. */
enum PSA_PacketPath_t {
    NORMAL,            // to ingress, from a port
    NORMAL_UNICAST,    // to egress, the only copy
    NORMAL_MULTICAST,  // to egress, one of a multicast group
    CLONE_I2E,         // to egress, cloned by ingress
    CLONE_E2E,         // to egress, cloned by egress
    RESUBMIT,          // to ingress, once more as it was received
    RECIRCULATE        // to ingress, as egress sent it
}

struct psa_ingress_parser_input_metadata_t {
    PortId_t ingress_port;
    PSA_PacketPath_t packet_path;
}

struct psa_egress_parser_input_metadata_t {
    PortId_t egress_port;
    PSA_PacketPath_t packet_path;
}

struct psa_ingress_input_metadata_t {
    PortId_t ingress_port;
    PSA_PacketPath_t packet_path;
    Timestamp_t ingress_timestamp;
    ParserError_t parser_error;
}

/* The results of ingress. The comments give the initial values. */
struct psa_ingress_output_metadata_t {
    ClassOfService_t class_of_service;  // 0
    bool clone;                         // false
    CloneSessionId_t clone_session_id;  // undefined
    bool drop;                          // true
    bool resubmit;                      // false
    MulticastGroup_t multicast_group;   // 0
    PortId_t egress_port;               // undefined
}

struct psa_egress_input_metadata_t {
    ClassOfService_t class_of_service;
    PortId_t egress_port;
    PSA_PacketPath_t packet_path;
    EgressInstance_t instance;  // of the copy, from the replication engine
    Timestamp_t egress_timestamp;
    ParserError_t parser_error;
}

struct psa_egress_deparser_input_metadata_t {
    PortId_t egress_port;
}

/* The results of egress. The comments give the initial values. */
struct psa_egress_output_metadata_t {
    bool clone;                         // false
    CloneSessionId_t clone_session_id;  // undefined
    bool drop;                          // false
}

/* For deparsers: whether the `out` parameter of this kind will be used. */
@pure
extern bool psa_clone_i2e(in psa_ingress_output_metadata_t istd);
@pure
extern bool psa_resubmit(in psa_ingress_output_metadata_t istd);
@pure
extern bool psa_normal(in psa_ingress_output_metadata_t istd);
@pure
extern bool psa_clone_e2e(in psa_egress_output_metadata_t istd);
@pure
extern bool psa_recirculate(in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd);

/* Report a failed check. `assume` also tells verification tools that the check always holds. */
@other_names("assert_that", "check")
@usage("assert(condition)")
extern void assert(in bool check);
extern void assume(in bool check);

match_kind {
    range,     // between two bounds, both included
    selector,  // feeds the hash of an action selector, matches nothing by itself
    optional   // exact, or anything
}

/* Sends the packet to one port, unless it is dropped later. */
@noWarn("unused")
@other_names("forward", "output", "set_egress_port")
@usage("send_to_port(ostd, port)")
action send_to_port(inout psa_ingress_output_metadata_t meta, in PortId_t egress_port) {
    meta.drop = false;
    meta.multicast_group = (MulticastGroup_t)0;
    meta.egress_port = egress_port;
}

/* Sends the packet to a multicast group. */
@noWarn("unused")
action multicast(inout psa_ingress_output_metadata_t meta, in MulticastGroup_t multicast_group) {
    meta.drop = false;
    meta.multicast_group = multicast_group;
}

@noWarn("unused")
@other_names("drop", "drop_packet", "discard", "mark_to_drop")
@usage("ingress_drop(ostd)`; in egress, `egress_drop(ostd)")
action ingress_drop(inout psa_ingress_output_metadata_t meta) {
    meta.drop = true;
}

@noWarn("unused")
@usage("egress_drop(ostd)")
action egress_drop(inout psa_egress_output_metadata_t meta) {
    meta.drop = true;
}

/* The two fixed-function blocks: replication after ingress, queueing after egress. */
extern PacketReplicationEngine {
    PacketReplicationEngine();
}

extern BufferingQueueingEngine {
    BufferingQueueingEngine();
}

enum PSA_HashAlgorithm_t {
    IDENTITY,
    CRC32,
    CRC32_CUSTOM,
    CRC16,
    CRC16_CUSTOM,
    ONES_COMPLEMENT16,  // the sum of IPv4 headers
    TARGET_DEFAULT
}

@program_only
extern Hash<O> {
    Hash(PSA_HashAlgorithm_t algo);

    /* Returns the hash of the data. */
    @pure
    @other_names("hash", "crc16", "crc32")
    @usage("my_hash.get_hash(data)")
    O get_hash<D>(in D data);

    /* Returns base + (hash(data) mod max). */
    @pure
    O get_hash<T, D>(in T base, in D data, in T max);
}

/* A checksum that is computed incrementally. */
@program_only
extern Checksum<W> {
    Checksum(PSA_HashAlgorithm_t hash);
    void clear();
    void update<T>(in T data);
    @noSideEffects
    W get();
}

/* The ones' complement checksum of IPv4. Data can also be subtracted (RFC 1624). */
@program_only
@computes_checksums
extern InternetChecksum {
    InternetChecksum();
    void clear();
    void add<T>(in T data);
    void subtract<T>(in T data);
    @noSideEffects
    bit<16> get();

    /* The current sum, for example to continue it in another block. */
    @noSideEffects
    bit<16> get_state();
    void set_state(in bit<16> checksum_state);
}

enum PSA_CounterType_t {
    PACKETS,
    BYTES,
    PACKETS_AND_BYTES
}

/* An array of counters. */
@noWarn("unused")
extern Counter<W, S> {
    Counter(@elements bit<32> n_counters, PSA_CounterType_t type);
    @other_names("inc", "increment", "incr", "tick", "add", "insert")
    @usage("my_counter.count(index)")
    void count(@element in S index);
#ifdef _PSA_DPDK_

    /* Counts a packet of `pkt_len` bytes. */
    void count(@element in S index, in bit<32> pkt_len);
#endif
}

/* A counter for each entry of a table; the table property `psa_direct_counter` refers to it. */
@noWarn("unused")
extern DirectCounter<W> {
    DirectCounter(PSA_CounterType_t type);
    void count();
#ifdef _PSA_DPDK_

    /* Counts a packet of `pkt_len` bytes. */
    void count(in bit<32> pkt_len);
#endif
}

enum PSA_MeterType_t {
    PACKETS,
    BYTES
}

enum PSA_MeterColor_t {
    RED,
    GREEN,
    YELLOW
}

/* An array of two-rate three-colour meters (RFC 2698). The default colour is green. */
@has_rates
extern Meter<S> {
    Meter(@elements bit<32> n_meters, PSA_MeterType_t type);
    PSA_MeterColor_t execute(@element in S index, in PSA_MeterColor_t color);
    @other_names("execute_meter", "meter", "color", "colour")
    @usage("my_meter.execute(index)")
    PSA_MeterColor_t execute(@element in S index);
#ifdef _PSA_DPDK_

    /* Measures a packet of `pkt_len` bytes. */
    PSA_MeterColor_t dpdk_execute(@element in S index, in PSA_MeterColor_t color, in bit<32> pkt_len);
    PSA_MeterColor_t dpdk_execute(@element in S index, in bit<32> pkt_len);
#endif
}

/* A meter for each entry of a table; the table property `psa_direct_meter` refers to it. */
@has_rates
extern DirectMeter {
    DirectMeter(PSA_MeterType_t type);
    PSA_MeterColor_t execute(in PSA_MeterColor_t color);
    PSA_MeterColor_t execute();
#ifdef _PSA_DPDK_

    /* Measures a packet of `pkt_len` bytes. */
    PSA_MeterColor_t dpdk_execute(in PSA_MeterColor_t color, in bit<32> pkt_len);
    PSA_MeterColor_t dpdk_execute(in bit<32> pkt_len);
#endif
}

/* An array of values that persist from packet to packet. */
extern Register<T, S> {
    Register(@elements bit<32> size);
    Register(@elements bit<32> size, T initial_value);
    @noSideEffects
    @other_names("get", "load", "value", "fetch", "register_read")
    @usage("my_register.read(index)")
    T read(@element in S index);
    @other_names("set", "put", "store", "update", "register_write")
    @usage("my_register.write(index, value)")
    void write(@element in S index, in T value);
}

/* A generator of random numbers from min to max, inclusive. */
@program_only
extern Random<T> {
    Random(T min, @not_below("min") T max);
    T read();
}

/* Actions with data, shared by entries of tables whose `psa_implementation` refers to it. */
extern ActionProfile {
    ActionProfile(bit<32> size);
}

/* An action profile with groups. The `selector` keys of the table choose the member. */
@has_groups
extern ActionSelector {
    ActionSelector(PSA_HashAlgorithm_t algo, bit<32> size, bit<32> outputWidth);
}

/* Sends messages with data to the control plane. */
extern Digest<T> {
    Digest();
    void pack(in T data);
}

parser IngressParser<H, M, RESUBM, RECIRCM>(packet_in buffer,
                                            out H parsed_hdr,
                                            inout M user_meta,
                                            in psa_ingress_parser_input_metadata_t istd,
                                            in RESUBM resubmit_meta,
                                            in RECIRCM recirculate_meta);

control Ingress<H, M>(inout H hdr,
                      inout M user_meta,
                      in psa_ingress_input_metadata_t istd,
                      inout psa_ingress_output_metadata_t ostd);

control IngressDeparser<H, M, CI2EM, RESUBM, NM>(packet_out buffer,
                                                 out CI2EM clone_i2e_meta,
                                                 out RESUBM resubmit_meta,
                                                 out NM normal_meta,
                                                 inout H hdr,
                                                 in M meta,
                                                 in psa_ingress_output_metadata_t istd);

parser EgressParser<H, M, NM, CI2EM, CE2EM>(packet_in buffer,
                                            out H parsed_hdr,
                                            inout M user_meta,
                                            in psa_egress_parser_input_metadata_t istd,
                                            in NM normal_meta,
                                            in CI2EM clone_i2e_meta,
                                            in CE2EM clone_e2e_meta);

control Egress<H, M>(inout H hdr,
                     inout M user_meta,
                     in psa_egress_input_metadata_t istd,
                     inout psa_egress_output_metadata_t ostd);

control EgressDeparser<H, M, CE2EM, RECIRCM>(packet_out buffer,
                                             out CE2EM clone_e2e_meta,
                                             out RECIRCM recirculate_meta,
                                             inout H hdr,
                                             in M meta,
                                             in psa_egress_output_metadata_t istd,
                                             in psa_egress_deparser_input_metadata_t edstd);

package IngressPipeline<IH, IM, NM, CI2EM, RESUBM, RECIRCM>(IngressParser<IH, IM, RESUBM, RECIRCM> ip,
                                                            Ingress<IH, IM> ig,
                                                            IngressDeparser<IH, IM, CI2EM, RESUBM, NM> id);

package EgressPipeline<EH, EM, NM, CI2EM, CE2EM, RECIRCM>(EgressParser<EH, EM, NM, CI2EM, CE2EM> ep,
                                                          Egress<EH, EM> eg,
                                                          EgressDeparser<EH, EM, CE2EM, RECIRCM> ed);

package PSA_Switch<IH, IM, EH, EM, NM, CI2EM, CE2EM, RESUBM, RECIRCM>(
    IngressPipeline<IH, IM, NM, CI2EM, RESUBM, RECIRCM> ingress,
    PacketReplicationEngine pre,
    EgressPipeline<EH, EM, NM, CI2EM, CE2EM, RECIRCM> egress,
    BufferingQueueingEngine bqe);

#endif
