// Fields beside the headers, and the widths of headers with structs and of generic ones.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
struct part_t { bit<3> first; bool second; }
header whole_t { part_t part; bit<4> rest; }
header odd_t { part_t part; bit<5> rest; } //! header-width
header of_t<T> { T value; } //! header-width
header_union either_t { probe_t probe; }
struct inner_t {
    probe_t probe;
    bit<8> beside; //! headers-only
}
struct headers_t {
    probe_t probe;
    whole_t whole;
    odd_t odd;
    of_t<bit<8>> byte;
    of_t<bit<7>> less;
    either_t either;
    probe_t[2] stack;
    inner_t inner;
    bit<16> number; //! headers-only
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
    apply {
        packet.emit(hdr.probe);
        packet.emit(hdr.whole);
        packet.emit(hdr.odd);
        packet.emit(hdr.byte);
        packet.emit(hdr.less);
        packet.emit(hdr.either);
        packet.emit(hdr.stack);
        packet.emit(hdr.inner.probe);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
