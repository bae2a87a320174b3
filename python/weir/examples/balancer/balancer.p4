/*
 * balancer.p4 - a router that balances connections over servers.
 *
 * Clients know one service address. The first packet of a TCP connection chooses a server: the
 * switch hashes its addresses and ports, and a group of the control plane says which servers there
 * are and how often each is chosen. The choice is kept in a register, so that a connection stays
 * with its server when the group changes. Answers carry the service address again.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;

const bit<32> CONNECTIONS = 65536;

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;
typedef bit<8> server_t;

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

// The fixed part of a TCP header. Options belong to the payload here.
header tcp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<32> seqNo;
    bit<32> ackNo;
    bit<4> dataOffset;
    bit<6> reserved;
    bit<1> urg;
    bit<1> ack;
    bit<1> psh;
    bit<1> rst;
    bit<1> syn;
    bit<1> fin;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    tcp_t tcp;
}

struct metadata {
    bit<16> segmentLength;  // bytes after the IPv4 header
}

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
        meta.segmentLength = hdr.ipv4.totalLen - 20;
        transition select(hdr.ipv4.ihl, hdr.ipv4.flags[0:0], hdr.ipv4.fragOffset, hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_TCP): parse_tcp;
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
    // The server of each connection, by the hash of its addresses and ports; 0 for none. Two
    // connections with the same hash share a server.
    register<server_t>(CONNECTIONS) chosen;

    counter(256, CounterType.packets) new_connections;  // by server

    action_selector(HashAlgorithm.crc32, 64, 16) servers;

    server_t server = 0;

    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(mac_t dstAddr, port_t port) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.srcAddr = hdr.ethernet.dstAddr;
        hdr.ethernet.dstAddr = dstAddr;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    action choose(server_t number) {
        server = number;
    }

    // New connections to a service address: the group of servers that share it.
    table services {
        key = {
            hdr.ipv4.dstAddr: exact;
            hdr.ipv4.srcAddr: selector;
            hdr.tcp.srcPort: selector;
            hdr.tcp.dstPort: selector;
        }
        actions = { choose; NoAction; }
        implementation = servers;
        size = 16;
    }

    action serve(ipv4_address_t address) {
        hdr.ipv4.dstAddr = address;
    }

    table addresses {
        key = { server: exact; }
        actions = { serve; NoAction; }
        size = 256;
        default_action = NoAction();
    }

    action answer(ipv4_address_t serviceAddress) {
        hdr.ipv4.srcAddr = serviceAddress;
    }

    // Servers by their addresses: what they send to clients comes from the service.
    table answers {
        key = { hdr.ipv4.srcAddr: exact; }
        actions = { answer; NoAction; }
        size = 256;
        default_action = NoAction();
    }

    table routes {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { forward; drop; }
        size = 1024;
        default_action = drop();
    }

    apply {
        if (!hdr.tcp.isValid() || standard_metadata.checksum_error == 1 || hdr.ipv4.ttl <= 1) {
            drop();
            return;
        }
        if (!answers.apply().hit) {
            bit<32> connection;
            hash(connection, HashAlgorithm.crc32, 32w0,
                 { hdr.ipv4.srcAddr, hdr.ipv4.dstAddr, hdr.tcp.srcPort, hdr.tcp.dstPort }, CONNECTIONS);
            if (hdr.tcp.syn == 1) {
                services.apply();
                chosen.write(connection, server);
                new_connections.count((bit<32>) server);
            } else {
                chosen.read(server, connection);
            }
            addresses.apply();
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
        // The checksum of TCP also covers the addresses (RFC 9293, section 3.1).
        update_checksum_with_payload(
            hdr.tcp.isValid(),
            { hdr.ipv4.srcAddr, hdr.ipv4.dstAddr, 8w0, hdr.ipv4.protocol, meta.segmentLength,
              hdr.tcp.srcPort, hdr.tcp.dstPort, hdr.tcp.seqNo, hdr.tcp.ackNo, hdr.tcp.dataOffset,
              hdr.tcp.reserved, hdr.tcp.urg, hdr.tcp.ack, hdr.tcp.psh, hdr.tcp.rst, hdr.tcp.syn,
              hdr.tcp.fin, hdr.tcp.window, hdr.tcp.urgent },
            hdr.tcp.checksum,
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
