#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "engine/base/file.h"
#include "engine/results/speedups.h"

namespace reg::results {
namespace {

constexpr std::uint64_t kSmallestPart = std::uint64_t{4} << 20;

// What one thread made of its part of a file.
struct Part {
  std::vector<Point> points;
  std::vector<Complaint> complaints;
  std::size_t lines = 0, records = 0;
  std::exception_ptr error;
};

void read_part(int fd, const std::string& path, std::uint64_t begin, std::uint64_t end, const Query& query,
               Part& part) {
  try {
    LineReader lines(fd, path, begin, end);
    Selector select(query);
    part.complaints = read_records(lines, query.metric, [&](const Record& record) {
      ++part.records;
      if (auto point = select(record)) part.points.push_back(std::move(*point));
    });
    part.lines = lines.count();
  } catch (const std::exception&) {
    part.error = std::current_exception();
  }
}

std::vector<Part> read_parts(const std::string& path, const Query& query) {
  const Fd file = open_file(path, O_RDONLY);
  struct stat info {};
  ::fstat(file.get(), &info);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t count = std::clamp<std::uint64_t>(size / kSmallestPart, 1, cores);
  std::vector<Part> parts(count);
  std::vector<std::thread> threads;
  for (std::uint64_t k = 0; k < count; ++k)
    threads.emplace_back(read_part, file.get(), std::cref(path), size * k / count,
                         k + 1 < count ? size * (k + 1) / count : UINT64_MAX, std::cref(query), std::ref(parts[k]));
  for (std::thread& thread : threads) thread.join();
  for (const Part& part : parts)
    if (part.error) std::rethrow_exception(part.error);
  return parts;
}

}  // namespace

Reading read_speedups(const std::vector<std::string>& files, const Query& query) {
  Reading reading;
  Aggregate aggregate(query);
  for (const std::string& file : files) {
    std::size_t lines_before = 0;
    for (const Part& part : read_parts(file, query)) {
      for (const Point& point : part.points) aggregate.add(point);
      for (Complaint complaint : part.complaints) {
        complaint.line += lines_before;
        reading.bad.emplace_back(file, std::move(complaint));
      }
      lines_before += part.lines;
      reading.records += part.records;
    }
  }
  reading.moments = aggregate.moments();
  return reading;
}

}  // namespace reg::results
