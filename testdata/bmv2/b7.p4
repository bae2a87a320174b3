#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<6> k1;
    bit<16> k2;
    int<9> f0;
    bit<8> f1;
    bit<128> f2;
    int<5> f3;
    bit<64> f4;
    bit<1> pad;
}
header b_t {
    bit<7> f0;
    int<33> f1;
    bit<32> f2;
    bit<48> f3;
}
header c_t {
    bit<8> kind;
    bit<100> f0;
    bit<4> pad;
}
header r_t {
    bit<8> code;
    bit<32> left;
    bit<32> right;
    bit<16> small;
    bit<64> wide;
}
header s_t {
    bit<8> kind;
    int<13> f0;
    bit<3> pad;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[3] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(2)
    bit<8> m0;
    @field_list(1, 3)
    bool m1;
    @field_list(2, 3)
    bit<17> m2;
    @field_list(1, 2)
    bool m3;
    @field_list(1)
    bit<17> m4;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2)
    bit<2> color;
    inner_t inner;
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<7>>(4) set1;
    state start {
        p.extract(h.a);
        transition select(h.a.f1, h.a.k1) {
            (8w243, 6w0b110 &&& 6w0b111011): accept;
            (8w0xd8 &&& 8w0b101111, 6w0b11110 &&& 6w2): at_b;
            (8w47, _): at_c;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        transition select(h.b.f0) {
            set1: at_s;
            7w0b1101000 .. 7w0x7f: accept;
            _: at_c;
            7w1: at_s;
            default: accept;
        }
    }
    state at_c {
        p.extract(h.c);
        h.c.pad = ((((bit<1>) h.c.f0) ++ 1w0) ++ ((h.c.pad >= h.c.pad) ? ((bit<2>) h.c.pad) : ((bit<2>) h.c.pad)));
        m.again = (-h.c.kind);
        transition select(h.c.kind, p.lookahead<bit<4>>()) {
            (_, _): accept;
            (_, _): at_s;
            (_, _): accept;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        verify((((bit<33>) (bit<13>) h.s.last.f0) != 33w0x1ffffffff) || h.s.last.kind != 1, error.Second);
        transition select(h.s.last.kind) {
            8w0b11011000: at_s;
            8w0b1111111: at_s;
            default: at_s;
        }
    }
}
control V(inout headers h, inout meta m) {
    apply {
        verify_checksum(h.a.isValid() && (!(h.a.k2 != ((bit<16>) h.a.f2))), { h.a.k2, h.a.k0, 13w0x0 }, h.a.k2, HashAlgorithm.xor16);
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt2;
    counter(1, CounterType.packets) cnt3;
    action act4(in bit<100> d0, bit<2> x0) {
        if (h.s[1].isValid()) {
            m.m4 = 17w0b1001101100100011;
            h.r.right = ((~((bit<48>) h.r.small)))[32:1];
        }
        if ((!(m.m1 && (x0 >= ((bit<2>) h.a.pad))))) {
            if (m.again < 3 && (h.r.small >= m.inner.x)) { m.again = m.again + 1; clone_preserving_field_list(CloneType.I2E, 32w3, 3); }
        }
        if ((m.inner.x > (h.r.small + ((bit<16>) h.r.right)))) {
            h.a.f3 = (~(h.a.f3 |-| h.a.f3));
            h.r.code = 8w0x2f;
        }
    }
    action act5() {
        h.r.code[5:5] = ((((bit<1>) m.again) - ((bit<1>) m.m3)) << 0);
        m.inner.x = (~(h.r.small >> 8w16));
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
        if (h.d.isValid()) {
            h.a.f2 = ((((bit<128>) ((bit<1>) m.m3)))[127:0] - h.a.f2);
            if ((h.r.wide > (false ? h.a.f4 : h.r.wide))) {
                if (h.s[1].isValid()) {
                    m.color = (m.color + (2w0x3 | m.color));
                    if (h.b.isValid()) { h.d = h.b; }
                }
            }
        }
        if ((h.a.f1 < (~h.r.code))) {
            switch (((128w155821086825029142124155365922161771409)[106:105] ++ (m.m1 ? h.a.pad : h.a.pad))) {
                3w0b1:
                3w0x3: {
                    h.d.setInvalid();
                }
                3w4: {
                    s.egress_spec = (bit<9>) ((bit<2>) m.m4);
                }
                default: {
                    h.s.push_front(3);
                    m.m0 = ((m.again | m.again) |-| (h.a.k0 ++ ((bit<5>) h.a.k2)));
                }
            }
            if ((!(!(s.ingress_port != s.ingress_port)))) {
                if (h.s[1].isValid() && (m.m3 && m.m3)) {
                    act5();
                    h.a.pad = (h.s[0].isValid() ? (((bit<1>) s.packet_length) << 3w0b111) : (h.a.pad >> 7w0b111111));
                }
            } else {
                m.m4 = ((bit<17>) (h.r.wide >> ((bit<7>) h.r.small)));
                bit<48> v6 = ((h.a.f4)[60:13] >> 1);
            }
        }
        if ((m.m0 > (((bit<7>) s.packet_length) ++ h.a.pad))) {
            switch (((-h.a.pad) ++ m.color)) {
                3w3: {
                    h.a.f2 = ((bit<128>) h.a.f1);
                }
                3w0x4: {
                    h.a.f2 = (((m.m0 != h.r.code) || (h.a.f1 <= m.m0)) ? (128w1 | h.a.f2) : (h.a.f2 & ((bit<128>) m.m4)));
                }
                default: {
                    bit<1> v7 = (h.r.code)[0:0];
                }
            }
            if ((h.d.isValid() || (h.a.k2 == h.r.small))) {
                if (((((bit<8>) (int<8>) h.a.f0) ++ ((bit<4>) h.r.small)) == ((h.a.f2 > h.a.f2) ? ((bit<12>) ((bit<1>) m.m3)) : ((bit<12>) h.a.f1)))) {
                    m.color = (((bit<2>) 33w0x68a0d679) << 2);
                }
                switch (((bit<2>) h.a.k2)) {
                    2w2: {
                        m.m0 = ((bit<8>) (((bit<31>) m.again) << 8w28));
                        act5();
                    }
                    2w0x3: {
                        cnt3.count(0);
                        int<7> v8 = (-((int<7>) (bit<7>) h.r.wide));
                    }
                }
            }
        } else {
            int<13> v9 = (-((int<13>) (bit<13>) ((bit<3>) h.r.left)));
            if (((((bit<127>) h.a.f4) |+| ((bit<127>) h.a.f2)) != (-127w70632084171509109718878210216570239829))) {
                switch (((h.a.k2 - ((bit<16>) h.a.pad)) |+| h.a.k2)) {
                    16w0b110001000011100: {
                        cnt2.count((bit<32>) (1w0b0 ++ ((bit<1>) h.r.wide)));
                    }
                    16w36143: {
                        h.b.setInvalid();
                        act5();
                    }
                    default: {
                        h.a.pad = (~(-h.a.pad));
                        mark_to_drop(s);
                    }
                }
            }
        }
        act5();
        if (((-24s3850968 ^ ((int<24>) (bit<24>) h.a.k0)) >= (~-24s2991476))) {
            bit<24> v10 = 24w13785740;
        }
        if ((m.inner.x < (h.r.small >> h.a.k0))) {
            bit<24> v11 = ((9w0b1 ^ ((bit<9>) h.a.f0)) ++ (~((bit<15>) h.a.f4)));
        } else {
            if (((m.again < h.r.code) && (!(m.inner.x >= 16w0xfbc6)))) {
                int<7> v12 = ((int<7>) (bit<7>) (33w2561462878 << 8w18));
            } else {
                mark_to_drop(s);
            }
            h.d.setValid();
            h.d.f0 = (-7w0);
            h.d.f1 = (~((int<33>) (bit<33>) m.inner.x));
            h.d.f2 = (48w0x0)[35:4];
            h.d.f3 = (48w0x1 + 48w0);
        }
        switch (((bit<16>) (m.m2 ++ 111w0x457b4be8fdf3d2ff3c603c7daeb5))) {
            16w0b1000110100101111: {
                if (h.s[2].isValid()) { return; }
            }
            default: {
                if (h.s[0].isValid()) {
                    if ((h.r.right == 32w977368359)) {
                        hash(h.a.f1, HashAlgorithm.identity, 8w0b1010100, { m.m0, h.a.f4, h.r.right, h.a.f1 }, 17w100);
                        h.a.f0 = (((int<9>) (int<16>) h.a.k2) << 4);
                    }
                    if ((!(h.r.wide >= h.r.wide))) {
                        if ((h.a.f3 > ((int<5>) (bit<5>) m.inner.x))) { exit; }
                    } else {
                        act5();
                        act5();
                    }
                }
            }
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act13(bit<17> x0) {
        int<7> v14 = ((int<7>) (((bit<7>) h.r.wide) * 7w0));
        if ((m.color < ((s.instance_type == 32w1586136345) ? m.color : m.color))) {
            h.a.f4 = ((h.a.f2)[97:34])[63:0];
        } else {
            hash(m.color, HashAlgorithm.crc32_custom, 32w66, { x0, m.m2, m.m0 }, 17w0x64);
            bit<1> v15 = ((128w142018311437679464693801751666448378955 |+| h.a.f2))[89:89];
        }
    }
    action act16(bit<33> x0) {
        m.m3 = m.m3;
        if (h.b.isValid() && (12w0b10000110111 >= 12w0b1)) {
            m.m2[5:3] = (~(m.color ++ h.a.pad));
        }
        h.a.f0 = (h.a.f0 |+| (h.a.f0 << 6));
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
        if (h.s[2].isValid()) {
            switch (((bit<9>) (bit<13>) ((int<13>) (int<64>) h.a.f4))) {
                9w0x5d: {
                    if ((s.egress_rid > (((bit<128>) m.color))[20:5])) { return; }
                    h.r.left = ((s.instance_type * h.r.left))[31:0];
                }
                default: {
                    random(h.a.f1, 8w0b0, 8w0b0);
                    if (h.s[2].isValid()) { h.s[0] = h.s[2]; }
                }
            }
            if (h.b.isValid()) {
                h.r.small = ((!(h.a.k1 != 6w0b110)) ? (s.egress_rid + h.a.k2) : (h.a.k2 & ((bit<16>) m.m2)));
                bit<12> v17 = (((bit<11>) m.m4) ++ (-((bit<1>) m.m0)));
            }
        } else {
            h.s[1].setValid();
            h.s[1].kind = (-m.again);
            h.s[1].f0 = (((int<13>) (bit<13>) s.egress_rid) - ((int<13>) (bit<13>) h.r.small));
            h.s[1].pad = (h.a.k0 - ((bit<3>) h.r.left));
        }
        h.a.k1 = ((bit<6>) (4w0b0 - 4w0b1100));
        h.r.wide = h.r.wide ^ ((bit<64>) m.again);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
