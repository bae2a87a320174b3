#define FIRST(first, ...) f(first, ##__VA_ARGS__)
#define NAMED(first, rest...) f(first, rest)
#define ALL(all...) f(0, ## all)
#define HAS defined(HAS) && !defined NOT
#define SUM 1 + \  
    2
#define SECOND(a, b) b
const int a = FIRST(1) + FIRST(1, 2) + FIRST(1, SUM, 3);
const int b = NAMED(1, 2, 3) + ALL() + ALL(1, 2);
#if HAS
const int c = SUM;
#elifdef HAS
const int c = 0;
#endif
#ifdef NOT
#elifndef NOT
const int d = SECOND(1,
#ifdef NOT
    2
#elifdef HAS
    #define THREE 3
    THREE
#else
    4
#endif
);
#endif
// A comment that goes on \  
const int gone = 1;
#if -1 > 0u && 18446744073709551615 == -1 && (0 ? 1u : -1) > 0 && 1 << -1 == 0
const int e = 1;
#endif
