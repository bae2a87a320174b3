/* headers.p4 - the headers of the lab: INT v2.1 over UDP and TCP, Telemetry Report v2.0. */

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

// Two ways to mark a packet that carries INT: a UDP destination port, which IANA has not assigned
// yet, and a DSCP value.
const bit<16> PORT_INT = 5555;
const bit<6> DSCP_INT = 0x17;

// Types of INT headers, in the shim header.
const bit<4> TYPE_MD = 1;
const bit<4> TYPE_MX = 3;

// What the shim header keeps of the packet (Next Protocol Type).
const bit<2> NPT_DSCP = 0;
const bit<2> NPT_PORT = 1;

const bit<4> INT_VERSION = 2;
const bit<4> REPORT_VERSION = 2;

// Lengths in bytes.
const bit<16> ETHERNET_BYTES = 14;
const bit<16> IPV4_BYTES = 20;
const bit<16> UDP_BYTES = 8;
const bit<16> SHIM_BYTES = 4;
const bit<16> FIXED_BYTES = 16;         // shim header and INT-MD or INT-MX header
const bit<16> GROUP_BYTES = 8;          // of a report

// Lengths in 32-bit words.
const bit<8> INT_WORDS = 3;             // INT-MD or INT-MX header
const bit<8> MAIN_WORDS = 2;            // of a report, without its metadata

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;

header ethernet_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<6> dscp;
    bit<2> ecn;
    bit<16> totalLen;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragOffset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> hdrChecksum;
    ipv4_address_t srcAddr;
    ipv4_address_t dstAddr;
}

header udp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<16> length_;
    bit<16> checksum;
}

header tcp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<32> seqNo;
    bit<32> ackNo;
    bit<4> dataOffset;      // the header's 32-bit words
    bit<4> reserved;
    bit<8> flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgentPtr;
}

header tcp_options_t {
    varbit<320> options;
}

// INT shim header for TCP and UDP.
header shim_t {
    bit<4> kind;
    bit<2> npt;
    bit<2> reserved;
    bit<8> length_;         // 32-bit words that follow: INT header and metadata stack
    bit<16> original;       // UDP port, or DSCP in bits 2 to 7, by npt
}

// INT-MD metadata header.
header md_t {
    bit<4> version;
    bit<1> discard;         // D: the sink drops the packet
    bit<1> hops_exceeded;   // E
    bit<1> mtu_exceeded;    // M
    bit<12> reserved;
    bit<5> hop_ml;          // 32-bit words that each hop adds
    bit<8> remaining_hops;
    bit<16> instructions;
    bit<16> domain;
    bit<16> ds_instructions;
    bit<16> ds_flags;
}

// INT-MX header.
header mx_t {
    bit<4> version;
    bit<1> discard;         // D
    bit<27> reserved;
    bit<16> instructions;
    bit<16> domain;
    bit<16> ds_instructions;
    bit<16> ds_flags;
}

// Metadata of other hops, or what the source of an INT-MX packet inserted.
header stack_t {
    varbit<8160> words;     // 255 words
}

// A word of that, in packets whose metadata this switch looks at.
header word_t {
    bit<32> value;
}

// Metadata of one hop, each instruction a header.
header node_t {
    bit<32> id;
}

header interfaces_t {
    bit<16> ingress;
    bit<16> egress;
}

header latency_t {
    bit<32> us;             // from the end of its arrival to the end of its wait
}

header queue_t {
    bit<8> id;
    bit<24> occupancy;      // packets that waited when it came
}

header time_t {
    bit<64> us;             // since the switch started
}

header logical_t {
    bit<32> ingress;
    bit<32> egress;
}

header utilization_t {
    bit<32> ppm;            // of the link's rate, in millionths
}

header buffer_t {
    bit<8> id;
    bit<24> occupancy;
}

// The reserved value, in 1, 2, 4, 8 and 16 words.
header ones1_t { bit<32> word; }
header ones2_t { bit<64> words; }
header ones4_t { bit<128> words; }
header ones8_t { bit<256> words; }
header ones16_t { bit<512> words; }

header complement_t {
    bit<16> high;
    bit<16> low;
}

