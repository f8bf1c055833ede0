#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <future>
#include <thread>

#include "engine/base/file.h"
#include "engine/results/json_text.h"
#include "engine/results/speedups.h"

namespace reg::results {
namespace {

constexpr std::uint64_t kSmallestPart = std::uint64_t{4} << 20;

// What one thread made of its part of a file.
struct Part {
  Points points;
  std::vector<Complaint> complaints;
  std::size_t lines = 0, records = 0;
};

Part read_part(int fd, const std::string& path, std::uint64_t begin, std::uint64_t end, const Query& query) {
  Part part;
  LineReader lines(fd, path, begin, end);
  Texts texts;
  Shapes shapes(texts);
  Collector collector(query, texts);
  part.complaints = read_records(lines, texts, [&](const Record& record) {
    const auto timestamp = timestamp_of(shapes[record.shape], record.numbers, record.words);
    if (!timestamp) throw NoRecord(kNoTimestamp, true);
    ++part.records;
    collector.add(*timestamp, record.model, record.experiment, record.shape,
                  [&](std::size_t place) { return number_of(record.numbers[place]); });
  });
  part.points = collector.take();
  part.lines = lines.count();
  return part;
}

}  // namespace

void read_speedups(const std::string& file, const Query& query, Aggregate& aggregate, Reading& reading) {
  const Fd opened = open_file(file, O_RDONLY);
  struct stat info {};
  ::fstat(opened.get(), &info);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t count = std::clamp<std::uint64_t>(size / kSmallestPart, 1, cores);
  std::vector<std::future<Part>> parts;
  for (std::uint64_t k = 0; k < count; ++k)
    parts.push_back(std::async(std::launch::async, read_part, opened.get(), std::cref(file), size * k / count,
                               k + 1 < count ? size * (k + 1) / count : UINT64_MAX, std::cref(query)));
  std::size_t lines_before = 0;
  for (std::future<Part>& read : parts) {
    Part part = read.get();
    aggregate.add(std::move(part.points));
    for (Complaint& complaint : part.complaints) {
      complaint.line += lines_before;
      reading.bad.emplace_back(file, std::move(complaint));
    }
    lines_before += part.lines;
    reading.records += part.records;
  }
}

}  // namespace reg::results
