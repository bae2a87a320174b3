#ifndef WIDTHS
#define WIDTHS
typedef bit<9> port_t;
#define CELLS 8
#endif
