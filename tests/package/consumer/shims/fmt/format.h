#error "a public header of graft includes fmt/format.h, which its users need not have"
