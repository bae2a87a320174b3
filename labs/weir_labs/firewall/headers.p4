/* headers.p4 - the headers of the lab, and names for their values. */

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_REQUEST = 0x88B5;    // IEEE 802's first type for local experiments
const bit<8> PROTOCOL_ICMP = 1;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;
typedef bit<6> host_t;          // the controller numbers the hosts that it knows

const port_t CPU_PORT = 510;

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
    bit<1> reserved;
    bit<1> dontFragment;
    bit<1> moreFragments;
    bit<13> fragOffset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> hdrChecksum;
    ipv4_address_t srcAddr;
    ipv4_address_t dstAddr;
}

header tcp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<32> seqNo;
    bit<32> ackNo;
    bit<4> dataOffset;
    bit<4> res;
    bit<2> ecn;
    bit<1> urg;
    bit<1> ack;
    bit<1> psh;
    bit<1> rst;
    bit<1> syn;
    bit<1> fin;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgentPtr;
}

header udp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<16> length_;
    bit<16> checksum;
}

header icmp_t {
    bit<8> type;
    bit<8> code;
    bit<16> checksum;
}

// In front of a packet to the controller: where it came in.
@controller_header("packet_in")
header packet_in_t {
    port_t ingress_port;
    bit<7> pad;
}

// In front of a packet from the controller: where it goes out.
@controller_header("packet_out")
header packet_out_t {
    port_t egress_port;
    bit<7> pad;
}

struct headers {
    packet_in_t to_controller;
    packet_out_t from_controller;
    ethernet_t ethernet;
    ipv4_t ipv4;
    tcp_t tcp;
    udp_t udp;
    icmp_t icmp;
}

struct metadata {
    host_t source;              // the host that sent the packet
    host_t target;              // the host that it is for
    ipv4_address_t address;     // the only address that the source may use
    bit<1> is_new;              // the source may only answer
    bit<16> srcPort;            // of TCP and UDP, 0 for ICMP
    bit<16> dstPort;
}
