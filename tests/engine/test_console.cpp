#include <fcntl.h>
#include <poll.h>
#include <pty.h>

#include "engine/terminal/console.h"
#include "tests/support/unit.h"

using namespace reg::terminal;
using std::string;

namespace {

const string kErase = "\r\x1b[2K";

// What can be read within a tenth of a second.
string read_from(int fd) {
  string all;
  char buffer[4096];
  pollfd ready{fd, POLLIN, 0};
  while (poll(&ready, 1, 100) > 0 && (ready.revents & POLLIN) != 0) {
    const auto n = read(fd, buffer, sizeof buffer);
    if (n <= 0) break;
    all.append(buffer, static_cast<std::size_t>(n));
  }
  return all;
}

// A real terminal 40 columns wide, and what appeared on it.
struct Pty {
  Fd master, slave;

  Pty() {
    int m = -1, s = -1;
    winsize size{};
    size.ws_col = 40;
    size.ws_row = 10;
    REQUIRE(openpty(&m, &s, nullptr, nullptr, &size) == 0);
    master = Fd(m);
    slave = Fd(s);
    setenv("TERM", "xterm", 1);
  }

  string seen() const { return read_from(master.get()); }
};

Progress twelve_of_thirty() {
  Progress progress;
  progress.title = "nights";
  progress.done = 12;
  progress.total = 30;
  progress.subject = "2023-08-24";
  progress.note = "mlups 587.9";
  progress.paced_at = 120;
  return progress;
}

// The same of an estimated total, with an answer so far.
Progress about_thirty() {
  Progress progress = twelve_of_thirty();
  progress.unit = "run";
  progress.doing = "testing";
  progress.doing_since = 80;
  progress.best = "-12 % within 5 nights";
  return progress;
}

}  // namespace

TEST_CASE("printing on a terminal removes the status line and redraws it below; an unchanged one is not redrawn") {
  const Pty pty;
  Console console(pty.slave.get(), pty.slave.get());
  REQUIRE(console.has_status_line());
  CHECK(console.width() == 40);
  console.show("bar");
  console.show("bar");
  console.write_out("hello\n");
  console.write_err("warning\n");
  console.hide();
  console.write_out("bye\n");
  CHECK(pty.seen() == kErase + "bar" + kErase + "hello\r\nbar" + kErase + "warning\r\nbar" + kErase + "bye\r\n");
}

TEST_CASE("text on a terminal cannot control it, and messages are broken at words") {
  const Pty pty;
  Console console(pty.slave.get(), pty.slave.get());
  console.write_out("\x1b[2Jgone\n");
  console.write_err("a message that is wider than the forty columns of this terminal\n");
  CHECK(pty.seen() == "\\x1b[2Jgone\r\na message that is wider than the forty\r\ncolumns of this terminal\r\n");
}

TEST_CASE("a colored head is colored on a terminal alone, and not with NO_COLOR") {
  const Pty pty;
  unsetenv("NO_COLOR");
  Console console(pty.slave.get(), pty.slave.get());
  console.write_out("CHANGE\x1b[2J", kYellow, " here\n");
  CHECK(pty.seen() == "\x1b[1;33mCHANGE\\x1b[2J\x1b[0m here\r\n");
  console.show("bar");
  console.write_out("WORSE", kRed, "\n");
  console.hide();
  CHECK(pty.seen() == kErase + "bar" + kErase + "\x1b[1;31mWORSE\x1b[0m\r\nbar" + kErase);
  setenv("NO_COLOR", "1", 1);
  Console plain(pty.slave.get(), pty.slave.get());
  unsetenv("NO_COLOR");
  plain.write_out("BETTER", kGreen, " now\n");
  CHECK(pty.seen() == "BETTER now\r\n");
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const Fd reader(ends[0]), writer(ends[1]);
  Console(writer.get(), pty.slave.get()).write_out("BETTER", kGreen, " now\n");
  CHECK(read_from(reader.get()) == "BETTER now\n");
}

TEST_CASE("progress shows what is done, the last result and the time left") {
  Progress progress = twelve_of_thirty();
  CHECK(progress.log_line(120) == "12/30 2023-08-24 mlups 587.9 (about 3 min left)");
  CHECK(progress.bar(120, 100, false) ==
        "nights ####------ 12/30  2023-08-24  last: mlups 587.9  2 min so far, about 3 min left");
}

