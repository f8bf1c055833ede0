#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace reg::search {

/// Ranges of units that are broken for one reason: units that failed alike, with none between them that ran. Once there
/// are enough of them, what lies between two is assumed to fail as they did. Knows no numbers.
class BrokenRanges {
 public:
  void mark_run(int unit) { known_[unit].clear(); }
  /// An empty cause is like no other one.
  void mark_failed(int unit, const std::string& cause);

  struct Range {
    std::vector<int> failed;                   ///< two or more units, in order
    std::vector<std::pair<int, int>> assumed;  ///< the first and the last unit between two of them
  };
  std::vector<Range> ranges() const;

 private:
  std::map<int, std::string> known_;  // causes; empty for a unit that ran
};

}  // namespace reg::search
