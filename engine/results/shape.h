#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/results/texts.h"

namespace reg::results {

/// A record's shape (record.h), and what stands where in it.
class Shape {
 public:
  /// A value in the shape's text, and which number and which word of the record is its first.
  struct Part {
    std::string name;
    std::string_view text;
    std::size_t number = 0, word = 0;
    std::size_t numbers = 0;  ///< how many
  };

  explicit Shape(const std::string& text);  ///< which must outlive this

  const std::vector<Part>& fields() const { return fields_; }
  const std::vector<Part>& metrics() const { return metrics_; }
  const Part* field(std::string_view name) const { return find(fields_, name); }
  const Part* metric(std::string_view name) const { return find(metrics_, name); }

  /// I or F for each number, in order.
  const std::string& kinds() const { return kinds_; }
  std::size_t words() const { return words_; }  ///< how many

  /// Which numbers are the elements of a list, or a lone number; those that are none are left out.
  static std::vector<std::size_t> numbers_of(const Part& part);
  /// The elements of a list; they have no names.
  static std::vector<Part> elements(const Part& list) { return parts_of(list.text, list.number, list.word); }

 private:
  static std::vector<Part> parts_of(std::string_view json, std::size_t number, std::size_t word);
  static const Part* find(const std::vector<Part>& parts, std::string_view name);

  std::vector<Part> fields_, metrics_;
  std::string kinds_;
  std::size_t words_ = 0;
};

/// The shapes among texts, each looked at once.
class Shapes {
 public:
  explicit Shapes(const Texts& texts) : texts_(texts) {}

  const Shape& operator[](std::uint32_t id) {
    if (shapes_.size() <= id) shapes_.resize(id + 1);
    if (!shapes_[id]) shapes_[id] = std::make_unique<Shape>(texts_[id]);
    return *shapes_[id];
  }

 private:
  const Texts& texts_;
  std::vector<std::unique_ptr<Shape>> shapes_;
};

/// What a record's parts are put together from again.
struct Pieces {
  std::string_view model, experiment;
  std::vector<std::string_view> numbers;
  std::vector<std::string_view> words;  ///< with their quotes
};

/// The words of a record, one by one.
std::vector<std::string_view> words_in(std::string_view words);

/// The JSON text of a part of the shape, from its numbers and words, with no blanks between tokens; of the whole shape
/// that is the record.
std::string filled(std::string_view text, std::size_t number, std::size_t word, const Pieces& pieces);

/// With a blank behind each comma and colon, as Python writes JSON.
std::string spaced(std::string_view json);

/// A record's time. Some writers put it into a string.
std::optional<double> timestamp_of(const Shape& shape, const std::vector<std::string_view>& numbers,
                                   std::string_view words);

}  // namespace reg::results
