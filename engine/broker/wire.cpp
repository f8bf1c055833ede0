#include "engine/broker/wire.h"

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <deque>
#include <utility>

#include "engine/base/error.h"

// GCC 12 needs <utility> before Asio.

namespace reg::broker {
namespace {

using Stream = boost::asio::posix::stream_descriptor;

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

// The parser calls itself for each list and map, after this has seen it: what is deep would end the process.
class Flat : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ < kDeepest; }
  bool end_object() override { return depth_-- > 0; }
  bool start_array(std::size_t) override { return ++depth_ < kDeepest; }
  bool end_array() override { return depth_-- > 0; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  static constexpr int kDeepest = 8;
  int depth_ = 0;
};

}  // namespace

std::string pack(const Json& json) {
  std::string bytes;
  Json::to_msgpack(json, bytes);
  return bytes;
}

Json unpack(const std::string& bytes) {
  Flat flat;
  if (!Json::sax_parse(bytes, &flat, Json::input_format_t::msgpack)) throw Error(ErrorKind::corrupt, "not a message");
  Json json = Json::from_msgpack(bytes, true, false);
  if (!json.is_object()) throw Error(ErrorKind::corrupt, "not a message");
  return json;
}

Json as_json(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& any) {
    const Error ours = as_error(any);
    return {{"kind", to_string(ours.kind())}, {"message", ours.what()}, {"hint", ours.hint()}};
  }
}

std::exception_ptr error_from(const Json& json) {
  const auto kind = error_kind(json.at("kind").get<std::string>());
  return std::make_exception_ptr(Error(kind.value_or(ErrorKind::internal), json.at("message"), json.at("hint")));
}

struct Channel::Impl {
  Impl(Loop& loop, Fd socket) : stream(loop.context(), socket.release()) {}

  Stream stream;
  std::function<void(Message)> on_message;
  std::function<void()> on_end;
  std::deque<packets::Packet> unsent;
};

Channel::Channel(Loop& loop, Fd socket) : impl_(std::make_unique<Impl>(loop, std::move(socket))) {}
Channel::~Channel() = default;

void Channel::listen(std::function<void(Message)> on_message, std::function<void()> on_end) {
  impl_->on_message = std::move(on_message);
  impl_->on_end = std::move(on_end);
  wait_to_read();
}

void Channel::wait_to_read() {
  impl_->stream.async_wait(Stream::wait_read, [weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!self || error) return;
    for (;;) {
      auto message = packets::receive(self->impl_->stream.native_handle(), MSG_DONTWAIT);
      if (!message && would_block()) return self->wait_to_read();
      if (!message) return self->impl_->on_end();
      self->impl_->on_message(std::move(*message));
    }
  });
}

void Channel::send(const std::string& text, const std::vector<int>& files) {
  const bool waiting = !impl_->unsent.empty();
  impl_->unsent.push_back(packets::packet_of(text, files));
  if (!waiting) wait_to_write();
}

void Channel::wait_to_write() {
  auto& unsent = impl_->unsent;
  while (!unsent.empty()) {
    if (!packets::send(impl_->stream.native_handle(), unsent.front(), MSG_DONTWAIT) && would_block()) {
      impl_->stream.async_wait(Stream::wait_write, [weak = weak_from_this()](const boost::system::error_code& error) {
        const auto self = weak.lock();
        if (self && !error) self->wait_to_write();
      });
      return;
    }
    unsent.pop_front();  // where the other end is closed, reading tells
  }
}

}  // namespace reg::broker
