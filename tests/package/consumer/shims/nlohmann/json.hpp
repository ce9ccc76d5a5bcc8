#error "a public header of graft includes nlohmann/json.hpp, which its users need not have"