TEST_CASE("an estimated total says which run it is, of about how many, and is never used up") {
  Progress progress = about_thirty();
  CHECK(progress.bar(120, 140, false) ==
        "nights ####------ run 13 of about 30  testing 2023-08-24 for 40 s  last: mlups 587.9  -12 % within 5 nights  "
        "2 min so far, about 3 min left");
  CHECK(progress.log_line(120) == "run 12 of about 30: 2023-08-24 mlups 587.9 (about 3 min left)");
  progress.running = 4;
  CHECK(progress.bar(120, 140, false).find("runs 13 to 16 of about 30  testing 2023-08-24 and 3 more") != string::npos);
  progress.running = 1;
  for (const int done : {30, 31, 45}) {
    progress.done = done;
    const string wanted = "nights #########- run " + std::to_string(done + 1) + " of about " + std::to_string(done + 1);
    CHECK(progress.bar(120, 140, false).rfind(wanted, 0) == 0);
    CHECK(progress.log_line(120).rfind("run " + std::to_string(done) + " of about " + std::to_string(done), 0) == 0);
  }
  progress.total = 0;
  CHECK(progress.bar(120, 60, false).rfind("nights run 46  ", 0) == 0);
}

TEST_CASE("where there is less room, what matters less is left out") {
  for (const auto& [width, line] : std::map<std::size_t, string>{
           {120,
            "nights ####------ run 13 of about 30  testing 2023-08-24 for 40 s  -12 % within 5 nights  "
            "2 min so far, about 3 min left"},
           {105,
            "nights run 13 of about 30  2023-08-24 for 40 s  -12 % within 5 nights  2 min so far, about 3 min left"},
           {79, "nights run 13 of about 30  2023-08-24  -12 % within 5 nights  about 3 min left"},
           {60, "nights run 13 of about 30  2023-08-24  about 3 min left"}})
    CHECK(about_thirty().bar(120, width, false) == line);
}

TEST_CASE("the bar never exceeds the terminal, however long the subject") {
  Progress progress = twelve_of_thirty();
  progress.subject = string(200, 's') + "\n\x1b[2J";
  for (const std::size_t width : {10, 40, 61, 200}) CHECK(display_width(progress.bar(5, width, true)) <= width);
  CHECK(progress.log_line(5).find('\n') == string::npos);
}

TEST_CASE("the estimate counts only the work of this run, by what runs now, and is not below a second") {
  Progress progress = twelve_of_thirty();
  progress.done_before = 12;
  CHECK_FALSE(progress.eta(10).has_value());
  progress.done = 14;
  progress.paced_at = 10;
  for (const auto& [now, left] :
       std::map<double, double>{{10, 80}, {13, 77}, {400, 75}})  // 15 come after the one that runs
    CHECK(*progress.eta(now) == Approx(left));
  progress.left = 100;
  progress.left_now = 30;
  progress.left_at = 200;
  for (const auto& [now, left] : std::map<double, double>{{210, 90}, {300, 70}})
    CHECK(*progress.eta(now) == Approx(left));
  for (const auto& [left, words] :
       std::map<double, string>{{0, "1 s"}, {37, "35 s"}, {58, "1 min"}, {230, "4 min"}, {3900, "1 h 05 min"}}) {
    progress.left = left;
    progress.left_now = 0;
    CHECK(progress.log_line(200).ends_with("(about " + words + " left)"));
  }
  progress.done = 30;
  CHECK(progress.log_line(200) == "30/30 2023-08-24 mlups 587.9");
}

TEST_CASE("fit truncates between characters, never inside one") {
  CHECK(fit("ééééé", 3) == "éé…");
  CHECK(fit("日本語", 4) == "日…");
  CHECK(fit("abc", 3) == "abc");
  CHECK(fit("abcd", 3, false) == "ab~");
  CHECK(fit("e\xcc\x81xyz", 3, false) == "e\xcc\x81x~");
  CHECK(fit("\xa0\xa0\xa0", 2, false) == "\xa0~");  // bytes that begin no character
  CHECK(fit("\xa0\xa0", 1, false) == "~");
}

TEST_CASE("text is broken at blanks, and commands stay whole") {
  CHECK(wrapped("one two three", 0) == "one two three");
  CHECK(wrapped("one two three\n\nfour\n", 9) == "one two\nthree\n\nfour\n");
  CHECK(wrapped("  --to  what it is about", 16) == "  --to  what it\n        is about");
  CHECK(wrapped("abcdefghijkl mn", 5) == "abcdefghijkl mn");  // a word that is too long
  CHECK(wrapped("\u00e9\u00e9 \u00e9\u00e9 \u00e9\u00e9", 5) == "\u00e9\u00e9 \u00e9\u00e9\n\u00e9\u00e9");
  CHECK(wrapped("----------", 4) == "----");
  CHECK(wrapped("  Run this to go on: regengine bisect --repo a --good b", 20) ==
        "  Run this to go on:\n  regengine bisect --repo a --good b");
  CHECK(wrapped("regengine: a message is broken", 20) == "regengine: a message\nis broken");
}
