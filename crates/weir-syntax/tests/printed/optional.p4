// What C++20 and GNU's preprocessor add to C's.
#define SUM(first, ...) first __VA_OPT__(+ sum(__VA_ARGS__))
#define NOTHING
#define JOINED(a, ...) a ## __VA_OPT__(_of ## _) ## some
#define TEXT(...) #__VA_OPT__(more: __VA_ARGS__)
#define NAMED(a, more...) a __VA_OPT__(- (more))
const bit<8> ONE = SUM(1);
const bit<8> ALSO_ONE = SUM(1, NOTHING);
const bit<8> SIX = SUM(1, 2, 3);
const bit<8> JOINED(x) = NAMED(1);
const bit<8> JOINED(x, y) = NAMED(1, 2);
@text(TEXT()) const bit<8> A = 0;
@text(TEXT(1, 2)) const bit<8> B = 0;

#define UNIQUE(x) x x
const bit<8> ZERO = __COUNTER__;
const bit<8> FIRST = UNIQUE(__COUNTER__ +) 0;
#if __COUNTER__ == 2
const bit<8> COUNTED = 2;
#endif

#ifdef __has_include
const bool KNOWN = true;
#endif
#define CONFIG <guarded.p4>
#define EXISTS(file) __has_include(file)
#if __has_include("guarded.p4") && __has_include(<guarded.p4>) && __has_include(CONFIG) && EXISTS(CONFIG)
const bool FOUND = true;
#endif
#if defined __has_include && !__has_include("nowhere.p4") && !EXISTS(<nowhere/at.p4>)
const bool MISSING = true;
#endif
