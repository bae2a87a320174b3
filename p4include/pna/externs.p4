/* pna/externs.p4 - the externs that the Portable NIC Architecture (PNA) shares with PSA. */

#ifndef _PNA_EXTERNS_P4_
#define _PNA_EXTERNS_P4_

match_kind {
    range,     // between two bounds, both included
    selector,  // feeds the hash of an action selector, matches nothing by itself
    optional   // exact, or anything
}

enum PNA_HashAlgorithm_t {
    IDENTITY,
    CRC32,
    CRC32_CUSTOM,
    CRC16,
    CRC16_CUSTOM,
    ONES_COMPLEMENT16,  // the sum of IPv4 headers
#ifdef _PNA_DPDK_
    TOEPLITZ,
#endif
    TARGET_DEFAULT
}

@program_only
extern Hash<O> {
    Hash(PNA_HashAlgorithm_t algo);

    /* Returns the hash of the data. */
    @pure
    O get_hash<D>(in D data);

    /* Returns base + (hash(data) mod max). */
    @pure
    O get_hash<T, D>(in T base, in D data, in T max);
}

/* A checksum that is computed incrementally. */
@program_only
extern Checksum<W> {
    Checksum(PNA_HashAlgorithm_t hash);
    void clear();
    void update<T>(in T data);
    @noSideEffects
    W get();
}

/* The ones' complement checksum of IPv4. Data can also be subtracted (RFC 1624). */
@program_only
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

enum PNA_CounterType_t {
    PACKETS,
    BYTES,
    PACKETS_AND_BYTES
}

/* An array of counters. */
@noWarn("unused")
extern Counter<W, S> {
    Counter(@elements bit<32> n_counters, PNA_CounterType_t type);
#if defined(_PNA_DPDK_)
    void count(@element in S index);

    /* Counts a packet of `pkt_len` bytes. */
    void count(@element in S index, in bit<32> pkt_len);
#elif _PNA_VERSION_ < 700
    /* Counts `increment` instead of the packet, if it is given. */
    void count(@element in S index, @optional in bit<32> increment);
#else
    void count(@element in S index);
#endif
}

/* A counter for each entry of a table; the table property `pna_direct_counter` refers to it. */
@noWarn("unused")
extern DirectCounter<W> {
    DirectCounter(PNA_CounterType_t type);
#if defined(_PNA_DPDK_)
    void count();

    /* Counts a packet of `pkt_len` bytes. */
    void count(in bit<32> pkt_len);
#elif _PNA_VERSION_ < 700
    /* Counts `increment` instead of the packet, if it is given. */
    void count(@optional in bit<32> increment);
#else
    void count();
#endif
}

enum PNA_MeterType_t {
    PACKETS,
    BYTES
}

enum PNA_MeterColor_t {
    RED,
    GREEN,
    YELLOW
}

/* An array of two-rate three-colour meters (RFC 2698). The default colour is green. */
@has_rates
extern Meter<S> {
    Meter(@elements bit<32> n_meters, PNA_MeterType_t type);
    PNA_MeterColor_t execute(@element in S index, in PNA_MeterColor_t color);
    PNA_MeterColor_t execute(@element in S index);
#ifdef _PNA_DPDK_

    /* Measures a packet of `pkt_len` bytes. */
    PNA_MeterColor_t dpdk_execute(@element in S index, in PNA_MeterColor_t color, in bit<32> pkt_len);
    PNA_MeterColor_t dpdk_execute(@element in S index, in bit<32> pkt_len);
#endif
}

/* A meter for each entry of a table; the table property `pna_direct_meter` refers to it. */
@has_rates
extern DirectMeter {
    DirectMeter(PNA_MeterType_t type);
#if defined(_PNA_DPDK_) || _PNA_VERSION_ >= 700
    PNA_MeterColor_t execute(in PNA_MeterColor_t color);
    PNA_MeterColor_t execute();
#else
    /* Measures a packet of `pkt_len` bytes instead of this one, if it is given. */
    PNA_MeterColor_t execute(in PNA_MeterColor_t color, @optional in bit<32> pkt_len);
    PNA_MeterColor_t execute(@optional in bit<32> pkt_len);
#endif
#ifdef _PNA_DPDK_

    /* Measures a packet of `pkt_len` bytes. */
    PNA_MeterColor_t dpdk_execute(in PNA_MeterColor_t color, in bit<32> pkt_len);
    PNA_MeterColor_t dpdk_execute(in bit<32> pkt_len);
#endif
}

/* An array of values that persist from packet to packet. */
extern Register<T, S> {
    Register(@elements bit<32> size);
    Register(@elements bit<32> size, T initial_value);
    @noSideEffects
    T read(@element in S index);
    void write(@element in S index, in T value);
}

/* A generator of random numbers from min to max, inclusive. */
@program_only
extern Random<T> {
    Random(T min, @not_below("min") T max);
    T read();
}

/* Actions with data, shared by entries of tables whose `pna_implementation` refers to it. */
extern ActionProfile {
    ActionProfile(bit<32> size);
}

/* An action profile with groups. The `selector` keys of the table choose the member. */
@has_groups
extern ActionSelector {
    ActionSelector(PNA_HashAlgorithm_t algo, bit<32> size, bit<32> outputWidth);
}

/* Sends messages with data to the control plane. */
extern Digest<T> {
    Digest();
    void pack(in T data);
}
#ifdef _PNA_DPDK_

enum ipsec_status {
    IPSEC_SUCCESS,
    IPSEC_ERROR
}

/* Hardware that encrypts and decrypts packets after the pipeline. */
extern ipsec_accelerator {
    ipsec_accelerator();

    /* The security association that applies. */
    void set_sa_index<T>(in T sa_index);

    /* Where the IP header begins, in bytes from the start of the packet. */
    void set_ip_header_offset<T>(in T offset);
    void enable();
    void disable();

    /* Whether the packet comes from the accelerator, and how that went. */
    bool from_ipsec(out ipsec_status status);
}
#endif

#endif
