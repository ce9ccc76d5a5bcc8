#error "a public header of graft includes fmt/core.h, which its users need not have"
