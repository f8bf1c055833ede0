#include <fcntl.h>

#include "engine/guard/policy.h"
#include "tests/support/unit.h"

TEST_CASE("text: the width in terminal columns, and escaped control characters") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xc3\xa9") == 1);                  // é
  CHECK(display_width("e\xcc\x81") == 1);                 // e and a combining accent
  CHECK(display_width("\xe6\x97\xa5\xe6\x9c\xac") == 4);  // two wide characters
  CHECK(display_width("\xff") == 1);
  CHECK(printable("a\tb\n") == "a\tb\n");
  CHECK(printable("\x1b[31mred\r\x07") == "\\x1b[31mred\\x0d\\x07");
  CHECK(printable("\xc2\x9b 2J\x9b 2J\x7f") == "\\x9b 2J\\x9b 2J\\x7f");
  CHECK(printable("exe.\u202egpj\u2066\u200f") == "exe.\\u{202e}gpj\\u{2066}\\u{200f}");
  CHECK(printable("caf\xc3\xa9 \xff") == "caf\xc3\xa9 \xff");
  // A malformed character hides nothing after it.
  CHECK(printable("\xe2\x1b[2J\xf0\x9f\x07") == "\xe2\\x1b[2J\xf0\\x9f\\x07");
}

TEST_CASE("file: a file is written completely or not at all") {
  const TempFolder folder;
  const std::string path = folder / "file";
  write_file(path, std::string("a\0b", 3));
  CHECK(read_file(path) == std::string("a\0b", 3));
  write_file(path, "new");
  append_file(path, "er");
  CHECK(read_file(path) == "newer");
  CHECK(kind_of([&] { write_file(folder / "missing/file", "text"); }) == ErrorKind::not_found);
  CHECK_THROWS_WITH(write_file(folder / "missing/file", "text"), "no such folder: " + (folder / "missing"));
  make_folders(folder / "target");
  CHECK_THROWS_AS(write_file(folder / "target", "text"), Error);
  // No half-written file beside them.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("file: who is killed while it is written leaves nothing") {
  const TempFolder folder;
  const bool needs_name = !Fd(::open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600));  // older overlays
  write_file(folder / "file", "old");
  {
    NewFile file(folder / "file");
    file.write("new");
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == (needs_name ? 2 : 1));
    CHECK(read_file(folder / "file") == "old");
  }
  CHECK(read_file(folder / "file") == "old");
  NewFile file(folder / "file");
  file.write("new");
  file.finish();
  CHECK(read_file(folder / "file") == "new");
}

TEST_CASE("shortage: words near the end of an output, in any case, but not those of a socket") {
  CHECK(shortage_in("ld: final link failed: No space left on device\nmake: *** [a.out] Error 1\n") ==
        "ld: final link failed: No space left on device");
  CHECK(shortage_in("  vfork: Resource temporarily unavailable") == "vfork: Resource temporarily unavailable");
  CHECK(shortage_in("docker: write /var/lib/docker/tmp: no space left on device.") != "");
  CHECK(shortage_in("accept: Too many open files") != "");
  CHECK(shortage_in("recv: Resource temporarily unavailable").empty());
  CHECK(shortage_in("").empty());
  std::string long_ago = "mmap: Cannot allocate memory\n";
  for (int i = 0; i < 30; ++i) long_ago += "all is well\n";
  CHECK(shortage_in(long_ago).empty());
  // A file system with room, one without any blocks, and none.
  const TempFolder folder;
  for (const std::string& path : {folder.path(), std::string("/proc"), folder / "nothing"})
    CHECK(shortage_at(path).empty());
}

TEST_CASE("ids: this engine is alive, a later process with its pid is another one") {
  CHECK(engine_alive(engine_id()));
  const std::string& id = engine_id();
  CHECK_FALSE(engine_alive(id + "1"));
  CHECK_FALSE(engine_alive("0" + id));
  CHECK_FALSE(engine_alive(""));
  CHECK_FALSE(engine_alive("a-b-c-d"));

  // One of a namespace that ended is dead for whoever would see its processes.
  const auto part = split(id, '-');
  const std::string boot(part[0]);
  CHECK(engine_alive(boot + "-1-1-1") == (part[1] != "4026531836"));
  CHECK_FALSE(engine_alive(boot + "-1-1"));
}
