// The sizes of tables.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
}
struct headers_t {
    probe_t probe;
}
struct meta_t { }

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    table largest {
        key = { hdr.probe.kind: exact; }
        actions = { NoAction; }
        size = 0x7fffffff;
    }
    table larger {
        key = { hdr.probe.kind: exact; }
        actions = { NoAction; }
        size = 1 << 31; //! table-size
    }
    apply {
        sm.egress_spec = 2;
        largest.apply();
        larger.apply();
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
