/* source.p4 - inserts INT headers, and a hop's metadata. */

action resize(inout packet_t packet, in bit<16> bytes) {
    packet.ipv4.totalLen = packet.ipv4.totalLen + bytes;
    if (packet.udp.isValid()) {
        packet.udp.length_ = packet.udp.length_ + bytes;
    }
}

// Whether so many bytes more would exceed the MTU.
bool too_long(in packet_t packet, in bit<16> bytes, in bit<16> mtu) {
    return (bit<17>) packet.ipv4.totalLen + (bit<17>) bytes > (bit<17>) mtu;
}

// Puts this node's metadata on top of the stack of an INT-MD packet. If they do not fit, none are
// added: M tells of the MTU, and a shim header cannot count more than 255 words.
control Push(inout packet_t packet, in metadata meta) {
    Collect() collect;
    Pad() pad;

    apply {
        bit<16> wanted = packet.md.instructions;
        bit<8> words = (bit<8>) packet.md.hop_ml;
        bit<16> bytes = (bit<16>) words << 2;
        if (too_long(packet, bytes, meta.mtu)) {
            packet.md.mtu_exceeded = 1;
        } else if (words >= words_of(wanted) && packet.shim.length_ <= 255 - words) {
            collect.apply(packet.hop, meta.local, wanted);
            pad.apply(packet.hop, words - words_of(wanted & (KNOWN | BIT_COMPLEMENT)));
            if (wanted & BIT_COMPLEMENT != 0) {
                packet.hop.complement.setValid();
                packet.hop.complement.high = 0;
                packet.hop.complement.low = 0;
            }
            packet.md.remaining_hops = packet.md.remaining_hops - 1;
            packet.shim.length_ = packet.shim.length_ + words;
            resize(packet, bytes);
        }
    }
}

control Source(inout packet_t packet, inout metadata meta) {
    Push() push;

    apply {
        if (!too_long(packet, FIXED_BYTES, meta.mtu)) {
            resize(packet, FIXED_BYTES);
            packet.shim.setValid();
            packet.shim.kind = meta.mode == MODE_MD ? TYPE_MD : TYPE_MX;
            packet.shim.reserved = 0;
            packet.shim.length_ = INT_WORDS;
            if (meta.by_port == 1 && packet.udp.isValid()) {
                packet.shim.npt = NPT_PORT;
                packet.shim.original = packet.udp.dstPort;
                packet.udp.dstPort = PORT_INT;
            } else {
                packet.shim.npt = NPT_DSCP;
                packet.shim.original = (bit<16>) packet.ipv4.dscp << 2;
                packet.ipv4.dscp = DSCP_INT;
            }
            if (meta.mode == MODE_MD) {
                packet.md.setValid();
                packet.md.version = INT_VERSION;
                packet.md.discard = meta.discard;
                packet.md.hops_exceeded = 0;
                packet.md.mtu_exceeded = 0;
                packet.md.reserved = 0;
                bit<8> words = words_of(meta.instructions);
                packet.md.hop_ml = words[4:0];
                packet.md.remaining_hops = meta.max_hops;
                packet.md.instructions = meta.instructions;
                packet.md.domain = 0;
                packet.md.ds_instructions = 0;
                packet.md.ds_flags = 0;
                if (meta.max_hops > 0) {
                    push.apply(packet, meta);
                }
            } else {
                packet.mx.setValid();
                packet.mx.version = INT_VERSION;
                packet.mx.discard = meta.discard;
                packet.mx.reserved = 0;
                packet.mx.instructions = meta.instructions;
                packet.mx.domain = 0;
                packet.mx.ds_instructions = 0;
                packet.mx.ds_flags = 0;
                meta.report = 1;
                meta.report_bits = meta.instructions;
            }
        }
    }
}
