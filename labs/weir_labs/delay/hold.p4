/*
 * hold.p4 - an IPv4 router that holds packet A of a pair until packet B has passed.
 *
 * Pairs are UDP datagrams to port 5000 whose payload begins with a role and the number of the pair.
 * A recirculates until a register says that B has left the switch, but at most as often as the
 * default action of `bound` allows, and no longer. All other packets take one pass.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
const bit<16> PORT_PAIRS = 5000;
const bit<8> ROLE_A = 0;
const bit<8> ROLE_B = 1;
const bit<32> PAIRS = 65536;  // slots; a power of two
const bit<8> KEPT_WHEN_RECIRCULATED = 1;

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

header udp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<16> length_;
    bit<16> checksum;
}

header pair_t {
    bit<8> role;  // 0 is A, 1 is B; others are neither
    bit<32> pair;
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
    pair_t pair;
}

struct metadata {
    @field_list(KEPT_WHEN_RECIRCULATED)
    bit<32> passes;    // recirculations so far
    @field_list(KEPT_WHEN_RECIRCULATED)
    bit<48> arrival;   // when it was received, in us
    @field_list(KEPT_WHEN_RECIRCULATED)
    bit<48> previous;  // when the last pass ended, in us
    mac_t nextHop;     // found by ingress again in every pass, written into the packet in the last
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
        transition select(hdr.ipv4.protocol, hdr.ipv4.fragOffset) {
            (PROTOCOL_UDP, 0): parse_udp;
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.dstPort) {
            PORT_PAIRS: parse_pair;
            default: accept;
        }
    }

    state parse_pair {
        packet.extract(hdr.pair);
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
        meta.nextHop = dstAddr;
    }

    @route
    table ipv4_lpm {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { ipv4_forward; drop; NoAction; }
        size = 1024;
        default_action = drop();
    }

    apply {
        // A recirculated packet arrives without metadata, so every pass looks up the route.
        // Packets with options, a wrong checksum or an expired TTL are dropped.
        if (hdr.ipv4.isValid() && hdr.ipv4.ihl == 5
                && standard_metadata.checksum_error == 0 && hdr.ipv4.ttl > 1) {
            ipv4_lpm.apply();
        } else {
            drop();
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    bit<32> max_passes = 0;
    bit<48> max_us = 0;
    counter(2, CounterType.packets) passes;  // all, and those after which the packet stays
    register<bit<32>>(PAIRS) passed;  // of each slot, the last pair whose B has left, plus 1
    register<bit<48>>(1) longest;     // the longest loop of any packet so far, in us

    action set_bound(bit<32> recirculations, bit<48> us) {
        max_passes = recirculations;
        max_us = us;
    }

    // No key: the same bound for all pairs. Both limits count.
    table bound {
        actions = { set_bound; }
        default_action = set_bound(0, 0);
    }

    action set_source(mac_t srcAddr) {
        hdr.ethernet.srcAddr = srcAddr;
    }

    // The source MAC address of a routed packet is that of its egress port.
    table port_mac {
        key = { standard_metadata.egress_port: exact; }
        actions = { set_source; NoAction; }
        size = 64;
        default_action = NoAction();
    }

    apply {
        bool again = false;
        passes.count(0);
        if (hdr.pair.isValid()) {
            bit<32> slot = hdr.pair.pair & (PAIRS - 1);
            if (hdr.pair.role == ROLE_B) {
                passed.write(slot, hdr.pair.pair + 1);
            } else if (hdr.pair.role == ROLE_A) {
                bit<32> last;
                passed.read(last, slot);
                bit<48> now = standard_metadata.egress_global_timestamp;
                if (meta.passes == 0) {
                    meta.arrival = standard_metadata.ingress_global_timestamp;
                    meta.previous = meta.arrival;
                }
                bit<48> loop;
                longest.read(loop, 0);
                if (now - meta.previous > loop) {
                    loop = now - meta.previous;
                    longest.write(0, loop);
                }
                meta.previous = now;
                bound.apply();
                // The next loop may take as long as the longest: it must end before the bound.
                again = last != hdr.pair.pair + 1 && meta.passes < max_passes
                    && now - meta.arrival + loop <= max_us;
            }
        }
        if (again) {
            passes.count(1);
            meta.passes = meta.passes + 1;
            recirculate_preserving_field_list(KEPT_WHEN_RECIRCULATED);
        } else {
            // The switch is one hop, however many passes: TTL and addresses change only once.
            hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
            hdr.ethernet.dstAddr = meta.nextHop;
            port_mac.apply();
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
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.pair);
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
