#include "engine/container/checkouts.h"

#include "engine/base/text.h"
#include "engine/container/answers.h"

namespace reg::container {
namespace {

constexpr std::string_view manifest_begins = "--- manifest";

// With --git-dir, git neither checks the owner nor searches parent folders of a broken checkout. An image may lack git,
// hence the fallback to the files themselves.
constexpr const char* script = R"sh(
root=$1; shift
if [ $# -eq 0 ]; then
  cd "$root/" && set -- opt/*
fi
head_of() {
  h=$(git --git-dir="$1/.git" rev-parse HEAD 2>/dev/null) && { echo "$h"; return; }
  read -r h < "$1/.git/HEAD" || return
  case $h in
    "ref: "*)
      ref=${h#ref: }
      if [ -f "$1/.git/$ref" ]; then read -r h < "$1/.git/$ref"
      else h=$(grep " $ref\$" "$1/.git/packed-refs") && h=${h%% *}; fi ;;
  esac
  echo "$h"
}
url_of() {
  git --git-dir="$1/.git" config --get remote.origin.url 2>/dev/null && return
  section=
  while read -r key equals value; do
    case $key in
      "["*) section="$key $equals" ;;
      url) if [ "$section" = '[remote "origin"]' ]; then echo "$value"; fi ;;
    esac
  done < "$1/.git/config"
}
for path; do
  path=/${path#/}
  if [ -e "$root$path/.git" ]; then
    printf '%s\t%s\t%s\n' "$path" "$(head_of "$root$path" 2>/dev/null)" "$(url_of "$root$path" 2>/dev/null)"
  fi
done
echo "--- manifest"
if [ -f "$root/opt/manifest.d/git-clone.yaml" ]; then cat "$root/opt/manifest.d/git-clone.yaml"; fi
)sh";

// jax is in /opt/jax and was in /opt/jax-source before November 2023.
std::string package_in(std::string_view path) {
  constexpr std::string_view suffix = "-source";
  std::string name(path.substr(path.rfind('/') + 1));
  if (name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
    name.resize(name.size() - suffix.size());
  return name;
}

}  // namespace

std::vector<std::string> checkout_arguments(const std::string& root, const std::vector<std::string>& paths) {
  std::vector<std::string> arguments{"-c", script, "sh", root};
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  return arguments;
}

std::map<std::string, Checkout> parse_checkouts(std::string_view printed) {
  const auto mark = printed.find(manifest_begins);
  auto packages = mark == std::string_view::npos ? std::map<std::string, Checkout>{}
                                                 : parse_clone_manifest(printed.substr(mark + manifest_begins.size()));
  for (const auto line : lines(printed.substr(0, mark))) {
    const auto parts = split(line, '\t');
    if (parts.size() != 3 || parts[1].empty()) continue;
    Checkout& checkout = packages[package_in(parts[0])];
    checkout.path = parts[0];
    if (checkout.commit.empty()) checkout.commit = parts[1];
    if (checkout.url.empty()) checkout.url = parts[2];
  }
  return packages;
}

}  // namespace reg::container
