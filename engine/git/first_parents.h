#pragma once

#include <memory>
#include <string>

#include "engine/base/time.h"

struct git_repository;

namespace reg::git {

/// Goes from a commit to its first parent and on, seeing only ids and committer times: out of git's commit-graph file
/// where there is one, else out of the commits. The edge of a shallow clone counts as the root.
class FirstParents {
 public:
  /// `graph`: the folder of objects that the commit-graph file is in.
  FirstParents(git_repository* repository, const std::string& graph, const std::string& tip);
  ~FirstParents();

  std::string id() const;
  UnixTime time() const;
  /// To the first parent; false at the root, where it stays.
  bool advance();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reg::git
