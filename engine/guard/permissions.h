#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/guard/effect.h"
#include "engine/guard/policy.h"

namespace reg {

/// Untrusted text on one line, without control characters, truncated if it is long.
std::string one_line(std::string_view text);

/// What a pattern permits, in plain words: "run the program bench in the sandbox". `sandboxed`: whether this machine
/// has one for programs; else they have all rights of the user.
std::string describe(EffectKind kind, const std::string& pattern, bool sandboxed = true);

/// Whether it amounts to any command: a shell, an interpreter, a compiler, a pattern that covers one, docker, a program
/// by its path, one outside the sandbox; writing files outside the workspace or hidden ones.
bool is_dangerous(EffectKind kind, const std::string& pattern);

/// Whether who may run these programs may run any command.
bool permit_any_command(const Patterns& patterns);

/// The need as --allow takes it: KIND=NAME, with the path relative to the workspace.
std::string as_allowed(const Need& need, const std::string& workspace);

/// The need as a script declares it: reg.needs { process = "make" }.
std::string as_declared(const Need& need, const std::string& workspace);

/// `--allow KIND=PATTERN` for each pattern, quoted for a shell.
std::string as_options(const Patterns& patterns);

/// A script that may come from somebody else.
struct ForeignScript {
  std::string name;                  ///< as messages show it
  std::string path;                  ///< canonical; "stdin" or the like for a script without a file
  std::string sha256;                ///< of its text
  std::vector<std::string> options;  ///< what it was started with
  bool shipped = false;              ///< shipped with the engine: trusted as long as everything it loads is, too
};

/// How this machine runs the programs of untrusted scripts.
struct SandboxSupport {
  std::string why_not;             ///< it runs them with all the user's rights, and why; "" = in a sandbox
  std::vector<std::string> doors;  ///< how they can leave it, nevertheless: "become root through docker (/run/...)"
  std::string home;                ///< the user's home folder, canonical; "" = unknown
};

/// What the user is asked, of a script once.
struct Question {
  struct Line {
    std::string text;
    bool danger = false;         ///< it amounts to any command
    std::string_view kind = {};  ///< of the pattern
  };
  std::string head;         ///< "u.lua is not trusted yet. In the folder /w it asks for permission to:"
  std::vector<Line> lines;  ///< what it asks for, the worst first
  std::string tail;         ///< what else it consists of, ending with a line break
  std::string asked = "Allow?";

  /// Long lists of what is not dangerous are folded, unless `all`. What is stands between `danger` and `plain`: a
  /// terminal's colors.
  std::string text(bool all = false, std::string_view danger = "", std::string_view plain = "") const;
};

/// The question about what `permits` permits. `modules`: what the script loads, besides itself. `trusted`: files and
/// folders that the user trusts whatever is written in them.
Question question_about(const ForeignScript& script, const std::vector<std::string>& modules, const Patterns& permits,
                        const std::string& workspace, const SandboxSupport& sandbox = {},
                        const std::vector<std::string>& trusted = {});

enum class Answer { no, yes };

/// Returns std::nullopt if nobody can be asked.
using Ask = std::function<std::optional<Answer>(const Question&)>;

/// What the user allowed a script to do.
struct Decision {
  std::string path;                  ///< canonical; "stdin" or the like for a script without a file
  std::string sha256;                ///< of its text
  std::string workspace;             ///< the folder in which it runs
  std::vector<std::string> options;  ///< what it is started with
  std::vector<std::string> modules;  ///< file and sha256 of each module that it loads
  Patterns permits;
  bool everything = false;  ///< wherever it runs and with whatever options: the user wrote it (.save)
  bool unboxed = false;     ///< also where the kernel cannot hold it to its folder
  std::string trust = {};   ///< in its place: a file or folder that the user trusts; "" for a decision
};

void to_json(nlohmann::json& json, const Patterns& patterns);
void from_json(const nlohmann::json& json, Patterns& patterns);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Decision, path, sha256, workspace, options, modules, permits,
                                                everything, unboxed, trust)

