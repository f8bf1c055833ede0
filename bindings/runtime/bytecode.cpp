#include "bindings/runtime/bytecode.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/ids.h"

// The format of string.dump in Lua 5.4 (lua.org/source/5.4/ldump.c). A stripped dump still has the lines of each
// function, so it is read, and hashed without them.

namespace reg::lua {
namespace {

static_assert(LUA_VERSION_NUM == 504, "the format of precompiled chunks belongs to the version");

constexpr std::size_t kHeader = 4 + 1 + 1 + 6 + 3;  // up to the two test numbers
constexpr std::size_t kUpvalue = 3;                 // in the stack, index, kind
constexpr std::size_t kInstruction = 4;
constexpr unsigned kSetUpvalue = 10;  // OP_SETUPVAL, whose B is the upvalue

enum Constant : unsigned char {
  nil = 0x00,
  no = 0x01,
  yes = 0x11,
  integer = 0x03,
  real = 0x13,
  text = 0x04,
  long_text = 0x14
};

class Reader {
 public:
  Reader(std::string_view dump, Bytecode& into) : dump_(dump), into_(into) {}

  void read() {
    skip(kHeader + sizeof(lua_Integer) + sizeof(lua_Number));
    into_.assigned.assign(byte(), false);
    kept_.assign(dump_.substr(0, at_));
    function([this](std::size_t upvalue) { mark(into_.assigned, upvalue); });
    into_.sha256 = sha256(kept_);
  }

 private:
  static void mark(std::vector<bool>& list, std::size_t index) {
    if (index < list.size()) list[index] = true;
  }

  std::string_view skip(std::size_t size) {
    if (size > dump_.size() - at_) throw Error(ErrorKind::internal, "a precompiled function is shorter than it says");
    const std::string_view bytes = dump_.substr(at_, size);
    at_ += size;
    return bytes;
  }
  std::string_view keep(std::size_t size) {
    const std::string_view bytes = skip(size);
    kept_ += bytes;
    return bytes;
  }
  unsigned char byte() { return static_cast<unsigned char>(skip(1).front()); }

  // Seven bits a byte, the highest first; the last byte has its top bit set.
  std::size_t number() {
    std::size_t value = 0;
    for (;;) {
      const unsigned char one = byte();
      value = value << 7 | (one & 0x7fU);
      if ((one & 0x80U) != 0) return value;
    }
  }
  std::size_t kept_number() {
    const std::size_t from = at_, value = number();
    kept_ += dump_.substr(from, at_ - from);
    return value;
  }
  std::string_view string() {
    const std::size_t size = kept_number();
    return size == 0 ? std::string_view() : keep(size - 1);
  }

  void function(const std::function<void(std::size_t)>& assigned) {
    string();  // the source, absent in a stripped dump
    number();  // the first line and the last
    number();
    keep(3);  // parameters, whether variadic, size of the stack
    const std::string_view code = keep(kept_number() * kInstruction);
    constants();
    const std::string_view upvalues = keep(kept_number() * kUpvalue);
    for (std::size_t i = 0; i < code.size(); i += kInstruction) {
      std::uint32_t instruction = 0;
      std::memcpy(&instruction, code.data() + i, kInstruction);
      if ((instruction & 0x7fU) == kSetUpvalue) assigned(instruction >> 16 & 0xffU);
    }
    for (std::size_t count = kept_number(); count > 0; --count)
      function([&](std::size_t inner) {  // an upvalue of this function, unless it is a local variable of it
        const std::size_t place = inner * kUpvalue;
        if (place + 1 < upvalues.size() && upvalues[place] == 0)
          assigned(static_cast<unsigned char>(upvalues[place + 1]));
      });
    for (int i = 0; i < 4; ++i) number();  // debug information, empty in a stripped dump
  }

  void constants() {
    for (std::size_t count = kept_number(); count > 0; --count) {
      switch (static_cast<unsigned char>(keep(1).front())) {
        case Constant::integer:
          keep(sizeof(lua_Integer));
          break;
        case Constant::real:
          keep(sizeof(lua_Number));
          break;
        case Constant::text:
        case Constant::long_text:
          into_.strings.emplace_back(string());
          break;
        default:  // nil, false, true: the type says it all
          break;
      }
    }
  }

  std::string_view dump_;
  Bytecode& into_;
  std::size_t at_ = 0;
  std::string kept_;
};

int append(lua_State*, const void* bytes, std::size_t size, void* into) {
  static_cast<std::string*>(into)->append(static_cast<const char*>(bytes), size);
  return 0;
}

}  // namespace

std::optional<Bytecode> bytecode_of(lua_State* L, int index) {
  if (lua_iscfunction(L, index) != 0) return std::nullopt;
  std::string dump;
  lua_pushvalue(L, index);
  lua_dump(L, append, &dump, 1);
  lua_pop(L, 1);
  Bytecode found;
  Reader(dump, found).read();
  return found;
}

}  // namespace reg::lua
