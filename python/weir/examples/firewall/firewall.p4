/*
 * firewall.p4 - a router with a stateful firewall.
 *
 * Hosts inside may talk to everyone. Packets from outside pass only if they answer: if the same
 * addresses, protocol and ports went the other way in the last 30 s. A Bloom filter remembers what
 * went out: each outgoing packet writes the time into two cells that hashes choose, and an answer
 * passes if both of its cells are recent. The filter never blocks an answer, but rarely lets
 * another packet pass whose two cells other connections have written.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

const bit<32> CELLS = 4096;
const bit<48> EXPIRY_US = 30000000;

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

// TCP and UDP both begin with their ports, and the firewall needs no other fields of them.
header ports_t {
    bit<16> srcPort;
    bit<16> dstPort;
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    ports_t ports;
}

struct metadata { }

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.etherType) {
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.flags[0:0], hdr.ipv4.fragOffset, hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_TCP): parse_ports;
            (5, 0, 0, PROTOCOL_UDP): parse_ports;
            default: accept;
        }
    }

    state parse_ports {
        packet.extract(hdr.ports);
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
    // When a connection that hashes to the cell last sent a packet, in microseconds; 0 for never.
    register<bit<48>>(CELLS) sent_1;
    register<bit<48>>(CELLS) sent_2;

    counter(2, CounterType.packets_and_bytes) verdicts;  // 0: answers, 1: blocked

    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(mac_t dstAddr, port_t port) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.srcAddr = hdr.ethernet.dstAddr;
        hdr.ethernet.dstAddr = dstAddr;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    table routes {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { forward; drop; }
        size = 1024;
        default_action = drop();
    }

    bool outside = true;

    action inside() {
        outside = false;
    }

    // Which ports lead to hosts inside; all others lead outside.
    table inside_ports {
        key = { standard_metadata.ingress_port: exact; }
        actions = { inside; NoAction; }
        size = 64;
        const default_action = NoAction();
    }

    apply {
        // Without ports there is no connection: ping and fragments do not pass.
        if (!hdr.ports.isValid() || standard_metadata.checksum_error == 1 || hdr.ipv4.ttl <= 1) {
            drop();
            return;
        }
        inside_ports.apply();

        // Both directions of a connection have the same key: the host inside is always first.
        ipv4_address_t inner = hdr.ipv4.srcAddr;
        ipv4_address_t outer = hdr.ipv4.dstAddr;
        bit<16> inner_port = hdr.ports.srcPort;
        bit<16> outer_port = hdr.ports.dstPort;
        if (outside) {
            inner = hdr.ipv4.dstAddr;
            outer = hdr.ipv4.srcAddr;
            inner_port = hdr.ports.dstPort;
            outer_port = hdr.ports.srcPort;
        }
        bit<32> cell_1;
        bit<32> cell_2;
        hash(cell_1, HashAlgorithm.crc32, 32w0,
             { inner, outer, inner_port, outer_port, hdr.ipv4.protocol }, CELLS);
        hash(cell_2, HashAlgorithm.crc16, 32w0,
             { inner, outer, inner_port, outer_port, hdr.ipv4.protocol }, CELLS);

        bit<48> now = standard_metadata.ingress_global_timestamp;
        if (outside) {
            bit<48> time_1;
            bit<48> time_2;
            sent_1.read(time_1, cell_1);
            sent_2.read(time_2, cell_2);
            if (time_1 == 0 || time_2 == 0 || now - time_1 > EXPIRY_US || now - time_2 > EXPIRY_US) {
                verdicts.count(1);
                drop();
                return;
            }
            verdicts.count(0);
        } else {
            sent_1.write(cell_1, now);
            sent_2.write(cell_2, now);
        }
        routes.apply();
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    apply { }
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

V1Switch(
    MyParser(),
    MyVerifyChecksum(),
    MyIngress(),
    MyEgress(),
    MyComputeChecksum(),
    MyDeparser()
) main;
