/*
 * headers.p4 - headers and metadata of balance.p4.
 */

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_TELEMETRY = 0x7777;
const bit<16> TYPE_FEEDBACK = 0x7778;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;

header ethernet_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
}

// In a packet: the longest queue so far. In a feedback message: that of the packet it is about.
header telemetry_t {
    bit<16> enq_qdepth;         // in packets, without the packet itself
    bit<16> nextHeaderType;     // EtherType of the next header
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

// TCP and UDP both begin with their ports, and the switches need no other fields of them.
header ports_t {
    bit<16> srcPort;
    bit<16> dstPort;
}

struct headers {
    ethernet_t ethernet;
    telemetry_t telemetry;
    ipv4_t ipv4;
    ports_t ports;
}

// What a hash is computed from. Packets without ports have 0.
struct flow_t {
    ipv4_address_t srcAddr;
    ipv4_address_t dstAddr;
    bit<8> protocol;
    bit<16> srcPort;
    bit<16> dstPort;
}

struct metadata {
    flow_t flow;
    bit<1> to_host;             // the next hop is the destination
    @field_list(1)
    bit<16> worst_qdepth;       // what the telemetry of a restored packet said
}
