#include <graft/graft.hpp>

int main() {
  return graft::Callback("[](float x) { return x; }").name().empty() ? 1 : 0;
}
