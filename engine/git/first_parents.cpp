#include "engine/git/first_parents.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "engine/git/commit_graph.h"
#include "engine/git/handles.h"

namespace reg::git {
namespace {

struct Fields {
  std::optional<git_oid> parent;
  UnixTime time = 0;
};

// Of a commit's raw text: git_commit_lookup would also copy its message and signatures, at thrice the time.
Fields read_fields(std::string_view text) {
  Fields out;
  while (!text.empty() && text.front() != '\n') {
    const std::string_view line = text.substr(0, text.find('\n'));
    constexpr std::string_view parent = "parent ", committer = "committer ";
    if (line.starts_with(parent) && !out.parent) out.parent = parse_id(line.substr(parent.size(), GIT_OID_HEXSZ));
    if (line.starts_with(committer)) {
      const std::size_t stamp = line.rfind("> ");
      // Damaged times count as 0, as git takes them.
      if (stamp != std::string_view::npos)
        std::from_chars(line.data() + stamp + 2, line.data() + line.size(), out.time);
      break;
    }
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

}  // namespace

struct FirstParents::State {
  git_repository* repository;
  OdbPtr odb;
  CommitGraph graph;
  std::optional<CommitGraph::Position> at;  // in the graph, once a commit is met that it holds
  git_oid id{};
  Fields fields;

  State(git_repository* r, const std::string& objects) : repository(r), graph(objects) {}

  // False when the commit lies beyond a shallow clone's edge.
  bool load(const git_oid& commit) {
    at = graph.find(commit.id);
    if (!at) {
      git_odb_object* found = nullptr;
      const int code = git_odb_read(&found, odb.get(), &commit);
      if (code == GIT_ENOTFOUND && git_repository_is_shallow(repository) == 1) return false;
      check(code, "the commit " + hex(commit));
      const OdbObjectPtr object(found);
      fields =
          read_fields({static_cast<const char*>(git_odb_object_data(object.get())), git_odb_object_size(object.get())});
    }
    id = commit;
    return true;
  }
};

FirstParents::FirstParents(git_repository* repository, const std::string& graph, const std::string& tip) {
  state_ = std::make_unique<State>(repository, graph);
  state_->odb = make<OdbPtr>("the objects", git_repository_odb, repository);
  if (!state_->load(parse_id(tip))) throw Error(ErrorKind::not_found, "the commit " + tip + " is not in this clone");
}

FirstParents::~FirstParents() = default;

std::string FirstParents::id() const {
  if (!state_->at) return hex(state_->id);
  git_oid id{};
  git_oid_fromraw(&id, state_->graph.id(*state_->at));
  return hex(id);
}

UnixTime FirstParents::time() const { return state_->at ? state_->graph.time(*state_->at) : state_->fields.time; }

bool FirstParents::advance() {
  State& s = *state_;
  if (s.at) {
    const auto parent = s.graph.first_parent(*s.at);
    if (parent) s.at = parent;
    return parent.has_value();
  }
  return s.fields.parent && s.load(git_oid{*s.fields.parent});
}

}  // namespace reg::git
