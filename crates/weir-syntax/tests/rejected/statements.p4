table t { key = { x: exact; } }
control c(inout bit<8> x) {
    table t { const key = { x: exact; } key = { x } actions = { a, b; } }
    table u { entries = { (1, 2 : a(); priority = x: 1: a(); 1 a; 2: a; } size 3; }
    apply {
        else { }
        x;
        x + 1;
        f(x) = 3;
        1 = x;
        { x, x } = { 1, 2 };
        switch (x) { case 1: { } { 2 }: { } 3 { } default: { } }
        for (x = 1, x < 3, x = x + 1) { }
        for (bit<8> i = 0; i < 3; i++) { }
        for (i in 1..3) { }
        x = x ? 1;
        x = [1];
        x[1:2:3] = 1;
        f(1, );
        f(1 2);
        if x == 1 { }
        transition accept;
        state s { }
        @name("x") x = 1;
        while (x == 1) { x = 2; }
        x++;
        x = 7;
    }
}
parser p(in bit<8> x) {
    x = 1;
    state start { transition accept; x = 1; }
    state { }
    state a { transition select(x) { 1 accept; 2: ; (1, 2: accept; 3: b; } }
    state b { transition; }
    state c { transition select x; }
    state d { transition accept }
}
