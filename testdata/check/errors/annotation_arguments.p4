// Annotations with arguments that the language or p4c refuses.
#include <v1model.p4>

struct meta_t {
    @alias(5) bit<8> five;                              // ERROR bad-annotation
    @alias("six", "VI") bit<8> six;                     // ERROR bad-annotation
}
@pure(1)                                                // ERROR bad-annotation
bit<8> same(in bit<8> value) { return value; }

control C(inout meta_t meta) {
    @defaultonly(5)                                     // ERROR bad-annotation
    action a() { meta.five = same(1); }
    action b() { }
    @hidden("table")                                    // ERROR bad-annotation
    table t {
        key = { meta.five: exact; }
        actions = {
            a;
            NoAction;
            @tableonly(a) b;                            // ERROR bad-annotation
        }
    }
    apply {
        @atomic(true) { t.apply(); }                    // ERROR bad-annotation
    }
}

control B(inout meta_t meta);
package Top(B b);
@pkginfo("sorter")                                      // ERROR bad-annotation
@pkginfo(name = "a", name = "b")                        // ERROR bad-annotation
@pkginfo                                                // ERROR bad-annotation
Top(C()) main;
