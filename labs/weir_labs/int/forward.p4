/* forward.p4 - ingress: an IPv4 router, and the watchlist of the flows that get telemetry. */

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    QueueLimit() queue_limit;
    ReportDrop() report_drop;

    action drop() {
        mark_to_drop(standard_metadata);
        meta.drops = 1;
        meta.drop_reason = DROP_NO_ROUTE;
    }

    action ipv4_forward(mac_t dstAddr, port_t port) {
        standard_metadata.egress_spec = port;
        meta.next_hop = dstAddr;
    }

    @route
    table ipv4_lpm {
        key = { hdr.packet.ipv4.dstAddr: lpm; }
        actions = { ipv4_forward; drop; NoAction; }
        size = 1024;
        default_action = drop();
    }

    // INT-MD: this switch is the source of the flow's packets from hosts. At most max_hops switches
    // add metadata; the sink drops packets with discard. UDP datagrams are marked by their
    // destination port if by_port is 1, all others by their DSCP.
    action embed_data(bit<16> instructions, bit<8> max_hops, bit<1> discard, bit<1> by_port) {
        meta.mode = MODE_MD;
        meta.instructions = instructions;
        meta.max_hops = max_hops;
        meta.discard = discard;
        meta.by_port = by_port;
    }

    // INT-MX: this switch is the source; each switch on the path reports.
    action embed_instructions(bit<16> instructions, bit<1> discard, bit<1> by_port) {
        meta.mode = MODE_MX;
        meta.instructions = instructions;
        meta.discard = discard;
        meta.by_port = by_port;
    }

    // INT-XD: this switch reports; the packet stays as it is.
    action export_data(bit<16> instructions) {
        meta.mode = MODE_XD;
        meta.instructions = instructions;
    }

    table watchlist {
        key = {
            standard_metadata.ingress_port: ternary;
            hdr.packet.ipv4.srcAddr: ternary;
            hdr.packet.ipv4.dstAddr: ternary;
            hdr.packet.ipv4.protocol: ternary;
            meta.src_port: ternary;
            meta.dst_port: ternary;
        }
        actions = { embed_data; embed_instructions; export_data; NoAction; }
        size = 1024;
        default_action = NoAction();
    }

    apply {
        // Packets with options, a wrong checksum, an expired TTL, or less than their headers
        // announce are dropped.
        if (!hdr.packet.ipv4.isValid() || hdr.packet.ipv4.ihl != 5 || hdr.packet.ipv4.ttl <= 1
                || standard_metadata.checksum_error == 1
                || standard_metadata.parser_error != error.NoError
                || standard_metadata.packet_length
                    < (bit<32>) hdr.packet.ipv4.totalLen + (bit<32>) ETHERNET_BYTES) {
            drop();
            meta.drop_reason = hdr.packet.ipv4.isValid() && hdr.packet.ipv4.ttl <= 1 ? DROP_TTL : DROP_UNKNOWN;
        } else {
            ipv4_lpm.apply();
            watchlist.apply();
            if (meta.drops == 0) {
                meta.drop_egress = (bit<16>) standard_metadata.egress_spec;
                queue_limit.apply(meta, standard_metadata);
            }
        }
        if (meta.drops == 1 && hdr.packet.ipv4.isValid()) {
            meta.drop_tracked = hdr.packet.shim.isValid() || meta.mode != MODE_NONE ? 1w1 : 0;
            report_drop.apply(hdr, meta, standard_metadata);
        }
    }
}
