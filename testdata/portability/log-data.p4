// What `log_msg` can print.
#include <core.p4>
#include <v1model.p4>

struct pair_t { bit<8> a; bit<8> b; }
struct nest_t { pair_t pair; bit<8> c; }
header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
header long_t { bit<8> length; varbit<16> rest; }
struct headers_t {
    probe_t probe;
    long_t long;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
    pair_t pair;
    nest_t nest;
    error problem;
    bool flag;
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
        log_msg("{} {} {}", { meta.note, meta.flag, meta.problem });
        log_msg("{} {}", meta.pair);
        log_msg("{} {} {} {}", hdr.probe);
        log_msg("{}", { hdr.probe });
        log_msg("{} {}", { hdr.probe, meta.note }); //! log-data
        log_msg("{}", { hdr.long }); //! log-data
        log_msg("{}", { meta.pair }); //! log-data
        log_msg("{}", meta.note); //! log-data
        log_msg("{}", meta.flag); //! log-data
        log_msg("{} {}", meta.nest); //! log-data
        log_msg("{} {}", { meta.note, meta.pair }); //! log-data
        log_msg("{} {}", hdr.long); //! log-data
        log_msg("{} {}", { 8w1, { meta.note } }); //! log-data
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
