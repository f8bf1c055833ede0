#include "engine/container/image.h"

#include <regex>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace reg::container {

bool ImageName::on_this_machine() const {
  const auto host = registry.substr(0, registry.rfind(':'));
  return host == "localhost" || host == "[::1]" ||
         (host.rfind("127.", 0) == 0 && host.find_first_not_of("0123456789.") == std::string::npos);
}

ImageName check_image(const std::string& text) {
  check_word(text, "an image");
  // docker's rule: the first part is a registry if it looks like a host.
  const std::string like_host = "[^/]*[.:][^/]*/|localhost/";
  const std::string host = "([A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]+)?|\\[[A-Za-z0-9\\[\\]:]*)";
  const std::string part = "[a-z0-9]([a-z0-9._-]*[a-z0-9])?";
  static const std::regex form("(?:(?=" + like_host + ")(" + host + ")/|(?!" + like_host + "))(" + part + "(/" + part +
                               ")*)(:([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(@(sha256:[0-9a-f]{64}))?");
  constexpr int registry = 1, repository = 4, tag = 9, digest = 11;
  constexpr std::size_t longest = 512;  // docker's is 255 without the digest
  std::smatch found;
  if (text.size() > longest || !std::regex_match(text, found, form))
    throw Error(ErrorKind::usage, "not a valid image name: '" + printable(text) + "'",
                "Write REGISTRY/REPOSITORY:TAG or REPOSITORY@sha256:..., with the repository in lower case.");
  ImageName name{found[registry], found[repository], found[tag], found[digest]};
  if (name.tag.empty() && name.digest.empty()) name.tag = "latest";
  if (!name.registry.empty()) return name;
  name.registry = "docker.io";
  if (name.repository.find('/') == std::string::npos) name.repository.insert(0, "library/");
  return name;
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

}  // namespace reg::container
