/*
 * v1model.p4 - the architecture of the v1model switch:
 *
 *   Parser -> VerifyChecksum -> Ingress -> (queues, replication) -> Egress -> ComputeChecksum
 *     -> Deparser. A program may define V1MODEL_VERSION before it includes this file.
 * From version 20200408 on, ports have the type PortId_t, and the program chooses the index type of
 * counters, meters and registers. In earlier versions these types are bit<9> and bit<32>. Later
 * numbers mean the same as 20200408, and earlier ones the same as 20180101.
 */

#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif

#include <core.p4>

match_kind {
    range,     // between two bounds, both included
    optional,  // exact, or anything
    selector   // feeds the hash of an action selector, matches nothing by itself
}

const bit<32> __v1model_version = V1MODEL_VERSION;

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#endif

/*
 * Metadata of a packet that the switch and the program exchange.
 *   @set_after("ig")   the switch sets the field after the block `ig` of the package: before, it has no value
 *   @read_after("ig")  the switch reads the field when `ig` ends: what later blocks write is too late
 *   @sends_unless(n)   a value other than n sends the packet, even after mark_to_drop
 */
@metadata
@name("standard_metadata")
@formerly("drop", "call mark_to_drop(standard_metadata)")
@formerly("resubmit_flag", "call resubmit_preserving_field_list(index)")
@formerly("recirculate_flag", "call recirculate_preserving_field_list(index)")
@formerly("clone_spec", "call clone_preserving_field_list(type, session, index)")
@formerly("recirculate_port", "call recirculate_preserving_field_list(index)")
@formerly("lf_field_list", "call digest(receiver, data)")
struct standard_metadata_t {
#if V1MODEL_VERSION >= 20200408
    PortId_t ingress_port;  // where the packet came in
    @read_after("ig") @sends_unless(511)
    @other_names("forward", "output", "send_to_port", "set_egress_port")
    @usage("standard_metadata.egress_spec = port")
    PortId_t egress_spec;   // set by ingress: where it shall go out
    @set_after("ig")
    PortId_t egress_port;   // in egress: where it goes out
#else
    bit<9> ingress_port;
    @read_after("ig") @sends_unless(511)
    @other_names("forward", "output", "send_to_port", "set_egress_port")
    @usage("standard_metadata.egress_spec = port")
    bit<9> egress_spec;
    @set_after("ig")
    bit<9> egress_port;
#endif
    @tells_copies(1, 2)
    bit<32> instance_type;  // 0 normal, 1 ingress clone, 2 egress clone, 4 recirculated, 5 replicated, 6 resubmitted
    bit<32> packet_length;  // in bytes; not the original's for recirculated and resubmitted packets

    // Queueing metadata, available in egress.
    @set_after("ig") @alias("queueing_metadata.enq_timestamp")
    bit<32> enq_timestamp;  // microseconds
    @set_after("ig") @alias("queueing_metadata.enq_qdepth")
    bit<19> enq_qdepth;     // packets
    @set_after("ig") @alias("queueing_metadata.deq_timedelta")
    bit<32> deq_timedelta;  // microseconds in the queue
    @set_after("ig") @alias("queueing_metadata.deq_qdepth")
    bit<19> deq_qdepth;     // packets

    @alias("intrinsic_metadata.ingress_global_timestamp")
    bit<48> ingress_global_timestamp;  // microseconds since the switch started
    @set_after("ig") @alias("intrinsic_metadata.egress_global_timestamp")
    bit<48> egress_global_timestamp;   // microseconds since the switch started
    @read_after("ig") @sends_unless(0) @alias("intrinsic_metadata.mcast_grp")
    bit<16> mcast_grp;                 // set by ingress: multicast group, 0 for none
    @set_after("ig") @alias("intrinsic_metadata.egress_rid")
    bit<16> egress_rid;                // in egress: replication id of a multicast copy

