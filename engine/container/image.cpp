#include "engine/container/image.h"

#include <algorithm>
#include <cctype>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/container/answers.h"

namespace reg::container {
namespace {

bool all_of(std::string_view text, std::string_view also, bool upper) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (upper && c >= 'A' && c <= 'Z') ||
           also.find(c) != std::string_view::npos;
  });
}

bool alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_repository(std::string_view text) {
  const auto parts = split(text, '/');
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    return all_of(part, "._-", false) && alphanumeric(part.front()) && alphanumeric(part.back());
  });
}

bool is_registry(std::string_view text) {
  const auto colon = text.rfind(':');
  if (text.front() != '[' && colon != std::string_view::npos) {
    if (!std::all_of(text.begin() + static_cast<std::ptrdiff_t>(colon) + 1, text.end(),
                     [](char c) { return c >= '0' && c <= '9'; }) ||
        colon + 1 == text.size())
      return false;
    text = text.substr(0, colon);
  }
  if (text.empty()) return false;
  return text.front() == '[' ? all_of(text, "[]:", true) : all_of(text, ".-", true) && alphanumeric(text.front());
}

bool is_digest(std::string_view text) {
  return text.size() == 71 && text.substr(0, 7) == "sha256:" &&
         text.find_first_not_of("0123456789abcdef", 7) == std::string_view::npos;
}

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

bool ImageName::on_this_machine() const {
  const auto host = registry.substr(0, registry.rfind(':'));
  return host == "localhost" || host == "[::1]" ||
         (host.rfind("127.", 0) == 0 && host.find_first_not_of("0123456789.") == std::string::npos);
}

std::optional<ImageName> parse_image(std::string_view text) {
  ImageName name;
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    name.digest = text.substr(at + 1);
    if (!is_digest(name.digest)) return std::nullopt;
    text = text.substr(0, at);
  }
  const auto slash = text.rfind('/');
  const auto colon = text.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon != std::string_view::npos) {
    name.tag = text.substr(colon + 1);
    if (!all_of(name.tag, "._-", true) || name.tag.size() > 128 || name.tag.front() == '-' || name.tag.front() == '.')
      return std::nullopt;
    text = text.substr(0, colon);
  } else if (name.digest.empty()) {
    name.tag = "latest";
  }
  // docker's rule: the first part is a registry if it looks like a host.
  const auto first = text.substr(0, text.find('/'));
  if (first.size() < text.size() && !first.empty() &&
      (first.find_first_of(".:") != std::string_view::npos || first == "localhost")) {
    if (!is_registry(first)) return std::nullopt;
    name.registry = first;
    name.repository = text.substr(first.size() + 1);
  } else {
    name.registry = "docker.io";
    name.repository = text.find('/') == std::string_view::npos ? "library/" + std::string(text) : std::string(text);
  }
  if (!is_repository(name.repository)) return std::nullopt;
  return name;
}

ImageName check_image(std::string_view text) {
  check_word(text, "an image");
  if (auto name = parse_image(text)) return *name;
  throw Error(ErrorKind::usage, "not a valid image name: '" + printable(text) + "'",
              "Write REGISTRY/REPOSITORY:TAG or REPOSITORY@sha256:..., with the repository in lower case.");
}

std::pair<std::string, std::string> split_tags(const std::string& pattern) {
  const auto colon = pattern.rfind(':');
  return {pattern.substr(0, colon), pattern.substr(colon + 1)};
}

void check_word(std::string_view text, std::string_view what) {
  const std::string whose(what);
  if (text.empty()) throw Error(ErrorKind::usage, whose + " is empty");
  if (text.front() == '-')
    throw Error(ErrorKind::usage, whose + " begins with '-': '" + printable(text) + "'",
                "Choose another: it would be taken for an option.");
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      throw Error(ErrorKind::usage, whose + " contains a control character: '" + printable(text) + "'");
}

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
