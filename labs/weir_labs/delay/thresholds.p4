/*
 * thresholds.p4 - an IPv4 router of a service chain that keeps flows within two latency thresholds.
 *
 * The control plane sets both for a flow, in microseconds, in the table `thresholds`, at any time.
 * The first switch of the chain writes the time of arrival into a header of its own, a stamp; the
 * last one removes it. From the stamp each switch knows how old a packet is:
 *
 *     younger than priority_us    it waits in the queue of all other traffic (priority 0)
 *     then                        it waits in a queue that is served first (priority 1)
 *     from drop_us on             it is out of date, and dropped: before a queue, and after it
 *
 * The age that chooses the queue includes the time the packet would wait in queue 0. The clocks of
 * the switches must agree.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_STAMP = 0x88B6;  // IEEE 802: for local experiments
const bit<8> PROTOCOL_UDP = 17;
const bit<32> PORTS = 512;

// Cells of the counter `decisions`.
const bit<32> FIRST = 0;       // got priority
const bit<32> OLD_BEFORE = 1;  // out of date when it arrived
const bit<32> OLD_AFTER = 2;   // out of date when it left the queue

typedef bit<48> mac_t;
typedef bit<48> time_t;  // in us
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;

header ethernet_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
}

header stamp_t {
    time_t entered;     // when the packet came to the first switch
    bit<16> etherType;  // of the next header
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
    stamp_t stamp;
    ipv4_t ipv4;
    udp_t udp;
}

struct metadata {
    bool limited;      // whether the flow has thresholds
    time_t drop_age;
}

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.etherType) {
            TYPE_STAMP: parse_stamp;
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_stamp {
        packet.extract(hdr.stamp);
        transition select(hdr.stamp.etherType) {
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

/* What the egress of a port last saw in its queue 0, for the ingress of later packets. */
register<time_t>(PORTS) queue_wait;  // how long a packet had waited
register<time_t>(PORTS) queue_seen;  // when it left

counter(3, CounterType.packets) decisions;

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    time_t priority_age = 0;

    action drop() {
        mark_to_drop(standard_metadata);
    }

    action remove_stamp() {
        hdr.ethernet.etherType = hdr.stamp.etherType;
        hdr.stamp.setInvalid();
    }

    // The ports of hosts: a stamp that a host wrote counts for nothing.
    table entry_ports {
        key = { standard_metadata.ingress_port: exact; }
        actions = { remove_stamp; NoAction; }
        size = 64;
        default_action = NoAction();
    }

    action ipv4_forward(mac_t dstAddr, port_t port) {
        standard_metadata.egress_spec = port;
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

    action limit_age(bit<32> priority_us, bit<32> drop_us) {
        meta.limited = true;
        priority_age = (time_t)priority_us;
        meta.drop_age = (time_t)drop_us;
    }

    // The flows with thresholds. Other packets are routed, and nothing more.
    table thresholds {
        key = {
            hdr.ipv4.dstAddr: exact;
            hdr.udp.dstPort: exact;
        }
        actions = { limit_age; NoAction; }
        size = 1024;
        default_action = NoAction();
    }

    // How long a packet would wait in queue 0 of its port: as long as the last one did, less the
    // time since then. Ingress has no clock: now is when the packet was received or, if it has waited
    // for its pass since, when the last one left the queue.
    action expect(out time_t now, out time_t wait) {
        time_t seen;
        bit<32> port = (bit<32>)standard_metadata.egress_spec;
        queue_wait.read(wait, port);
        queue_seen.read(seen, port);
        now = seen + (standard_metadata.ingress_global_timestamp |-| seen);
        wait = wait |-| (now - seen);
    }

    action add_stamp() {
        hdr.stamp.setValid();
        hdr.stamp.entered = standard_metadata.ingress_global_timestamp;
        hdr.stamp.etherType = hdr.ethernet.etherType;
        hdr.ethernet.etherType = TYPE_STAMP;
    }

    apply {
        meta.limited = false;
        meta.drop_age = 0;
        if (hdr.stamp.isValid()) {
            entry_ports.apply();
        }
        // Packets with options, a wrong checksum or an expired TTL are dropped.
        if (hdr.ipv4.isValid() && hdr.ipv4.ihl == 5
                && standard_metadata.checksum_error == 0 && hdr.ipv4.ttl > 1) {
            if (ipv4_lpm.apply().hit && hdr.udp.isValid()) {
                thresholds.apply();
            }
        } else {
            drop();
        }
        if (meta.limited) {
            if (!hdr.stamp.isValid()) {
                add_stamp();
            }
            time_t now;
            time_t wait;
            expect(now, wait);
            time_t age = now - hdr.stamp.entered;
            if (age >= meta.drop_age) {
                decisions.count(OLD_BEFORE);
                drop();
            } else if (age + wait >= priority_age) {
                decisions.count(FIRST);
                standard_metadata.priority = 1;
            }
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    bool outside = false;

    action set_source(mac_t srcAddr) {
        hdr.ethernet.srcAddr = srcAddr;
    }

    action set_source_and_leave(mac_t srcAddr) {
        hdr.ethernet.srcAddr = srcAddr;
        outside = true;
    }

    // The source MAC address of a routed packet is that of its egress port; at the ports of hosts a
    // packet leaves the chain.
    table port_mac {
        key = { standard_metadata.egress_port: exact; }
        actions = { set_source; set_source_and_leave; NoAction; }
        size = 64;
        default_action = NoAction();
    }

    apply {
        time_t now = standard_metadata.egress_global_timestamp;
        if (standard_metadata.priority == 0) {
            bit<32> port = (bit<32>)standard_metadata.egress_port;
            queue_wait.write(port, (time_t)standard_metadata.deq_timedelta);
            queue_seen.write(port, now);
        }
        port_mac.apply();
        if (meta.limited && now - hdr.stamp.entered >= meta.drop_age) {
            decisions.count(OLD_AFTER);
            mark_to_drop(standard_metadata);
        } else if (outside && hdr.stamp.isValid()) {
            hdr.ethernet.etherType = hdr.stamp.etherType;
            hdr.stamp.setInvalid();
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
        packet.emit(hdr.stamp);
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
