#include "engine/broker/channel.h"

#include <sys/socket.h>

#include <utility>
// GCC 12 needs <utility> before Asio.
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <deque>

namespace reg::broker {
namespace {

using Stream = boost::asio::posix::stream_descriptor;

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

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
