#include "engine/page/html.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"

namespace reg::page {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_left_out(char32_t c) {
  const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0);
  return control || turns_direction(c);
}

std::string_view entity(char32_t c) {
  static constexpr std::pair<char32_t, std::string_view> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  for (const auto& [character, name] : kEntities)
    if (character == c) return name;
  return {};
}

std::string source_hash(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> base64{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw Error(ErrorKind::internal, "cannot compute a SHA-256 hash");
  const int length = EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(size));
  return "'sha256-" + std::string(base64.begin(), base64.begin() + length) + "'";
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const Character c = character_at(text);
    if (c.size == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    if (const std::string_view name = entity(c.code); !name.empty())
      out += name;
    else if (!is_left_out(c.code))
      out += text.substr(0, c.size);
    text.remove_prefix(c.size);
  }
  return out;
}

std::string render_page(const Page& page) {
  const std::string policy = fmt::format(
      "default-src 'none'; style-src {}; script-src {} {}; img-src data:; base-uri 'none'; form-action 'none'",
      source_hash(page.style), source_hash(page.library), source_hash(page.script));
  const std::string refresh =
      page.refresh_s > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", page.refresh_s) : "";
  return fmt::format(R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="regengine {}">
<meta name="referrer" content="no-referrer">
{}<link rel="icon" href="data:,">
<title>{}</title>
<style>{}</style>
</head>
<body>
{}
<script type="application/json" id="data">{}</script>
<script>{}</script>
<script>{}</script>
</body>
</html>
)",
                     escape_html(policy), escape_html(version()), refresh, escape_html(page.title), page.style,
                     page.body, page.data_json, page.library, page.script);
}

}  // namespace reg::page
