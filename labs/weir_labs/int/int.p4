/*
 * int.p4 - an IPv4 router with in-band network telemetry (INT) v2.1, and Telemetry Reports v2.0.
 *
 * The watchlist says which flows get telemetry, and how. With INT-MD the source, the first switch,
 * inserts instructions and its own metadata between transport header and payload; each further switch
 * puts its metadata on top:
 *
 *     Ethernet | IPv4 | UDP or TCP | shim, 4 bytes | INT-MD, 12 bytes | metadata of the hops | payload
 *
 * The sink, the switch with the port that leads out, restores the packet and sends a report to the
 * collector: its own metadata and the packet as it was received. With INT-MX the source inserts
 * instructions only, and each switch reports. With INT-XD packets stay as they are.
 */

#include <core.p4>
#include <v1model.p4>
#include "headers.p4"
#include "parser.p4"
#include "checksums.p4"
#include "observe.p4"
#include "report.p4"
#include "events.p4"
#include "drops.p4"
#include "forward.p4"
#include "source.p4"
#include "transit.p4"
#include "sink.p4"
#include "monitor.p4"

// instance_type
const bit<32> INGRESS_CLONE = 1;        // of a packet that was dropped
const bit<32> EGRESS_CLONE = 2;

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    Utilization() utilization;
    Observe() observe;
    Monitor() monitor;
    Prepare() prepare;
    PrepareDrop() prepare_drop;
    Report() report;

    // This switch takes part in INT. Without an entry, it passes INT packets on as they are.
    action set_node(bit<32> id) {
        meta.is_node = 1;
        meta.local.node = id;
    }

    table node {
        actions = { set_node; NoAction; }
        default_action = NoAction();
    }

    // Where reports go: an IPv4 packet from source to address, cloned to the port of a session.
    action report_to(bit<32> session, mac_t next_hop, ipv4_address_t source, ipv4_address_t address,
                     bit<16> src_port, bit<16> dst_port, bit<6> hw_id, bit<16> payload) {
        meta.collector = { session, next_hop, source, address, src_port, dst_port, hw_id, payload };
    }

    table collector {
        actions = { report_to; NoAction; }
        default_action = NoAction();
    }

    // The link at a port. One byte in a bin of 2^bin_log2_us microseconds is ppm_per_byte / 65536
    // millionths of the bytes that the link sends in this time.
    action set_link(mac_t srcAddr, bit<16> mtu, bit<32> ppm_per_byte, bit<8> bin_log2_us) {
        hdr.ethernet.srcAddr = srcAddr;
        meta.mtu = mtu;
        meta.ppm_per_byte = ppm_per_byte;
        meta.bin_log2_us = bin_log2_us;
    }

    table links {
        key = { standard_metadata.egress_port: exact; }
        actions = { set_link; NoAction; }
        size = 512;
        default_action = NoAction();
    }

    // The port leads out of the INT domain: no INT leaves here.
    action set_sink() {
        meta.sink = 1;
    }

    table sinks {
        key = { standard_metadata.egress_port: exact; }
        actions = { set_sink; NoAction; }
        size = 512;
        default_action = NoAction();
    }

    // What hosts send must not be taken for INT.
    action protect() {
        if (meta.from_host == 1 && meta.sink == 0 && !hdr.packet.shim.isValid()) {
            if (hdr.packet.ipv4.dscp == DSCP_INT) {
                hdr.packet.ipv4.dscp = 0;
            }
            if (hdr.packet.udp.isValid() && hdr.packet.udp.dstPort == PORT_INT) {
                mark_to_drop(standard_metadata);
            }
        }
    }

    apply {
        bit<32> length = standard_metadata.packet_length;
        bit<32> last_bin;
        bit<32> ignored;
        meta.mtu = 65535;
        node.apply();
        collector.apply();
        links.apply();
        in_queue.write((bit<32>) standard_metadata.egress_port, (bit<32>) standard_metadata.deq_qdepth);
        if (standard_metadata.instance_type == INGRESS_CLONE && hdr.packet.ipv4.isValid()) {
            prepare_drop.apply(hdr, meta);
            report.apply(hdr, meta);
            length = (bit<32>) (ETHERNET_BYTES + hdr.ipv4.totalLen);
        } else if (standard_metadata.instance_type == EGRESS_CLONE
                && hdr.received.ipv4.isValid() && hdr.prepared.individual.isValid()) {
            report.apply(hdr, meta);
            length = (bit<32>) (ETHERNET_BYTES + hdr.ipv4.totalLen);
        } else if (hdr.packet.ipv4.isValid()) {
            bit<16> total = hdr.packet.ipv4.totalLen;
            sinks.apply();
            if (meta.is_node == 1 && (hdr.packet.shim.isValid() || meta.mode != MODE_NONE)) {
                utilization.apply(standard_metadata.egress_port,
                    standard_metadata.egress_global_timestamp, meta.bin_log2_us, 0, last_bin);
                observe.apply(meta, standard_metadata, last_bin);
                monitor.apply(hdr, meta, standard_metadata);
            }
            protect();
            hdr.packet.ipv4.ttl = hdr.packet.ipv4.ttl - 1;
            hdr.ethernet.dstAddr = meta.next_hop;
            length = length + (bit<32>) hdr.packet.ipv4.totalLen - (bit<32>) total;
            if (meta.report == 1 && meta.collector.session != 0) {
                prepare.apply(hdr, meta);
                clone(CloneType.E2E, meta.collector.session);
            }
        }
        utilization.apply(standard_metadata.egress_port, standard_metadata.egress_global_timestamp,
            meta.bin_log2_us, length, ignored);
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
