/* headers.p4 - the headers of the lab, and what the program knows of a packet. */

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;
const bit<16> PORT_INT = 1337;
const bit<16> PORT_REPORT = 1338;       // reports on UDP datagrams
const bit<16> PORT_TCP_REPORT = 1339;   // reports on TCP segments
const bit<8> MAX_HOPS = 255;            // hop_count has 8 bits; the last one is the sink's

// Lengths in bytes.
const bit<32> ETHERNET_BYTES = 14;
const bit<16> IPV4_BYTES = 20;
const bit<16> UDP_BYTES = 8;
const bit<16> INT_BYTES = 3;
const bit<16> HOP_BYTES = 12;
const bit<16> SOURCE_BYTES = 15;        // what the source adds
const bit<16> MAX_LENGTH = 65535;       // of an IPv4 packet

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

// UDP and TCP headers begin with the ports.
header ports_t {
    bit<16> srcPort;
    bit<16> dstPort;
}

header udp_t {
    bit<16> length_;
    bit<16> checksum;
}

header tcp_t {
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

header int_t {
    bit<8> hop_count;
    bit<16> dst_port;       // destination port of the datagram or segment
}

header hop_t {
    bit<32> timestamp;      // when egress began, in us, the lower 32 bits
    bit<32> tx_bytes;       // sent from the egress port so far, this packet included
    bit<16> queue_length;   // packets left in the egress port's queue
    bit<8> switch_id;
    bit<8> port;            // egress port, the lower 8 bits
}

header older_hops_t {
    varbit<24480> hops;     // 255 hops of 96 bits
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    ports_t ports;
    udp_t udp;
    tcp_t tcp;
    tcp_options_t tcp_options;
    int_t telemetry;
    hop_t hop;
    older_hops_t older;
    // Never sent: what the sink removes from a packet and its clone, the report, gets back.
    int_t kept_telemetry;
    hop_t kept_hop;
    older_hops_t kept_older;
}

struct metadata {
    bit<1> whole;           // UDP or TCP, neither a fragment nor padded, and not only a TCP header
    bit<1> source;
    bit<1> sink;
    mac_t next_hop;
    @field_list(1)
    mac_t report_next_hop;
    bit<32> report_session;
    @noWarn("unwritten-metadata")
    bit<16> no_error;       // always 0: the checksum of data that contains its own checksum
    bit<16> tcp_bytes;      // of a TCP segment with its header: what its pseudo-header says
}
