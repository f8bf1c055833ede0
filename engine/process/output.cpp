#include "engine/process/output.h"

#include <fmt/format.h>

#include <algorithm>

namespace reg::process {

Output::Output(std::size_t keep_bytes, std::uint64_t file_bytes) : keep_(keep_bytes), file_left_(file_bytes) {}

void Output::to_file(std::shared_ptr<Fd> file, std::string path) {
  file_ = std::move(file);
  path_ = std::move(path);
}

void Output::add(std::string_view data) {
  bytes_ += data.size();
  if (file_ && file_left_ > 0) {
    const auto part = data.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(file_left_, data.size())));
    file_left_ -= part.size();
    write_all(file_->get(), part, path_);
    if (file_left_ == 0) write_all(file_->get(), "\n[... the rest was omitted ...]\n", path_);
  }
  const std::size_t head_room = keep_ / 4 - std::min(keep_ / 4, head_.size());
  head_ += data.substr(0, head_room);
  data.remove_prefix(std::min(head_room, data.size()));
  const std::size_t tail_size = keep_ - keep_ / 4;
  if (data.size() > tail_size) data.remove_prefix(data.size() - tail_size);
  tail_ += data;
  // Cut only now and then, so that each byte is moved about once.
  if (tail_.size() > 2 * tail_size) tail_.erase(0, tail_.size() - tail_size);
}

std::string Output::text() const {
  const std::size_t tail_size = std::min(tail_.size(), keep_ - keep_ / 4);
  const std::string_view end = std::string_view(tail_).substr(tail_.size() - tail_size);
  const std::uint64_t left_out = bytes_ - head_.size() - end.size();
  if (left_out == 0) return fmt::format("{}{}", head_, end);
  return fmt::format("{}\n[... {} bytes omitted ...]\n{}", head_, left_out, end);
}

}  // namespace reg::process
