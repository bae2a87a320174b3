// Annotations that hold one string.
#include <core.p4>

@deprecated("old" | "older") // ERROR bad-annotation
extern void one();
@deprecated // ERROR bad-annotation
extern void two();

control Work(inout bit<8> x) {
    @name("a" "b") // ERROR bad-annotation
    action first() { x = 1; }
    @name("a" ++) // ERROR bad-annotation
    action second() { x = 2; }
    @name("third\nline") // ERROR bad-annotation
    action third() { x = 3; }
    @noWarn(unused) // ERROR bad-annotation
    table both {
        actions = { first; second; third; }
        default_action = first;
    }
    apply { both.apply(); }
}
