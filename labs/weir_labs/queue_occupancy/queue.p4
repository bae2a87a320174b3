/*
 * queue.p4 - an IPv4 router that writes queue lengths into probes.
 *
 * A TCP packet to port 7777 is a probe. The first switch puts a telemetry header between its Ethernet
 * and IPv4 headers; this and each further switch keep the maximum of the queues that the probe met:
 *
 *     Ethernet, type 0x7777 | telemetry, 4 bytes | IPv4 | TCP to port 7777 | ...
 *
 * The header stays until the destination, where a program reads it.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_TELEMETRY = 0x7777;
const bit<8> PROTOCOL_TCP = 6;
const bit<16> PROBE_PORT = 7777;

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;

header ethernet_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
}

header telemetry_t {
    bit<16> enq_qdepth;         // the longest queue so far, in packets, without the probe
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

// The ports are all that a router needs of a TCP header.
header tcp_ports_t {
    bit<16> srcPort;
    bit<16> dstPort;
}

struct headers {
    ethernet_t ethernet;
    telemetry_t telemetry;
    ipv4_t ipv4;
    tcp_ports_t tcp;
}

struct metadata {
}

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.etherType) {
            TYPE_IPV4: parse_ipv4;
            TYPE_TELEMETRY: parse_telemetry;
            default: accept;
        }
    }

    state parse_telemetry {
        packet.extract(hdr.telemetry);
        transition select(hdr.telemetry.nextHeaderType) {
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.fragOffset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_TCP): parse_tcp;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    action drop() {
        mark_to_drop(standard_metadata);
    }

    action ipv4_forward(mac_t dstAddr, port_t port) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.srcAddr = hdr.ethernet.dstAddr;
        hdr.ethernet.dstAddr = dstAddr;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    @route
    table ipv4_lpm {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { ipv4_forward; drop; NoAction; }
        size = 1024;
        default_action = drop();
    }

    apply {
        // Packets with options, a wrong checksum or an expired TTL are dropped.
        if (!hdr.ipv4.isValid() || hdr.ipv4.ihl != 5 || hdr.ipv4.ttl <= 1
                || standard_metadata.checksum_error == 1
                || standard_metadata.parser_error != error.NoError) {
            drop();
        } else {
            ipv4_lpm.apply();
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    apply {
        if (hdr.tcp.isValid() && hdr.tcp.dstPort == PROBE_PORT) {
            // enq_qdepth has 19 bits; a queue of more than 65535 packets counts as 65535.
            bit<16> depth = standard_metadata.enq_qdepth > 0xffff
                ? 0xffff : (bit<16>) standard_metadata.enq_qdepth;
            if (!hdr.telemetry.isValid()) {
                hdr.telemetry.setValid();
                hdr.telemetry.enq_qdepth = depth;
                hdr.telemetry.nextHeaderType = TYPE_IPV4;
                hdr.ethernet.etherType = TYPE_TELEMETRY;
            } else if (hdr.telemetry.enq_qdepth < depth) {
                hdr.telemetry.enq_qdepth = depth;
            }
        }
    }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
