#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<6> k0;
    bit<3> k1;
    bit<16> k2;
    bit<1> f0;
    bit<4> f1;
    bit<32> f2;
    bit<17> f3;
    bit<16> f4;
    bit<1> pad;
}
header b_t {
    bit<48> f0;
    bit<9> f1;
    bit<4> f2;
    bit<3> pad;
}
header c_t {
    bit<8> kind;
    bit<127> f0;
    bit<1> pad;
}
header r_t {
    bit<8> code;
    bit<32> left;
    bit<32> right;
    bit<16> small;
    bit<64> wide;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(3)
    bit<17> m0;
    @field_list(1)
    bit<9> m1;
    @field_list(2)
    int<8> m2;
    @field_list(2)
    bit<13> m3;
    bit<128> m4;
    bit<24> m5;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1, 2, 3)
    bit<2> color;
    inner_t inner;
}
int<48> fun2(inout bit<48> p0) {
    if ((p0 != 48w0x1)) {
        p0 = (((bit<64>) p0))[61:14];
    } else {
        p0 = (~(-p0));
    }
    if ((p0 > (((bit<128>) p0))[76:29])) {
        p0[28:20] = ((((bit<2>) p0) * ((bit<2>) p0)) ++ ((bit<7>) (bit<100>) 100s633825300114114700748351602687));
    } else {
        int<3> v1 = ((((bit<4>) p0) > 4w0b101) ? (((int<3>) (int<48>) p0) |+| 3s0) : (-((int<3>) (bit<3>) p0)));
        p0[40:15] = ((((bit<13>) p0) ++ 13w0b0) - 26w33554431);
    }
    return (((int<48>) p0) >> ((bit<1>) ((bit<16>) p0)));
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<16>>(4) set3;
    state start {
        p.extract(h.a);
        transition select(h.a.f4) {
            set3: accept;
            16w0xffff: reject;
            _: at_b;
            16w37247 &&& 16w0xffff: accept;
            default: at_c;
        }
    }
    state at_c {
        p.extract(h.c);
        transition select(h.c.kind) {
            _: accept;
            8w0b10110: at_b;
            8w255: accept;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.bytes) cnt4;
    action act5() {
        if (h.c.isValid()) {
            if (m.again < 3 && ((h.a.f3 == h.a.f3) && h.b.isValid())) { m.again = m.again + 1; clone_preserving_field_list(CloneType.I2E, 32w3, 3); }
        }
    }
    apply {
        h.r.setValid();
        h.r.code = 0;
        h.r.left = 0;
        h.r.right = 0;
        h.r.small = 0;
        h.r.wide = 0;
        if (s.parser_error != error.NoError) {
            s.egress_spec = 4;
            if (s.parser_error == error.PacketTooShort) { h.r.code = 1; }
            if (s.parser_error == error.NoMatch) { h.r.code = 2; }
            if (s.parser_error == error.StackOutOfBounds) { h.r.code = 3; }
            if (s.parser_error == error.HeaderTooShort) { h.r.code = 4; }
            if (s.parser_error == error.ParserInvalidArgument) { h.r.code = 5; }
            if (s.parser_error == error.First) { h.r.code = 6; }
            if (s.parser_error == error.Second) { h.r.code = 7; }
            if (!h.a.isValid()) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        bit<100> v6 = ((((bit<54>) (int<54>) m.m2) + ((bit<54>) h.a.f0)) ++ (46w0x1fffffffffff + 46w70368744177663));
        switch (((bit<16>) (m.m4 >> 8w134))) {
            16w12418: {
                h.r.small = ((bit<16>) m.m1);
                if ((s.ingress_port < (~s.ingress_port))) {
                    m.m4 = ((m.m4 >> 8w116))[127:0];
                    h.a.f0 = (~(-h.a.f0));
                }
            }
            16w13684: {
                switch (((m.m0 > ((bit<17>) h.r.small)) ? ((s.instance_type == 32w150475000) ? m.inner.x : ((bit<16>) h.a.f0)) : (~((bit<16>) h.a.f2)))) {
                    16w12710: {
                        h.b.setValid();
                        h.b.f0 = 48w1;
                        h.b.f1 = (m.m1 - s.ingress_port);
                        h.b.f2 = ((h.a.f2 <= h.r.right) ? h.a.f1 : ((bit<4>) m.again));
                        h.b.pad = (1w0b1 ++ m.color);
                        bit<5> v7 = ((bit<5>) (((bit<40>) h.a.k1) & ((bit<40>) h.r.left)));
                    }
                    16w29338: {
                        bit<100> v8 = ((bit<100>) (((bit<65>) h.a.f0) * 65w18377033872039043978));
                    }
                    16w0b1110001010010110: {
                        act5();
                    }
                    default: {
                        if (h.b.isValid()) { exit; }
                        act5();
                    }
                }
            }
            default: {
                h.a.k2 = h.a.f4;
            }
        }
        h.b.setInvalid();
        bit<63> v9 = 63w0x35ec201a8f8e0f40;
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets) cnt10;
    counter(4, CounterType.bytes) cnt11;
    action act12(out bit<1> d0) {
        d0 = 1w0b0;
        m.m5 = (-((m.m5 >= m.m5) ? m.m5 : m.m5));
        h.r.small = (-(h.a.k1 ++ m.m3));
        h.a.pad = (~(((bit<1>) h.a.f1) |+| h.a.f0));
    }
    table t13 {
        key = {
            h.r.code: range @name("k0");
        }
        actions = {
            NoAction;
            act12(h.a.pad);
        }
        default_action = NoAction();
    }
    apply {
        if (!h.r.isValid()) {
            h.r.setValid();
            h.r.code = 0;
            h.r.left = 0;
            h.r.right = 0;
            h.r.small = 0;
            h.r.wide = 0;
        }
        if (!h.a.isValid()) { return; }
        h.r.small = (bit<16>) s.instance_type;
        if ((m.m3 >= (m.m4)[81:69])) {
            h.r.left = ((bit<32>) (int<32>) ((int<128>) (int<24>) m.m5));
            hash(h.a.k1, HashAlgorithm.crc32, 16w46, { m.m3, h.a.k2 }, 17w0b10000000000000000);
        }
        switch (t13.apply().action_run) {
            NoAction: {
                if (h.c.isValid()) {
                    h.a.pad = (-(h.a.pad << 0));
                    if ((h.a.k2 >= h.r.small)) { exit; }
                }
            }
            act12: {
                if ((h.a.k0 == ((h.r.small != h.r.small) ? h.a.k0 : h.a.k0))) {
                    act12(h.a.pad);
                    h.a.pad = h.a.pad;
                }
            }
            default: {
                bit<1> v14 = (-(h.a.pad |+| h.a.pad));
                if ((h.d == h.b)) {
                    h.a.f1 = ((((bit<32>) m.m3) << 31))[14:11];
                    m.m1 = ((m.m1 * ((bit<9>) s.egress_rid)) | s.egress_port);
                } else {
                    h.a.k2 = h.r.small;
                }
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m3);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum_with_payload(h.r.isValid() && h.a.isValid() && (!(h.a.f4 != ((bit<16>) h.a.pad))), { h.a.pad, h.a.k1, 12w0 }, h.r.small, HashAlgorithm.crc16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
