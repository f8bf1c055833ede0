#pragma once

#include <string>
#include <string_view>

namespace reg::terminal {

/// The terminal of this process: text goes up the screen, one status line stays below it on stderr, and neither tears
/// the other. Without a terminal on stderr there is no status line. It owns the two file descriptors' last line and
/// nothing else; what the line says is Progress's matter. Not for more than one thread.
class Console {
 public:
  Console(int out, int err);
  ~Console() { hide(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  bool has_status_line() const { return err_has_status_line_; }
  bool out_is_terminal() const { return out_is_terminal_; }
  bool utf8() const { return utf8_; }
  std::size_t width() const;  ///< columns; 80 where it cannot be known

  /// Puts `line` in place of the status line. Does nothing where there is none.
  void show(std::string line);
  void hide();

  /// Text to stdout or stderr, whole lines, above the status line. Control characters are made visible, except on the
  /// way to a stdout that is no terminal.
  void write_out(std::string_view text);
  void write_err(std::string_view text);

 private:
  void write(int fd, bool is_terminal, std::string_view text);

  int out_, err_;
  bool out_is_terminal_, err_has_status_line_, utf8_;
  std::string status_;
};

/// The one of this process, on stdout and stderr.
Console& console();

}  // namespace reg::terminal
