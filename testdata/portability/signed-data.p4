// Signed action data.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
    int<16> limit;
}
struct headers_t {
    probe_t probe;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
    int<16> kept;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<int<16>>(4) noted;
    register<int<16>>(4) others;
    int<16> moved;
    int<16> read_back;
    int<16> other;
    action level(int<16> value) {
        hdr.probe.level = value;
        if (value < 3) { meta.mark = 1; } //! signed-data
        hdr.probe.long = (bit<24>)(int<24>)value; //! signed-data
        hdr.probe.limit = value |+| 5; //! signed-data
        hdr.probe.limit = 5 |-| value; //! signed-data
        hdr.probe.limit = value >> 1; //! signed-data
        hdr.probe.limit = (value << 1) |+| (value - 1);
        if ((int<16>)(bit<16>)value < 0) { meta.mark = 2; }
        meta.kept = value | 1;
        moved = value;
        noted.write(0, value);
        other = value + 1;
    }
    table levels {
        key = { hdr.probe.kind: exact; }
        actions = { level; NoAction; }
        default_action = level(-3); //! negative-data
        entries = {
            1: level(5);
            2: level(-5); //! negative-data
        }
    }
    apply {
        sm.egress_spec = 2;
        moved = 0;
        other = 0;
        levels.apply();
        if (moved < 0) { meta.mark = 3; } //! signed-data
        hdr.probe.long = hdr.probe.long + (bit<24>)(int<24>)moved; //! signed-data
        noted.read(read_back, 0);
        if (read_back < 0) { meta.mark = 4; } //! signed-data
        others.write(0, other);
        others.read(other, 0);
        if (other < 0) { meta.mark = 5; }
        if (meta.mark == 1) { hdr.probe.count = 2; }
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (meta.kept < 0) { meta.mark = 6; } //! signed-data
        if (hdr.probe.level < 0) { meta.mark = 7; } //! signed-data
        if (hdr.probe.limit < 0) { meta.mark = 8; }
    }
}
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
