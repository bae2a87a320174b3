/*
 * monitor.p4 - a router that reports the load of its links to probes.
 *
 * The switch counts the bytes that it sends at each port. A probe is a packet of its own EtherType
 * that travels the path to be monitored. Every switch on the path appends a report: its number,
 * the port at which the probe leaves, the bytes sent there so far, the queue, and the time. The
 * receiver of two probes computes the load of each link between them: the difference in bytes,
 * divided by the difference in time.
 *
 *   Ethernet | number of reports | newest report | ... | oldest report
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_PROBE = 0x88B5;  // for experiments (IEEE 802)

const bit<32> PORTS = 512;

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

header probe_t {
    bit<8> reports;
}

header report_t {
    bit<8> switchId;
    bit<7> reserved;
    bit<9> port;
    bit<32> bytes;        // sent at the port since the start, modulo 2**32
    bit<24> queue;        // packets that waited in front of the probe
    bit<48> timestamp;    // in microseconds
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    probe_t probe;
    report_t report;  // the one that this switch adds; older ones are payload
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
            TYPE_PROBE: parse_probe;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }

    state parse_probe {
        packet.extract(hdr.probe);
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

    action forward_probe(port_t port) {
        standard_metadata.egress_spec = port;
    }

    // Probes that arrive at a port all take the same way.
    table probe_paths {
        key = { standard_metadata.ingress_port: exact; }
        actions = { forward_probe; drop; }
        size = 64;
        default_action = drop();
    }

    apply {
        if (hdr.probe.isValid()) {
            probe_paths.apply();
        } else if (hdr.ipv4.isValid() && standard_metadata.checksum_error == 0 && hdr.ipv4.ttl > 1) {
            routes.apply();
        } else {
            drop();
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    register<bit<32>>(PORTS) sent_bytes;

    action report(bit<8> switchId) {
        hdr.report.setValid();
        hdr.report.switchId = switchId;
        hdr.report.reserved = 0;
        hdr.report.port = standard_metadata.egress_port;
        sent_bytes.read(hdr.report.bytes, (bit<32>) standard_metadata.egress_port);
        hdr.report.queue = (bit<24>) standard_metadata.deq_qdepth;
        hdr.report.timestamp = standard_metadata.egress_global_timestamp;
        hdr.probe.reports = hdr.probe.reports + 1;
    }

    // No key: the control plane gives each switch its number as the default action.
    table reporting {
        actions = { report; NoAction; }
        default_action = NoAction();
    }

    apply {
        if (hdr.probe.isValid()) {
            reporting.apply();
        } else {
            bit<32> bytes;
            sent_bytes.read(bytes, (bit<32>) standard_metadata.egress_port);
            bytes = bytes + standard_metadata.packet_length;
            sent_bytes.write((bit<32>) standard_metadata.egress_port, bytes);
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

V1Switch(
    MyParser(),
    MyVerifyChecksum(),
    MyIngress(),
    MyEgress(),
    MyComputeChecksum(),
    MyDeparser()
) main;
