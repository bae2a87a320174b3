/* events.p4 - which packets are worth a report: those that tell something new of their flow. */

const bit<32> FLOWS = 1024;             // slots for flows
const bit<8> HOPS = 8;                  // whose values a slot keeps, the nearest ones

const bit<8> TCP_FIN = 1;
const bit<8> TCP_SYN = 2;
const bit<8> TCP_RST = 4;

const bit<8> FLOW_OPEN = 1;
const bit<8> FLOW_CLOSED = 2;           // FIN or RST has passed

bit<32> distance(in bit<32> one, in bit<32> other) {
    return one > other ? one - other : other - one;
}

// A flow's slot, and a number that tells whether the slot is this flow's.
control FlowSlot(in packet_t packet, out bit<32> slot, out bit<32> print) {
    apply {
        bit<32> ports = 0;
        if (packet.tcp.isValid()) {
            ports = packet.tcp.srcPort ++ packet.tcp.dstPort;
        } else if (packet.udp.isValid()) {
            bool marked = packet.shim.isValid() && packet.shim.npt == NPT_PORT;
            ports = packet.udp.srcPort ++ (marked ? packet.shim.original : packet.udp.dstPort);
        }
        hash(slot, HashAlgorithm.crc16, 32w0,
            { packet.ipv4.srcAddr, packet.ipv4.dstAddr, packet.ipv4.protocol, ports }, FLOWS);
        hash(print, HashAlgorithm.crc32, 32w1,
            { packet.ipv4.srcAddr, packet.ipv4.dstAddr, packet.ipv4.protocol, ports }, 32w0xfffffffe);
    }
}

