#define ONE 1
#define TWO (ONE + ONE)
#define ADD(a, b) ((a) + (b))
#define NAME(prefix, suffix) prefix ## _ ## suffix
#define TEXT(x) #x
#define TEXT2(x) TEXT(x)
#define EMPTY
#define NOARGS() 5
#define ALL(first, ...) f(first, __VA_ARGS__)
#define SELF SELF + 1
#define LOOP_A LOOP_B
#define LOOP_B LOOP_A
#define FIELD(w, n) bit<w> n;
#define LONG 1 + \
    2
#define CALL ADD
const int a = TWO;
const int b = ADD(ONE, ADD(2, 3));
const int NAME(left, right) = 1;
const string c = TEXT(a  +  "q\"" /* gone */ b) ++ TEXT2(ONE);
const int d = 1 EMPTY + NOARGS() + NOARGS(
);
const int e = ALL(1, 2, g(3, 4));
const int g = SELF + LOOP_A;
header h { FIELD(8, x) FIELD(16, y) }
const int i = LONG;
const int j = ADD;
const int k = CALL(1,
    2);
#undef ONE
const int l = ONE + __P4__ + __WEIR__ + LEVEL;
const int m = NAME(, n) + NAME(o, ) ;
