// What the programs of this folder have in common. They declare headers_t and meta_t.

parser TheParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control NoSums(inout headers_t hdr, inout meta_t meta) {
    apply {}
}

control Nothing(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {}
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
