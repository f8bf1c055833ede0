#include <random>

#include "engine/page/html.h"
#include "tests/support/catch.h"

using namespace reg::page;
using std::string;

// Escaping of untrusted text for a page.

TEST_CASE("escaped text shows as the same text") {
  CHECK(escape_html("a < b && \"c\" > 'd'") == "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
  CHECK(escape_html("</script><img src=x onerror=alert(1)>") == "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;");
  CHECK(escape_html("one\ttwo\nthree") == "one\ttwo\nthree");
  CHECK(escape_html("caf\u00e9 \u65e5\u672c \U0001F680") == "caf\u00e9 \u65e5\u672c \U0001F680");
}

TEST_CASE("each invalid UTF-8 byte becomes a replacement character") {
  const string bad = "\uFFFD";
  CHECK(escape_html("a\xff"
                    "b") == "a" + bad + "b");
  CHECK(escape_html("\xc0\xbc") == bad + bad);  // an overlong '<'
  CHECK(escape_html("\xe0\x80\xbc") == bad + bad + bad);
  CHECK(escape_html("\xed\xa0\x80") == bad + bad + bad);            // half of a surrogate pair
  CHECK(escape_html("\xf4\x90\x80\x80") == bad + bad + bad + bad);  // beyond U+10FFFF
  CHECK(escape_html("\xe2\x82") == bad + bad);                      // truncated
  CHECK(escape_html("\xe2<b>") == bad + "&lt;b&gt;");               // a malformed character hides nothing after it
}

TEST_CASE("control characters and bidirectional controls are removed") {
  CHECK(escape_html(string("a\0b\x1b[31mc\x7f"
                           "d\x08",
                           13)) == "ab[31mcd");
  CHECK(escape_html("rev \u202Egpj.exe\u202C\u2066\u200F") == "rev gpj.exe");
  CHECK(escape_html("\u0085\u009b") == "");
}

TEST_CASE("a page lets only its own style and scripts run") {
  Page page;
  page.title = "<b>\"title\"</b>";
  page.body = "<p>body</p>";
  page.data_json = R"(["data"])";
  page.style = "body{}";
  page.library = "var a = 1;";
  page.script = "";
  const string html = render_page(page);
  CHECK(html.find("<title>&lt;b&gt;&quot;title&quot;&lt;/b&gt;</title>") != string::npos);
  CHECK(html.find("<p>body</p>") != string::npos);
  CHECK(html.find(R"(id="data">["data"]</script>)") != string::npos);
  CHECK(html.find("default-src &#39;none&#39;") != string::npos);
  // `printf 'body{}' | openssl dgst -sha256 -binary | base64`, and of the empty text.
  CHECK(html.find("sha256-fJgEClQWV1hGkK4qHMO0KotTsVnMYMXTq7/suurGyUo=&#39;") != string::npos);
  CHECK(html.find("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=&#39;") != string::npos);
  CHECK(html.find("unsafe") == string::npos);
}

TEST_CASE("for any bytes, the output has no tag, no escape and no malformed character") {
  std::mt19937 random(20240301);
  // Bytes with a special meaning are frequent.
  const string pieces = string("<>&\"'\x1b[]0;mK\\\a\b\r\n\t\xc0\xe2\x80\xa8\xae\xed\xf4\xff\x7f") + string(1, '\0');
  string broken;
  for (int round = 0; round < 20000 && broken.empty(); ++round) {
    string text;
    for (std::size_t size = random() % 24; size > 0; --size)
      text += random() % 2 == 0 ? pieces[random() % pieces.size()] : static_cast<char>(random() % 256);
    const string html = escape_html(text);
    const bool safe = html.find_first_of("<>\"'\x1b\x7f") == string::npos;
    // Valid UTF-8 is unchanged by a second pass, except for its ampersands.
    string again = escape_html(html);
    for (std::size_t at = 0; (at = again.find("&amp;", at)) != string::npos; ++at) again.replace(at, 5, "&");
    if (!safe || again != html) broken = text;
  }
  CHECK(broken.empty());
}
