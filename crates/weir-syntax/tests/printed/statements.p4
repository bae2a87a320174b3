typedef bit<8> T;
control Other<H>(inout H h)(T size) { apply { } }
control Plain() { apply { } }

control c(inout T x, out T y)(bool flag, T size = 4) {
    T z;
    const T k = 3;
    @hidden T[4] stack;
    Plain() plain;
    Other<T>(4) other;
    action act(in T a, T b) { y = a; return; }
    apply @noWarn("all") {
        ;
        { x = 1; }
        @atomic { x = 2; }
        bit<8> u = 7;
        T v;
        T[2] w;
        @aa const T q = 1;
        S<T> t = { 1 };
        x = y;
        x[3:0] = y[7:4];
        x[1+:2] = 2w0;
        stack[1] = 4;
        a.b.c[2].d = 1;
        x += 1; x -= 1; x *= 2; x /= 2; x %= 3; x |+|= 1; x |-|= 1; x <<= 1; x >>= 1; x &= 1; x |= 1; x ^= 1;
        (x) = 3;
        act(x, 1);
        plain.apply();
        Plain.apply();
        Other<T>.apply(x);
        .Plain.apply();
        obj.method<T>(x, _);
        this.go();
        if (x == 1) y = 2;
        if (x == 1) y = 2; else y = 3;
        if (x == 1) { } else if (x == 2) { } else { }
        if (x == 1) if (x == 2) ; else ;
        switch (x) {
            1:
            2: { y = 1; }
            3 + 4: { }
            default: { }
        }
        switch (t.apply().action_run) { act: { exit; } _other: }
        for (bit<8> i = 0, bit<8> j = 1; i < 4; i += 1, j = j + 1) { if (j == 3) break; else continue; }
        for (; x < 3;) x = x + 1;
        for (i = 0; i < 3; ) ;
        @unroll for (@loop bit<8> i in 1 .. 4) y = y + i;
        for (T i in stack) { }
        key = 1;
        state = key + apply;
        list = 2;
        type.actions = priority;
        exit;
        return;
    }
}
bool fun() { return true; }
void nothing() { return; }