    @set_after("vr") bit<1> checksum_error;  // 1 after a verify_checksum that failed
    @set_after("p")
    error parser_error;     // how the parser ended
    @read_after("ig") @alias("intrinsic_metadata.priority")
    bit<3> priority;        // set by ingress: queue of the egress port
}

enum CounterType {
    packets,
    bytes,
    packets_and_bytes
}

enum MeterType {
    packets,
    bytes
}

/* The results of meters. */
#define V1MODEL_METER_COLOR_GREEN 0
#define V1MODEL_METER_COLOR_YELLOW 1
#define V1MODEL_METER_COLOR_RED 2

/* An array of counters. Counting at an index out of range has no effect. */
#if V1MODEL_VERSION >= 20200408
extern counter<I> {
    counter(@elements bit<32> size, CounterType type);
    @other_names("inc", "increment", "incr", "tick", "add", "insert")
    @usage("my_counter.count(index)")
    void count(@element in I index);
}
#else
extern counter {
    counter(@elements bit<32> size, CounterType type);
    @other_names("inc", "increment", "incr", "tick", "add", "insert")
    @usage("my_counter.count(index)")
    void count(@element in bit<32> index);
}
#endif

/* A counter for each entry of a table; the table property `counters` refers to it. */
extern direct_counter {
    direct_counter(CounterType type);
    @other_names("inc", "increment", "incr", "tick", "add", "insert")
    void count();
}

/* An array of two-rate three-colour meters. */
#if V1MODEL_VERSION >= 20200408
@has_rates
extern meter<I> {
    meter(@elements bit<32> size, MeterType type);
    @other_names("execute", "meter", "color", "colour")
    @usage("my_meter.execute_meter(index, colour)")
    void execute_meter<T>(@element in I index, out T result);
}
#else
@has_rates
extern meter {
    meter(@elements bit<32> size, MeterType type);
    @other_names("execute", "meter", "color", "colour")
    @usage("my_meter.execute_meter(index, colour)")
    void execute_meter<T>(@element in bit<32> index, out T result);
}
#endif

/* A meter for each entry of a table; the table property `meters` refers to it. */
@has_rates
extern direct_meter<T> {
    direct_meter(MeterType type);
    @other_names("execute", "meter", "color", "colour", "get")
    void read(out T result);
}

/* Values that persist from packet to packet. Out of range, read gives 0, write has no effect. */
#if V1MODEL_VERSION >= 20200408
extern register<T, I> {
    register(@elements bit<32> size);
    @noSideEffects
    @other_names("get", "load", "value", "fetch", "register_read")
    @usage("my_register.read(result, index)")
    void read(out T result, @element in I index);
    @other_names("set", "put", "store", "update", "register_write")
    @usage("my_register.write(index, value)")
    void write(@element in I index, in T value);
}
#else
extern register<T> {
    register(@elements bit<32> size);
    @noSideEffects
    @other_names("get", "load", "value", "fetch", "register_read")
    @usage("my_register.read(result, index)")
    void read(out T result, @element in bit<32> index);
    @other_names("set", "put", "store", "update", "register_write")
    @usage("my_register.write(index, value)")
    void write(@element in bit<32> index, in T value);
}
#endif

/* Actions with data, shared by entries of tables whose `implementation` refers to it. */
extern action_profile {
    action_profile(bit<32> size);
}

enum HashAlgorithm {
    crc32,
    crc32_custom,
    crc16,
    crc16_custom,
    random,
    identity,
    csum16,
    xor16
}

/* An action profile with groups. The `selector` keys of the table choose the member. */
@has_groups
extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

/* Draws a random number from lo to hi, inclusive. */
@other_names("rand", "randint", "modify_field_rng_uniform")
@usage("random(result, low, high)")
extern void random<T>(out T result, in T lo, @not_below("lo") in T hi);

/* Sends a message with data to the control plane. */
@other_names("generate_digest")
@usage("digest(1, data)")
extern void digest<T>(in bit<32> receiver, in T data);

