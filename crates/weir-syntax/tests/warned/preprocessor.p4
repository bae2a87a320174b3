#define SLICE(name, bits) name ## [bits]
#define MEMBER(of, name) of ## .name
#define MASK(left, right) left ## right
#define UNUSED(x) #y
# a note, as in a shell's script
#!/usr/bin/env p4
#define ONE 1
# 8w1 and ONE
#inclde <core.p4>
#ident "here"
const bit<4> a = SLICE(x, 3:0) + SLICE(y, 7:4) + MEMBER(h, a.b);
const bool b = 1 MASK(&, &) 3;
#if true
const int c = 1;
#elif ONE
const int c = 2;
#endif
