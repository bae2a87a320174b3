/* sink.p4 - the last switch restores the packet, and reports what it carried. */

control Sink(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    apply {
        bit<1> discard = 0;
        if (hdr.packet.md.isValid()) {
            meta.report = 1;
            discard = hdr.packet.md.discard;
            if (hdr.packet.md.remaining_hops == 0) {
                // No more metadata, not even in the report.
                hdr.received.md.hops_exceeded = 1;
                meta.report_bits = 0;
            } else {
                meta.report_bits = hdr.packet.md.instructions;
            }
        } else if (hdr.packet.mx.isValid()) {
            meta.report = 1;
            meta.report_bits = hdr.packet.mx.instructions;
            discard = hdr.packet.mx.discard;
        }
        bit<16> removed = SHIM_BYTES + ((bit<16>) hdr.packet.shim.length_ << 2);
        resize(hdr.packet, -removed);
        if (hdr.packet.shim.npt == NPT_PORT && hdr.packet.udp.isValid()) {
            hdr.packet.udp.dstPort = hdr.packet.shim.original;
        } else if (hdr.packet.shim.npt == NPT_DSCP) {
            hdr.packet.ipv4.dscp = hdr.packet.shim.original[7:2];
        } else {
            discard = 1;
        }
        if (discard == 1) {
            mark_to_drop(standard_metadata);
        }
        hdr.packet.shim.setInvalid();
        hdr.packet.md.setInvalid();
        hdr.packet.mx.setInvalid();
        hdr.packet.stack.setInvalid();
        hdr.words.pop_front(64);
        hdr.rest.setInvalid();
    }
}
