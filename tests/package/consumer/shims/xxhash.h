#error "a public header of graft includes xxhash.h, which its users need not have"
