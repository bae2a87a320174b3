/* monitor.p4 - what a switch does with a packet that gets or carries telemetry. */

control Monitor(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    SumOfInt() sum_of_int;
    SetChecksum() set_checksum;
    Source() source;
    Transit() transit;
    Sink() sink;
    Detect() detect;

    apply {
        hdr.received = hdr.packet;
        bit<16> before;
        sum_of_int.apply(hdr.packet, before);
        if (meta.walked != 0 && meta.sink == 1) {
            hdr.received_words = hdr.words;
            hdr.received_rest = hdr.rest;
            if (hdr.rest.isValid()) {
                bit<16> complement;
                hash(complement, HashAlgorithm.csum16, 32w0, { hdr.rest.words }, 32w65536);
                before = fold((bit<32>) before + (bit<32>) ~complement);
            }
            for (bit<8> place = 0; place < meta.walked; place = place + 1) {
                before = fold((bit<32>) before + sum32(hdr.words[place].value));
            }
        }
        if (hdr.packet.shim.isValid()) {
            if (meta.sink == 1) {
                sink.apply(hdr, meta, standard_metadata);
            } else {
                transit.apply(hdr.packet, meta);
            }
        } else if (meta.from_host == 1 && meta.whole == 1
                && (meta.mode == MODE_MD || meta.mode == MODE_MX)) {
            if (meta.sink == 1) {
                // Sender and receiver are connected to this switch.
                meta.mode = MODE_XD;
            } else {
                source.apply(hdr.packet, meta);
            }
        }
        // Reports make no reports.
        if (meta.mode == MODE_XD && !(hdr.packet.ipv4.dstAddr == meta.collector.address
                && meta.dst_port == meta.collector.dst_port)) {
            meta.report = 1;
            meta.report_bits = meta.instructions;
        }
        bit<16> after;
        sum_of_int.apply(hdr.packet, after);
        if (before != after || hdr.packet.hop.complement.isValid()) {
            set_checksum.apply(hdr.packet, before, after);
        }
        // The source of an INT-MX packet reports what the others will: a packet with instructions.
        if (hdr.packet.mx.isValid() && !hdr.received.mx.isValid()) {
            hdr.received = hdr.packet;
        }
        if (meta.report == 1) {
            detect.apply(hdr, meta, standard_metadata);
        }
    }
}
