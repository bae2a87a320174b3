#define OPEN(...) __VA_OPT__(x
#define BARE(...) __VA_OPT__
#define TWICE(...) __VA_OPT__(a __VA_OPT__(b))
#define EDGE(...) a __VA_OPT__(## b)
#if __has_include
#endif
#if __has_include(3)
#endif
#if __has_include("a.p4"
#endif
const bit<8> X = __has_include("a.p4");
#if __has_include + __has_include(3) + __has_include
#endif
#if __has_include(__has_include(__has_include("a.p4")))
#endif
