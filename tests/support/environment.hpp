// A variable of the environment that a test sets or removes, and that has its old value again afterwards.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace graft::test {

class EnvironmentVariable {
 public:
  // Without `value`, removes the variable.
  explicit EnvironmentVariable(const char* name, const std::optional<std::string>& value = {}) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~EnvironmentVariable() { set(old_); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;  // two copies would both restore the old value
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    if (value) ::setenv(name_, value->c_str(), 1);
    else ::unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace graft::test
