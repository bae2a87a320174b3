// What the deparser takes.
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
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    bit<8> copy;
    probe_t more;
    apply {
        copy = hdr.probe.kind;
        log_msg("{}", { copy });
        more.setValid(); //! deparser-statement
        if (hdr.probe.isValid()) { //! deparser-statement
            packet.emit(hdr.probe);
        }
        packet.emit(more);
        packet.emit((probe_t){ kind = 1, count = 2, long = 3, level = 4 }); //! deparser-statement
        packet.emit(copy == 1 ? hdr.probe : more); //! deparser-statement
        packet.emit({ hdr.probe, more });
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
