#pragma once

#include <string>
#include <string_view>

namespace reg::terminal {

enum class Color { red, green, yellow };

/// The sequence that begins bold text in this color, and the one that ends it.
std::string_view begin(Color color);
inline constexpr std::string_view kPlain = "\x1b[0m";

/// The terminal of this process: text scrolls up, and one status line on stderr stays below it. Without a terminal on
/// stderr the status line is left out. Progress makes the text of that line. Once stderr takes nothing more, its reader
/// is gone and what is meant for it is dropped: work goes on. A stdout that fails throws. Not thread-safe.
class Console {
 public:
  Console(int out, int err);
  ~Console() { hide(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  bool has_status_line() const { return err_has_status_line_; }
  bool out_is_terminal() const { return out_is_terminal_; }
  bool utf8() const { return utf8_; }
  bool colored() const { return colored_; }  ///< stdout is a terminal that obeys escapes, and NO_COLOR is not set
  std::size_t width() const;                 ///< columns; 80 if unknown

  /// Sets the status line. Does nothing if there is none.
  void show(std::string line);
  void hide();

  /// Writes whole lines to stdout or stderr, above the status line. Escapes control characters, except for a stdout
  /// that is not a terminal.
  void write_out(std::string_view text);
  /// The same with `head` in bold and this color, on a terminal unless NO_COLOR is set.
  void write_out(std::string_view head, Color color, std::string_view rest);
  /// Breaks lines at the terminal's width, too.
  void write_err(std::string_view text);

  /// Nobody reads stdout any more, as behind `| head`.
  bool lost_reader() const { return lost_reader_; }

 private:
  void write(int fd, bool is_terminal, std::string_view text);
  void write_clean(int fd, bool is_terminal, const std::string& text);
  void write_to_err(const std::string& bytes);

  int out_, err_;
  bool out_is_terminal_, err_has_status_line_, utf8_, colored_;
  bool err_failed_ = false, lost_reader_ = false;
  std::string status_;
};

/// The console of this process, on stdout and stderr.
Console& console();

}  // namespace reg::terminal