/* Sets result to base + (hash(data) mod max), or to base if max is 0. */
@pure
@other_names("crc16", "crc32", "checksum", "modify_field_with_hash_based_offset")
@usage("hash(result, HashAlgorithm.crc16, base, data, max)")
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data,
                             @not_zero("the result is always `base`") in M max);

/* Drops the packet, unless ingress sets egress_spec again later. */
@deprecated("use mark_to_drop(standard_metadata) instead")
@drops_packet
extern void mark_to_drop();
@pure
@drops_packet
@other_names("drop", "drop_packet", "discard")
@usage("mark_to_drop(standard_metadata)")
extern void mark_to_drop(inout standard_metadata_t standard_metadata);

/* In VerifyChecksum: sets checksum_error if condition is true and the checksum is wrong. */
extern void verify_checksum<T, O>(in bool condition, @summed in T data, @sum in O checksum, HashAlgorithm algo);

/* In ComputeChecksum: sets the checksum of the data if condition is true. */
@pure
@computes_checksums
extern void update_checksum<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);

/* The same, over the data followed by the part of the packet that the parser did not read. */
extern void verify_checksum_with_payload<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
@noSideEffects
extern void update_checksum_with_payload<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);

/* Computes the Internet checksum of data. */
@deprecated("use verify_checksum and update_checksum instead")
@program_only
extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

enum CloneType {
    I2E,  // from the end of ingress to egress, the packet as it was received
    E2E   // from the end of egress to egress, the packet as it is sent
}

/* Sends a copy of the packet, without metadata, to the ports of a clone session. */
@copies_packet
extern void clone(in CloneType type, in bit<32> session);

/* Send the packet back to ingress with the metadata fields annotated @field_list(index). */
extern void resubmit_preserving_field_list(@number_of("field_list") bit<8> index);      // in ingress, the packet as it was received
extern void recirculate_preserving_field_list(@number_of("field_list") bit<8> index);   // in egress, the packet as it is sent
@copies_packet
extern void clone_preserving_field_list(in CloneType type, in bit<32> session,
                                        @number_of("field_list") bit<8> index);

/* Older forms, which list the fields to preserve in data. */
@deprecated("use resubmit_preserving_field_list instead: of the data, only fields of metadata are kept")
extern void resubmit<T>(in T data);
@deprecated("use recirculate_preserving_field_list instead: of the data, only fields of metadata are kept")
extern void recirculate<T>(in T data);
@deprecated("use clone_preserving_field_list instead: of the data, only fields of metadata are kept")
@copies_packet
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);

/* Truncates the packet to at most length bytes when it leaves. */
extern void truncate(@not_zero("nothing is left of the packet") in bit<32> length);

/* Reports a failed check. Weir drops the packet. */
@other_names("assert_that", "check")
@usage("assert(condition)")
extern void assert(in bool check);

/* Like assert; also tells verification tools that the check always holds. */
extern void assume(in bool check);

/* Writes a line to the log of the switch. Each {} in msg is replaced by a member of data. */
@other_names("printf", "print", "println", "log", "puts", "echo", "debug")
@usage("log_msg(\"ttl is {}\", {hdr.ipv4.ttl})")
extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

parser Parser<H, M>(packet_in b, out H parsedHdr, @listed_by("field_list") inout M meta,
                    @listed_by("field_list") inout standard_metadata_t standard_metadata);

/* May only call verify_checksum. */
control VerifyChecksum<H, M>(inout H hdr, inout M meta);

@pipeline
control Ingress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);

@pipeline
control Egress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);

/* May only call update_checksum. */
control ComputeChecksum<H, M>(inout H hdr, inout M meta);

/* May only emit. */
@deparser
control Deparser<H>(packet_out b, in H hdr);

package V1Switch<H, M>(Parser<H, M> p,
                       VerifyChecksum<H, M> vr,
                       Ingress<H, M> ig,
                       @takes_copies
                       Egress<H, M> eg,
                       ComputeChecksum<H, M> ck,
                       Deparser<H> dep);

#endif
