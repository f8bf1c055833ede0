#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <deque>
#include <utility>

#include "engine/base/error.h"
#include "engine/broker/broker.h"

// GCC 12 needs <utility> before Asio.

namespace reg::broker {
namespace {

using Stream = boost::asio::posix::stream_descriptor;

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

// The parser calls itself for each list and map, after this has seen it: what is deep would end the process.
class Flat : public nlohmann::detail::json_sax_acceptor<Json> {
 public:
  bool start_object(std::size_t = 0) { return ++depth_ < kDeepest; }
  bool start_array(std::size_t = 0) { return ++depth_ < kDeepest; }
  bool end_object() { return depth_-- > 0; }
  bool end_array() { return depth_-- > 0; }

 private:
  static constexpr int kDeepest = 8;
  int depth_ = 0;
};

class Listening : public std::enable_shared_from_this<Listening> {
 public:
  Listening(Loop& loop, Fd socket, std::function<void(Message)> on_message, std::function<void()> on_end)
      : stream_(loop.context(), socket.release()), on_message_(std::move(on_message)), on_end_(std::move(on_end)) {}

  void wait_to_read() {
    stream_.async_wait(Stream::wait_read, [weak = weak_from_this()](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (!self || error) return;
      for (;;) {
        auto message = packets::receive(self->stream_.native_handle(), MSG_DONTWAIT);
        if (!message && would_block()) return self->wait_to_read();
        if (!message) return self->on_end_();
        self->on_message_(std::move(*message));
      }
    });
  }

  void send(const std::string& text, const std::vector<int>& files) {
    const bool waiting = !unsent_.empty();
    unsent_.push_back(packets::packed(text, files));
    if (!waiting) wait_to_write();
  }

 private:
  void wait_to_write() {
    while (!unsent_.empty()) {
      if (!packets::send(stream_.native_handle(), unsent_.front(), MSG_DONTWAIT) && would_block())
        return stream_.async_wait(Stream::wait_write,
                                  [weak = weak_from_this()](const boost::system::error_code& error) {
                                    const auto self = weak.lock();
                                    if (self && !error) self->wait_to_write();
                                  });
      unsent_.pop_front();  // where the other end is closed, reading tells
    }
  }

  Stream stream_;
  std::function<void(Message)> on_message_;
  std::function<void()> on_end_;
  std::deque<Message> unsent_;
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

Channel listen(Loop& loop, Fd socket, std::function<void(Message)> on_message, std::function<void()> on_end) {
  auto channel = std::make_shared<Listening>(loop, std::move(socket), std::move(on_message), std::move(on_end));
  channel->wait_to_read();
  return [channel](const std::string& text, const std::vector<int>& files) { channel->send(text, files); };
}

}  // namespace reg::broker
