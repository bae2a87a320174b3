// A union of so many headers that machine code keeps them in memory: at most one of them is valid,
// whether the parser extracts them or the program makes them valid.
#include <v1model.p4>

header first_t { bit<8> kind; }
header member_t { bit<8> value; }

header_union any_t {
    member_t m0;
    member_t m1;
    member_t m2;
    member_t m3;
    member_t m4;
    member_t m5;
    member_t m6;
    member_t m7;
    member_t m8;
    member_t m9;
    member_t m10;
    member_t m11;
    member_t m12;
    member_t m13;
    member_t m14;
    member_t m15;
    member_t m16;
    member_t m17;
    member_t m18;
    member_t m19;
    member_t m20;
    member_t m21;
    member_t m22;
    member_t m23;
    member_t m24;
    member_t m25;
    member_t m26;
    member_t m27;
    member_t m28;
    member_t m29;
    member_t m30;
    member_t m31;
    member_t m32;
    member_t m33;
    member_t m34;
    member_t m35;
    member_t m36;
    member_t m37;
    member_t m38;
    member_t m39;
}

struct headers_t { first_t first; any_t u; }
struct metadata_t { }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.first);
        transition select(hdr.first.kind) {
            0: m0;
            1: m1;
            2: m2;
            3: m3;
            4: m4;
            5: m5;
            6: m6;
            7: m7;
            8: m8;
            9: m9;
            10: m10;
            11: m11;
            12: m12;
            13: m13;
            14: m14;
            15: m15;
            16: m16;
            17: m17;
            18: m18;
            19: m19;
            20: m20;
            21: m21;
            22: m22;
            23: m23;
            24: m24;
            25: m25;
            26: m26;
            27: m27;
            28: m28;
            29: m29;
            30: m30;
            31: m31;
            32: m32;
            33: m33;
            34: m34;
            35: m35;
            36: m36;
            37: m37;
            38: m38;
            39: m39;
            100: two;
            default: accept;
        }
    }
    // The second extraction makes the first header invalid.
    state two { packet.extract(hdr.u.m0); packet.extract(hdr.u.m39); transition accept; }
    state m0 { packet.extract(hdr.u.m0); transition accept; }
    state m1 { packet.extract(hdr.u.m1); transition accept; }
    state m2 { packet.extract(hdr.u.m2); transition accept; }
    state m3 { packet.extract(hdr.u.m3); transition accept; }
    state m4 { packet.extract(hdr.u.m4); transition accept; }
    state m5 { packet.extract(hdr.u.m5); transition accept; }
    state m6 { packet.extract(hdr.u.m6); transition accept; }
    state m7 { packet.extract(hdr.u.m7); transition accept; }
    state m8 { packet.extract(hdr.u.m8); transition accept; }
    state m9 { packet.extract(hdr.u.m9); transition accept; }
    state m10 { packet.extract(hdr.u.m10); transition accept; }
    state m11 { packet.extract(hdr.u.m11); transition accept; }
    state m12 { packet.extract(hdr.u.m12); transition accept; }
    state m13 { packet.extract(hdr.u.m13); transition accept; }
    state m14 { packet.extract(hdr.u.m14); transition accept; }
    state m15 { packet.extract(hdr.u.m15); transition accept; }
    state m16 { packet.extract(hdr.u.m16); transition accept; }
    state m17 { packet.extract(hdr.u.m17); transition accept; }
    state m18 { packet.extract(hdr.u.m18); transition accept; }
    state m19 { packet.extract(hdr.u.m19); transition accept; }
    state m20 { packet.extract(hdr.u.m20); transition accept; }
    state m21 { packet.extract(hdr.u.m21); transition accept; }
    state m22 { packet.extract(hdr.u.m22); transition accept; }
    state m23 { packet.extract(hdr.u.m23); transition accept; }
    state m24 { packet.extract(hdr.u.m24); transition accept; }
    state m25 { packet.extract(hdr.u.m25); transition accept; }
    state m26 { packet.extract(hdr.u.m26); transition accept; }
    state m27 { packet.extract(hdr.u.m27); transition accept; }
    state m28 { packet.extract(hdr.u.m28); transition accept; }
    state m29 { packet.extract(hdr.u.m29); transition accept; }
    state m30 { packet.extract(hdr.u.m30); transition accept; }
    state m31 { packet.extract(hdr.u.m31); transition accept; }
    state m32 { packet.extract(hdr.u.m32); transition accept; }
    state m33 { packet.extract(hdr.u.m33); transition accept; }
    state m34 { packet.extract(hdr.u.m34); transition accept; }
    state m35 { packet.extract(hdr.u.m35); transition accept; }
    state m36 { packet.extract(hdr.u.m36); transition accept; }
    state m37 { packet.extract(hdr.u.m37); transition accept; }
    state m38 { packet.extract(hdr.u.m38); transition accept; }
    state m39 { packet.extract(hdr.u.m39); transition accept; }
}

control V(inout headers_t hdr, inout metadata_t meta) { apply { } }

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (hdr.u.m7.isValid()) {
            // Another member becomes valid, with fields that are 0.
            hdr.u.m20.setValid();
            hdr.u.m20.value = hdr.u.m20.value + 5;
        } else if (hdr.u.m8.isValid()) {
            // No member is valid afterwards, whichever of them is made invalid.
            hdr.u.m30.setInvalid();
        } else if (hdr.u.m9.isValid()) {
            // The header stays as it is.
            hdr.u.m9.setValid();
        }
        hdr.first.kind = hdr.u.isValid() ? 8w1 : 0;
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) { apply { } }
control C(inout headers_t hdr, inout metadata_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