/// The user's decisions about scripts, and the files and folders that the user trusts whatever is written in them:
/// $XDG_STATE_HOME/regengine/trusted, one line of JSON each, readable by the user alone. Updates are atomic.
class TrustStore {
 public:
  explicit TrustStore(std::string file) : file_(std::move(file)) {}

  /// The decision about the same path, text, workspace and options, or one that permits that text everything.
  std::optional<Decision> find(const Decision& like) const;
  /// Replaces an earlier decision about the same. Where it cannot be written, the user is asked again next time.
  void save(const Decision& decision);
  std::string folder() const;  ///< "" for a store that is empty and read-only

  /// The trusted file or folder that `path` is or is in; "" for any other. Throws permission if other users can
  /// change it.
  std::string trusted_path(const std::string& path) const;
  std::vector<std::string> trusted_paths() const;
  void trust(const std::string& path);
  /// Also forgets every decision about scripts there. Returns whether there was anything to forget.
  bool forget(const std::string& path);

 private:
  std::string file_;
};

/// The store in the user's state folder. If the environment names no such folder, the store is empty and read-only.
TrustStore user_trust_store();

/// The policy for an untrusted script. It permits what is free, what --allow names, and what the script declared and
/// the user then allowed, now or in an earlier run of the same script with the same options in the same folder. The
/// user is asked once, before the first of it. Everything else is refused.
class Permissions : public Policy {
 public:
  /// `workspace`: canonical. `allowed`: --allow.
  Permissions(ForeignScript script, std::string workspace, Patterns allowed, TrustStore store, Ask ask,
              SandboxSupport sandbox = {});

  std::string permit(const Effect& effect, bool may_ask) override;
  void declare(EffectKind kind, const std::string& pattern) override;
  void join(const std::string& file, std::string_view text, bool own) override;
  void grant(EffectKind kind, const std::string& name, bool to_write) override;
  std::optional<Bounds> bounds(const Effect& effect) const override;
  std::string untrusted_script() const override { return script_.shipped ? "" : script_.sha256; }

  /// `found` is called before a foreign file joins a shipped script, which needs no box until then. It may throw.
  void before_foreign_joins(std::function<void(const std::string& file, std::string_view text)> found) {
    found_ = std::move(found);
  }

  /// Asks now about what it declared so far, unless that is permitted already or nobody can be asked. Throws permission
  /// if the answer is no.
  void ask_ahead();

  /// Asks whether to run the script where the kernel cannot box it. Throws permission unless the answer is yes.
  void ask_to_run_unboxed();

  /// What --allow and the user's answer permit.
  Patterns permitted() const;
  const ForeignScript& script() const { return script_; }
  /// The answer, as another process needs it to decide alike.
  const Decision& decision() const { return decision_; }
  void decide(Decision decision);

 private:
  Decision earlier_decision() const;
  std::string normalize(EffectKind kind, std::string pattern) const;
  Need as_run(Need need) const;
  std::string permit_one(const Effect& effect, const Need& need, bool may_ask);
  bool is_hidden(const std::string& path) const;
  bool is_free(const Need& need) const;
  bool covered_by(const Patterns& patterns, const Need& need) const;
  std::optional<Answer> take_answer(const Patterns& open);  // nullopt if nobody can be asked
  [[noreturn]] void refuse(const Effect& effect, const Need& need, const std::string& why,
                           const std::string& hint) const;
  std::string how_to_permit(const Need& need) const;

  ForeignScript script_;
  std::string workspace_;
  Patterns allowed_;
  Patterns declared_;
  Decision decision_;
  bool in_use_ = false;  // something was permitted by it: no more questions
  bool told_ = false;    // it was made in another process
  bool denied_ = false;
  std::vector<std::string> modules_;  // of each its file and sha256
  std::vector<std::string> module_files_;
  std::string late_;                                            // a module that came after the decision was in use
  std::map<std::pair<EffectKind, std::string>, bool> granted_;  // whether to write, too
  TrustStore store_;
  std::string state_;  // its folder
  std::function<void(const std::string&, std::string_view)> found_;
  Ask ask_;
  SandboxSupport sandbox_;
};

}  // namespace reg
