const int a = ;
#line 40 "generated.p4"
const int b = ;

const int c = ;
#line 7
const int d = ;
#line 0 "first.p4"
const int e = ;
