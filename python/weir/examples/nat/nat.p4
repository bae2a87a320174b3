/*
 * nat.p4 - a router that hides a network behind one public address.
 *
 * A connection is the address and port of a host inside. Its packets leave with the public address
 * and a public port, and answers to that port return to it. The public port is computed: a hash of
 * address and port chooses one of 4096 slots, and slot N has the port 20000 + N. Registers record
 * who owns a slot. A slot that was unused for 60 s may be taken over; a connection whose slot
 * belongs to another is dropped. Everything happens in the data plane, without a controller.
 *
 * For ping, the identifier of echo requests takes the place of the port.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_ICMP = 1;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;
const bit<8> ICMP_ECHO_REPLY = 0;
const bit<8> ICMP_ECHO_REQUEST = 8;

const bit<32> SLOTS = 4096;
const bit<16> FIRST_PORT = 20000;
const bit<48> EXPIRY_US = 60000000;

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

// The fixed part of a TCP header. Options belong to the payload here.
header tcp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<32> seqNo;
    bit<32> ackNo;
    bit<16> flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

header udp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<16> length;
    bit<16> checksum;
}

header icmp_echo_t {
    bit<8> type;
    bit<8> code;
    bit<16> checksum;
    bit<16> identifier;
    bit<16> sequence;
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    tcp_t tcp;
    udp_t udp;
    icmp_echo_t echo;
}

struct metadata {
    bit<16> segmentLength;  // bytes after the IPv4 header
    bit<16> srcPort;
    bit<16> dstPort;
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
        // Fragments have no ports, or not all bytes that a checksum covers: they are not parsed.
        transition select(hdr.ipv4.ihl, hdr.ipv4.flags[0:0], hdr.ipv4.fragOffset, hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_TCP): parse_tcp;
            (5, 0, 0, PROTOCOL_UDP): parse_udp;
            (5, 0, 0, PROTOCOL_ICMP): parse_icmp;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
        meta.srcPort = hdr.tcp.srcPort;
        meta.dstPort = hdr.tcp.dstPort;
        transition accept;
    }

    state parse_udp {
        packet.extract(hdr.udp);
        meta.srcPort = hdr.udp.srcPort;
        meta.dstPort = hdr.udp.dstPort;
        transition accept;
    }

    state parse_icmp {
        transition select(packet.lookahead<bit<8>>()) {
            ICMP_ECHO_REQUEST: parse_echo;
            ICMP_ECHO_REPLY: parse_echo;
            default: accept;
        }
    }

    state parse_echo {
        packet.extract(hdr.echo);
        meta.srcPort = hdr.echo.identifier;
        meta.dstPort = hdr.echo.identifier;
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
    // Who owns each slot, and when it was last used, in microseconds since the switch started.
    register<ipv4_address_t>(SLOTS) owner_address;
    register<bit<16>>(SLOTS) owner_port;
    register<bit<48>>(SLOTS) last_used;

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
        size = 256;
        default_action = drop();
    }

    // The side of the router on which a packet arrived, and the public address.
    bool outward = false;
    bool inward = false;
    ipv4_address_t public_address = 0;

    action from_inside(ipv4_address_t publicAddress) {
        outward = true;
        public_address = publicAddress;
    }

    action from_outside() {
        inward = true;
    }

    table sides {
        key = { standard_metadata.ingress_port: exact; }
        actions = { from_inside; from_outside; drop; }
        size = 64;
        default_action = drop();
    }

    // Writes a new source into whichever of the headers the packet has.
    action set_source(ipv4_address_t address, bit<16> port) {
        hdr.ipv4.srcAddr = address;
        hdr.tcp.srcPort = port;
        hdr.udp.srcPort = port;
        hdr.echo.identifier = port;
    }

    action set_destination(ipv4_address_t address, bit<16> port) {
        hdr.ipv4.dstAddr = address;
        hdr.tcp.dstPort = port;
        hdr.udp.dstPort = port;
        hdr.echo.identifier = port;
    }

    apply {
        bool supported = hdr.tcp.isValid() || hdr.udp.isValid() || hdr.echo.isValid();
        if (!supported || standard_metadata.checksum_error == 1 || hdr.ipv4.ttl <= 1) {
            drop();
            return;
        }
        sides.apply();

        bit<48> now = standard_metadata.ingress_global_timestamp;
        ipv4_address_t address;
        bit<16> port;
        bit<48> used;
        if (outward) {
            bit<32> slot;
            hash(slot, HashAlgorithm.crc32, 32w0, { hdr.ipv4.srcAddr, meta.srcPort }, SLOTS);
            owner_address.read(address, slot);
            owner_port.read(port, slot);
            last_used.read(used, slot);
            bool is_owner = address == hdr.ipv4.srcAddr && port == meta.srcPort;
            bool is_free = address == 0 || now - used > EXPIRY_US;
            if (is_owner || is_free) {
                owner_address.write(slot, hdr.ipv4.srcAddr);
                owner_port.write(slot, meta.srcPort);
                last_used.write(slot, now);
                set_source(public_address, FIRST_PORT + (bit<16>) slot);
                routes.apply();
            } else {
                drop();
            }
        } else if (inward) {
            bit<32> slot = (bit<32>) (meta.dstPort - FIRST_PORT);
            if (slot < SLOTS) {
                owner_address.read(address, slot);
                owner_port.read(port, slot);
                last_used.read(used, slot);
                if (address != 0 && now - used <= EXPIRY_US) {
                    last_used.write(slot, now);
                    set_destination(address, port);
                    routes.apply();
                } else {
                    drop();
                }
            } else {
                drop();
            }
        }
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
        // TCP and UDP also cover the addresses (RFC 9293, section 3.1; RFC 768).
        update_checksum_with_payload(
            hdr.tcp.isValid(),
            { hdr.ipv4.srcAddr, hdr.ipv4.dstAddr, 8w0, hdr.ipv4.protocol, meta.segmentLength,
              hdr.tcp.srcPort, hdr.tcp.dstPort, hdr.tcp.seqNo, hdr.tcp.ackNo, hdr.tcp.flags,
              hdr.tcp.window, hdr.tcp.urgent },
            hdr.tcp.checksum,
            HashAlgorithm.csum16);
        update_checksum_with_payload(
            hdr.udp.isValid(),
            { hdr.ipv4.srcAddr, hdr.ipv4.dstAddr, 8w0, hdr.ipv4.protocol, meta.segmentLength,
              hdr.udp.srcPort, hdr.udp.dstPort, hdr.udp.length },
            hdr.udp.checksum,
            HashAlgorithm.csum16);
        update_checksum_with_payload(
            hdr.echo.isValid(),
            { hdr.echo.type, hdr.echo.code, hdr.echo.identifier, hdr.echo.sequence },
            hdr.echo.checksum,
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