control Detect(in headers hdr, inout metadata meta, in standard_metadata_t standard_metadata) {
    register<bit<32>>(FLOWS) flows;                 // whose slot it is, 0 for nobody's
    register<bit<48>>(FLOWS) last_packets;          // times in us
    register<bit<48>>(FLOWS) last_reports;
    register<bit<8>>(FLOWS) states;
    register<bit<32>>(FLOWS) paths;                 // hash of nodes and interfaces
    register<bit<32>>(FLOWS * 8) latencies;         // of the last report, HOPS for each slot
    register<bit<32>>(FLOWS * 8) queues;
    FlowSlot() flow_slot;

    bit<32> latency_step = 0;
    bit<32> queue_step = 0;
    bit<48> idle = 0;
    bit<48> period = 0;
    bool detects = false;

    // Report the first packet and the end of a flow, a path that differs, and any hop whose latency
    // or queue has changed so much since the last report; 0 for no changes. A flow whose packets stop
    // for idle_us starts again, and after reset_us everything is news again; 0 for never.
    action detect(bit<32> latency_us, bit<24> queue_packets, bit<48> idle_us, bit<48> reset_us) {
        detects = true;
        latency_step = latency_us;
        queue_step = (bit<32>) queue_packets;
        idle = idle_us;
        period = reset_us;
    }

    table events {
        key = {
            hdr.packet.ipv4.srcAddr: ternary;
            hdr.packet.ipv4.dstAddr: ternary;
            hdr.packet.ipv4.protocol: ternary;
        }
        actions = { detect; NoAction; }
        size = 1024;
        default_action = NoAction();
    }

    apply {
        events.apply();
        if (detects) {
            bit<48> now = standard_metadata.egress_global_timestamp;
            bit<32> slot;
            bit<32> print;
            flow_slot.apply(hdr.packet, slot, print);

            // What the packet tells: this node's values first, then those of the nodes before.
            bit<8> each = 0;
            bit<16> asked = 0;
            bit<8> hops = 0;
            bool whole = true;
            if (hdr.received.md.isValid()) {
                // A node whose metadata did not fit a long packet is not another path.
                whole = hdr.received.md.mtu_exceeded == 0;
                each = (bit<8>) hdr.received.md.hop_ml;
                asked = hdr.received.md.instructions;
                if (each != 0 && each >= words_of(asked)) {
                    for (bit<8> left = meta.walked; left >= each; left = left - each) {
                        hops = hops + 1;
                    }
                }
            }
            bit<8> at_interfaces = (bit<8>) asked[15:15];
            bit<8> at_latency = at_interfaces + (bit<8>) asked[14:14];
            bit<8> at_queue = at_latency + (bit<8>) asked[13:13];
            bit<32> path;
            hash(path, HashAlgorithm.crc32, 32w0,
                { meta.local.node, meta.local.ingress, meta.local.egress }, 33w0x100000000);
            for (bit<8> hop = 0; hop < hops; hop = hop + 1) {
                bit<8> base = hop * each;
                bit<32> node = asked[15:15] == 1 ? hdr.received_words[base].value : 0;
                bit<32> interfaces = asked[14:14] == 1 ? hdr.received_words[base + at_interfaces].value : 0;
                hash(path, HashAlgorithm.crc32, 32w0, { path, node, interfaces }, 33w0x100000000);
            }

            @atomic {
                bit<32> owner;
                bit<48> last_packet;
                bit<48> last_report;
                bit<8> state;
                bit<32> last_path;
                flows.read(owner, slot);
                last_packets.read(last_packet, slot);
                last_reports.read(last_report, slot);
                states.read(state, slot);
                paths.read(last_path, slot);
                bool known = owner == print && (idle == 0 || now - last_packet < idle);
                bool news = false;
                bool closes = hdr.packet.tcp.isValid() && hdr.packet.tcp.flags & (TCP_FIN | TCP_RST) != 0;
                bool opens = hdr.packet.tcp.isValid() && hdr.packet.tcp.flags & TCP_SYN != 0;
                if (closes) {
                    news = !known || state != FLOW_CLOSED;
                    state = FLOW_CLOSED;
                } else if (opens || !known) {
                    news = true;
                    state = FLOW_OPEN;
                } else if (state == FLOW_OPEN && !whole) {
                    news = period != 0 && now - last_report >= period;
                } else if (state == FLOW_OPEN) {
                    news = path != last_path || (period != 0 && now - last_report >= period);
                    bit<32> place = slot << 3;
                    bit<32> was;
                    latencies.read(was, place);
                    news = news || (latency_step != 0 && distance(meta.local.latency, was) >= latency_step);
                    queues.read(was, place);
                    news = news
                        || (queue_step != 0 && distance((bit<32>) meta.local.occupancy, was) >= queue_step);
                    for (bit<8> hop = 0; hop < hops && hop + 1 < HOPS && !news; hop = hop + 1) {
                        place = place + 1;
                        bit<8> base = hop * each;
                        if (asked[13:13] == 1 && latency_step != 0) {
                            latencies.read(was, place);
                            news = distance(hdr.received_words[base + at_latency].value, was) >= latency_step;
                        }
                        if (asked[12:12] == 1 && queue_step != 0 && !news) {
                            queues.read(was, place);
                            bit<32> queue = hdr.received_words[base + at_queue].value & 0xffffff;
                            news = distance(queue, was) >= queue_step;
                        }
                    }
                }
                flows.write(slot, print);
                last_packets.write(slot, now);
                states.write(slot, state);
                if (news) {
                    last_reports.write(slot, now);
                }
                if (news && (whole || !known)) {
                    paths.write(slot, path);
                    bit<32> place = slot << 3;
                    latencies.write(place, meta.local.latency);
                    queues.write(place, (bit<32>) meta.local.occupancy);
                    for (bit<8> hop = 0; hop < hops && hop + 1 < HOPS; hop = hop + 1) {
                        place = place + 1;
                        bit<8> base = hop * each;
                        if (asked[13:13] == 1) {
                            latencies.write(place, hdr.received_words[base + at_latency].value);
                        }
                        if (asked[12:12] == 1) {
                            queues.write(place, hdr.received_words[base + at_queue].value & 0xffffff);
                        }
                    }
                }
                if (!news) {
                    meta.report = 0;
                }
            }
        }
    }
}