struct hop_t {
    node_t node;                    // bit 0
    interfaces_t interfaces;        // bit 1
    latency_t latency;              // bit 2
    queue_t queue;                  // bit 3
    time_t ingress_time;            // bit 4
    time_t egress_time;             // bit 5
    logical_t logical;              // bit 6
    utilization_t utilization;      // bit 7
    buffer_t buffer;                // bit 8
    ones1_t ones1;                  // reserved bits, and instructions of unknown domains
    ones2_t ones2;
    ones4_t ones4;
    ones8_t ones8;
    ones16_t ones16;
    complement_t complement;        // bit 15
}

struct packet_t {
    ipv4_t ipv4;
    udp_t udp;
    tcp_t tcp;
    tcp_options_t tcp_options;
    shim_t shim;
    md_t md;
    mx_t mx;
    hop_t hop;                      // what this node adds
    stack_t stack;
}

// Telemetry Report Group Header.
header group_t {
    bit<4> version;
    bit<6> hw_id;
    bit<22> sequence;
    bit<32> node;
}

// Individual Report Header, with the fixed part of the contents of type INT.
header individual_t {
    bit<4> kind;
    bit<4> inner;
    bit<8> length_;                 // 32-bit words after the first
    bit<8> metadata_length;         // 32-bit words of metadata
    bit<1> dropped;                 // D
    bit<1> congested;               // Q
    bit<1> tracked;                 // F
    bit<1> intermediate;            // I
    bit<4> reserved;
    bit<16> bits;                   // RepMdBits
    bit<16> domain;
    bit<16> ds_bits;
    bit<16> ds_status;
}

header drop_t {
    bit<8> queue;
    bit<8> reason;
    bit<16> padding;
}

struct report_t {
    individual_t individual;
    hop_t hop;
    drop_t drop;                    // bit 15
}

struct headers {
    ethernet_t ethernet;
    // A report: its own headers, then what it is about, from IPv4 on.
    ipv4_t ipv4;
    udp_t udp;
    group_t group;
    report_t report;
    packet_t packet;
    word_t[64] words;
    stack_t rest;
    // Never sent: what a report repeats, the packet as it was received, and the report's own headers.
    packet_t received;
    word_t[64] received_words;
    stack_t received_rest;
    report_t prepared;
}

// What this node knows of a packet's passage.
struct local_t {
    bit<16> available;              // instructions that this node can follow
    bit<32> node;
    bit<16> ingress;
    bit<16> egress;
    bit<32> latency;
    bit<24> occupancy;
    bit<48> ingress_time;
    bit<48> egress_time;
    bit<32> logical_ingress;
    bit<32> logical_egress;
    bit<32> utilization;
}

// What the collector's entry says.
struct collector_t {
    bit<32> session;                // clone session, 0 for no reports
    mac_t next_hop;
    ipv4_address_t node;
    ipv4_address_t address;
    bit<16> src_port;
    bit<16> dst_port;
    bit<6> hw_id;
    bit<16> payload;                // bytes after the last header that a report repeats
}

// Metadata that the clone of a dropped packet keeps.
const bit<8> FIELDS_OF_DROP = 1;

struct metadata {
    bit<1> from_host;               // the ingress port leads to a host
    bit<1> whole;                   // UDP or TCP with right lengths, no fragment
    bit<1> sink;                    // the egress port leads out of the INT domain
    bit<1> is_node;                 // this switch takes part in INT
    bit<16> src_port;
    bit<16> dst_port;
    bit<2> mode;                    // of the watchlist: MODE_…
    bit<16> instructions;
    bit<8> max_hops;
    bit<1> discard;
    bit<1> by_port;
    bit<16> mtu;                    // of the egress link: IPv4 bytes
    bit<32> ppm_per_byte;           // of the egress link, with 16 bits after the point
    bit<8> bin_log2_us;
    mac_t next_hop;
    local_t local;
    collector_t collector;
    bit<1> report;                  // this packet makes a report
    bit<16> report_bits;            // instructions to follow in the report
    bit<8> walked;                  // words of the stack that are in hdr.words
    bit<1> drops;                   // this packet is dropped in ingress
    @field_list(FIELDS_OF_DROP) bit<8> drop_reason;
    @field_list(FIELDS_OF_DROP) bit<16> drop_ingress;
    @field_list(FIELDS_OF_DROP) bit<16> drop_egress;
    @field_list(FIELDS_OF_DROP) bit<48> drop_time;
    @field_list(FIELDS_OF_DROP) bit<1> drop_tracked;
}

const bit<2> MODE_NONE = 0;
const bit<2> MODE_MD = 1;
const bit<2> MODE_XD = 2;
const bit<2> MODE_MX = 3;
