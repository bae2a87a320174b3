// Strings joined by `++` in annotations, those that macros make too.
#include <core.p4>

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define OLD earlier

@deprecated("use another one than " ++ TEXT(OLD))
extern void OLD();

control Named(inout bit<8> x) {
    @name("set" ++ "_" ++ "x")
    action set() { x = 1; }
    @brand["We" ++ "ir", 1]
    action clear() { x = 0; }
    @name("both" ++ "_ways") @hint("any" ++ 1, tokens ++)
    table both {
        actions = { set; clear; }
        default_action = clear();
    }
    apply { both.apply(); }
}

control Control(inout bit<8> x);
package Switch(Control named);
Switch(Named()) main;
