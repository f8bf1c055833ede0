#include "engine/git/worktree_record.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <map>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::git {

Record read_record(const std::string& file) {
  std::map<std::string, std::string> fields;
  const std::string text = read_file_if_there(file).value_or("");
  for (const std::string_view line : lines(text)) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos) fields.emplace(line.substr(0, blank), line.substr(blank + 1));
  }
  return {fields["commit"],  fields["tree"],          fields["to_commit"],
          fields["to_tree"], fields.contains("open"), fields["output"]};
}

void write_record(const std::string& file, const Record& record) {
  std::string text = "commit " + record.commit + "\ntree " + record.tree + "\n";
  if (!record.to_tree.empty()) text += "to_commit " + record.to_commit + "\nto_tree " + record.to_tree + "\n";
  if (record.open) text += "open yes\n";
  if (!record.output.empty()) text += "output " + record.output + "\n";
  // Not by write_file: against a kill the rename alone is enough, and its fsync would take longer than the switch.
  const std::string beside = file + ".new";
  write_all(open_file(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW).get(), text, beside);
  if (::rename(beside.c_str(), file.c_str()) != 0) throw system_error(file, errno);
}

}  // namespace reg::git
