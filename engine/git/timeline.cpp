#include "engine/git/timeline.h"

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace reg::git {
namespace {

std::vector<UnixTime> instants_of(UnixTime from, UnixTime to, UnixTime every) {
  if (from > to)
    throw Error(ErrorKind::usage, "'from' " + format_time(from) + " is after 'to' " + format_time(to), "swap the two");
  if (every < 1) throw Error(ErrorKind::usage, "'every' must be at least a second");
  if ((to - from) / every > 1'000'000)
    throw Error(ErrorKind::usage, "more than a million steps between 'from' and 'to'", "take a longer 'every'");
  std::vector<UnixTime> out;
  for (UnixTime t = from; t <= to; t += every) out.push_back(t);
  return out;
}

std::vector<std::string> line_of(const TimelineRepo& source, const std::vector<UnixTime>& instants) {
  const std::string branch = source.branch.empty() ? source.repo->default_branch() : source.branch;
  std::vector<std::string> commits;
  try {
    commits = source.repo->first_parent_at(branch, instants);
  } catch (const Error& error) {
    throw Error(error.kind(), source.name + ": " + error.what(), error.hint());
  }
  if (commits.front().empty())
    throw Error(ErrorKind::not_found,
                source.name + ": no commit on '" + branch + "' at or before " + format_time(instants.front()) + " in " +
                    source.repo->path(),
                source.repo->shallow()
                    ? "the clone is shallow: git -C " + shell_words({source.repo->path()}) + " fetch --unshallow"
                    : "begin later: 'from' lies before the branch's first commit");
  return commits;
}

}  // namespace

std::vector<TimelinePoint> timeline(const std::vector<TimelineRepo>& repos, UnixTime from, UnixTime to,
                                    UnixTime every) {
  if (repos.empty()) throw Error(ErrorKind::usage, "a timeline of no repositories");
  const std::vector<UnixTime> instants = instants_of(from, to, every);
  std::vector<std::vector<std::string>> lines;
  for (const TimelineRepo& source : repos) lines.push_back(line_of(source, instants));

  std::vector<TimelinePoint> out;
  for (std::size_t i = 0; i < instants.size(); ++i) {
    TimelinePoint point;
    point.time = instants[i];
    for (std::size_t r = 0; r < repos.size(); ++r)
      if (i > 0 && lines[r][i] != lines[r][i - 1]) point.moved.push_back(repos[r].name);
    if (i > 0 && point.moved.empty()) continue;
    for (std::size_t r = 0; r < repos.size(); ++r) point.commits.push_back(repos[r].repo->resolve(lines[r][i]));
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace reg::git
