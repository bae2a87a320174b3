/*
 * custom.p4 - an IPv4 router that recirculates custom packets only.
 *
 * Custom packets have EtherType 0x1313 and a header between Ethernet and IPv4 that counts the
 * passes: in ingress and in egress. The table `recirculations` says how many passes they take, and
 * `customdata_forward_table` through which port they leave; both match the content id exactly. All
 * other IPv4 packets take one pass, as in a plain router.
 *
 * The port is chosen in ingress, in every pass: v1model reads egress_spec after ingress only.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_CUSTOM = 0x1313;
const bit<8> NOTHING_KEPT = 0;  // the counters are in the packet

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;

header ethernet_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
}

header customdata_t {
    bit<16> proto_id;    // EtherType of the next header
    bit<16> content_id;  // kind of content, which decides where the packet goes
    bit<8> ingress_num;  // passes through ingress, in all switches
    bit<8> egress_num;   // passes through egress
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

struct headers {
    ethernet_t ethernet;
    customdata_t customdata;
    ipv4_t ipv4;
}

struct metadata {
    mac_t nextHop;
}

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.etherType) {
            TYPE_IPV4: parse_ipv4;
            TYPE_CUSTOM: parse_customdata;
            default: accept;
        }
    }

    state parse_customdata {
        packet.extract(hdr.customdata);
        transition select(hdr.customdata.proto_id) {
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
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

    action customdata_forward(port_t port) {
        standard_metadata.egress_spec = port;
    }

    @route
    table ipv4_lpm {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { ipv4_forward; drop; NoAction; }
        size = 1024;
        default_action = drop();
    }

    table customdata_forward_table {
        key = { hdr.customdata.content_id: exact; }
        actions = { customdata_forward; drop; }
        size = 1024;
        default_action = drop();
    }

    apply {
        if (hdr.customdata.isValid()) {
            hdr.customdata.ingress_num = hdr.customdata.ingress_num + 1;
            customdata_forward_table.apply();
        } else if (hdr.ipv4.isValid() && hdr.ipv4.ihl == 5
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
    bit<8> limit = 0;

    action set_limit(bit<8> passes) {
        limit = passes;
    }

    // Passes that a custom packet has made when it leaves this switch, those in earlier switches
    // included.
    table recirculations {
        key = { hdr.customdata.content_id: exact; }
        actions = { set_limit; }
        size = 1024;
        default_action = set_limit(0);
    }

    action set_source(mac_t srcAddr) {
        hdr.ethernet.srcAddr = srcAddr;
    }

    table port_mac {
        key = { standard_metadata.egress_port: exact; }
        actions = { set_source; NoAction; }
        size = 64;
        default_action = NoAction();
    }

    apply {
        if (hdr.customdata.isValid()) {
            recirculations.apply();
            hdr.customdata.egress_num = hdr.customdata.egress_num + 1;
            if (hdr.customdata.egress_num < limit) {
                recirculate_preserving_field_list(NOTHING_KEPT);
            }
        } else {
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
        packet.emit(hdr.customdata);
        packet.emit(hdr.ipv4);
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
