#define ONE 1const bit<8> x = ONE;// a commentconst bit<8> y = 1;
const bit<8> z = 2; const bit<8> a = 3;
