const int a = 1;
/* no end
const int b = 2;
