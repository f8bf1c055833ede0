#pragma once

#include <string>

namespace reg::store {

/// Throws corrupt if a journal beside the database names another file. SQLite would delete that file when it rolls the
/// journal back. No journal of ours names one.
void check_journal(const std::string& database);

}  // namespace reg::store
