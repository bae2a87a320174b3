/* router.p4 - what an IPv4 router does with a packet. */

// Whether a packet with an IPv4 header can go on.
bool can_be_routed(in headers hdr, in standard_metadata_t standard_metadata) {
    return hdr.ipv4.ihl >= 5 && hdr.ipv4.ttl > 1
        && standard_metadata.parser_error == error.NoError && standard_metadata.checksum_error == 0;
}

control Route(inout headers hdr, inout standard_metadata_t standard_metadata) {
    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(mac_t dstAddr, port_t port) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.srcAddr = hdr.ethernet.dstAddr;
        hdr.ethernet.dstAddr = dstAddr;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    table ipv4_lpm {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { forward; drop; }
        size = 1024;
        default_action = drop();
    }

    apply {
        ipv4_lpm.apply();
    }
}
