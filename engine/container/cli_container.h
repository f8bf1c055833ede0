#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/container/cli.h"

namespace reg::container {

/// 139 -> 11: the exit code that docker, podman and shells use for a signal; 0 for other codes.
int signal_of(int code);

/// Clears the CPU times and memory peak: they are those of the client, not of the command.
void clear_client_usage(Result& result);

/// A container of docker or podman that idles while `exec` runs commands in it.
class CliContainer : public Container, public std::enable_shared_from_this<CliContainer> {
 public:
  /// `identity`: of what it was started with (guard/effect.h).
  CliContainer(std::shared_ptr<Cli> cli, std::string name, std::string image, std::string identity)
      : cli_(std::move(cli)), image_(std::move(image)), identity_(std::move(identity)) {
    kept_->name = std::move(name);
  }
  ~CliContainer() override { close(); }

  const std::string& id() const override { return kept_->id; }
  const std::string& name() const override { return kept_->name; }
  Op<Result> exec(Exec command) override;
  Op<Nothing> restart() override;
  void close() override;

  /// `usage`: with Spec::usage, where the program is that measures.
  void begin(std::shared_ptr<Cli::Kept> kept, std::string image_digest, std::optional<Mount> usage);
  void pretend() { dry_ = true; }

 private:
  std::shared_ptr<Cli> cli_;
  std::shared_ptr<Cli::Kept> kept_ = std::make_shared<Cli::Kept>();
  std::string image_;
  std::string identity_;
  std::string image_digest_;
  std::optional<Mount> usage_;
  bool dry_ = false;
  bool there_ = false;
};

}  // namespace reg::container
