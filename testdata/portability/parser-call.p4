// What parsers call.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
struct headers_t {
    probe_t probe;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<16>>(4) cells;
    counter(4, CounterType.packets) seen; //! counter-type
    state start {
        packet.extract(hdr.probe);
        log_msg("parsed");
        verify(hdr.probe.kind != 0, error.NoMatch);
        cells.write(0, hdr.probe.count); //! parser-call
        seen.count(1); //! parser-call
        hash(meta.note, HashAlgorithm.crc16, 16w0, { hdr.probe.count }, 16w8); //! parser-call
        random(meta.note, 16w0, 16w3); //! parser-call
        if (hdr.probe.kind == 1) { meta.note = 3; }
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
        hdr.probe.count = meta.note;
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
