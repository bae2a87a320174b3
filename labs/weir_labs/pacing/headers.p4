/* headers.p4 - headers and metadata of pace.p4. */

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;
typedef bit<48> time_t;         // in us
typedef bit<96> flow_key_t;     // addresses and ports of a flow's data: source, destination
typedef bit<16> slot_t;         // of a flow in the registers; 0 is not a flow

header ethernet_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> diffserv;
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

// IPv4 options of others (RFC 791), and the padding.
header other_options_t {
    varbit<320> bytes;
}

const bit<8> OPTION_END = 0;
const bit<8> OPTION_NOP = 1;
const bit<8> OPTION_PACE = 0x1e;    // for experiments, not copied into fragments (RFC 4727)

// The option of the scheme: 4 bytes, then a trace of 8 bytes for each switch.
header pace_t {
    bit<8> kind;
    bit<8> length_;                 // with the traces
    bit<8> version;
    bit<8> weight;                  // of the flow, 1 or more
}

header trace_t {
    bit<8> switch_id;
    bit<8> port;
    bit<16> shares;                 // the weights of all active flows through the port
    bit<32> kbps;                   // the capacity of its link
}

header tcp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<32> seqNo;
    bit<32> ackNo;
    bit<4> dataOffset;
    bit<4> reserved;
    bit<8> flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgentPtr;
}

const bit<8> FIN = 0x01;
const bit<8> SYN = 0x02;
const bit<8> RST = 0x04;
const bit<8> ACK = 0x10;

header udp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<16> length_;
    bit<16> checksum;
}

#define MAX_OTHERS 4
#define MAX_TRACES 4

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    other_options_t[MAX_OTHERS] others;    // in front of the option of the scheme
    pace_t pace;
    trace_t[MAX_TRACES] traces;
    other_options_t rest;
    tcp_t tcp;
    udp_t udp;
}

struct metadata {
    bit<8> option_bytes;        // that the parser has not read yet
    bit<4> others;
    bit<8> traces;              // that the parser has not read yet
    @noWarn("unwritten-metadata")   // in the programs that make none
    bit<1> is_notice;           // this packet is a notification
    // Which flows are notified: the one of walk_slot, and, if walk_port is not 0, all others that
    // follow it in the list of this port.
    @field_list(1)
    slot_t walk_slot;
    @field_list(1)
    port_t walk_port;
    // When the switch received the packet that began the walk: recirculated copies have no timestamp.
    @field_list(1)
    time_t walk_time;
}
