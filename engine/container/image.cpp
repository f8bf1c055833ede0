#include "engine/container/image.h"

#include <algorithm>
#include <cctype>

#include "engine/base/error.h"
#include "engine/base/text.h"

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

}  // namespace reg::container
