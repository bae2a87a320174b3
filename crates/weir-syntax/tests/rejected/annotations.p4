@ const int a = 1;
@x(( const int b = 1;
const int c = 2;
