/*
 * target.p4 - an IPv4 router that delays chosen flows by a chosen time.
 *
 * The control plane sets the delay of a flow, known by its destination, in the table `delays`, at
 * any time. In one of two ways: by a number of recirculations, which it computes from the pass time
 * (calibration); or by a time in microseconds: then a packet recirculates until that long has passed
 * since the switch received it.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
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

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
}

struct metadata {
    @field_list(KEPT_WHEN_RECIRCULATED)
    bit<32> passes;    // recirculations so far
    @field_list(KEPT_WHEN_RECIRCULATED)
    bit<48> arrival;   // when it was received, in us
    @field_list(KEPT_WHEN_RECIRCULATED)
    bit<48> previous;  // when the last pass ended, in us
    bit<32> number;    // of this pass, in the order in which passes begin
    mac_t nextHop;     // found by ingress again in every pass, written into the packet in the last
}

register<bit<32>>(1) begun;  // passes that have begun

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
        begun.read(meta.number, 0);
        meta.number = meta.number + 1;
        begun.write(0, meta.number);
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    bool again = false;
    counter(1, CounterType.packets) passes;
    register<bit<48>>(1) shortest;  // the shortest loop so far, in us

    action by_passes(bit<32> x) {
        again = meta.passes < x;
    }

    // Leaving now is early by what is left of the delay; another loop takes as long as the shortest
    // one, and the packet stays if that brings it nearer. If another pass has begun since its own,
    // it comes back behind that packet, and its loop may take a pass longer: then it leaves when
    // less than a pass is left, and is neither early nor late by more.
    action by_time(bit<48> delay_us) {
        bit<48> age = standard_metadata.egress_global_timestamp - meta.arrival;
        bit<48> loop;
        bit<32> last;
        shortest.read(loop, 0);
        if (loop == 0) {
            loop = age;
        }
        begun.read(last, 0);
        if (last != meta.number) {
            loop = loop << 1;
        }
        again = age < delay_us && ((delay_us - age) << 1) >= loop;
    }

    table delays {
        key = {
            hdr.ipv4.dstAddr: exact;
            hdr.udp.dstPort: exact;
        }
        actions = { by_passes; by_time; NoAction; }
        size = 1024;
        default_action = NoAction();
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
        bit<48> now = standard_metadata.egress_global_timestamp;
        passes.count(0);
        if (meta.passes == 0) {
            meta.arrival = standard_metadata.ingress_global_timestamp;
        } else {
            bit<48> least;
            shortest.read(least, 0);
            if (least == 0 || now - meta.previous < least) {
                shortest.write(0, now - meta.previous);
            }
        }
        meta.previous = now;
        if (hdr.udp.isValid()) {
            delays.apply();
        }
        if (again) {
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
