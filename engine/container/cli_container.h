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
      : cli_(std::move(cli)), name_(std::move(name)), image_(std::move(image)), identity_(std::move(identity)) {}
  ~CliContainer() override { close(); }

  const std::string& id() const override { return id_; }
  const std::string& name() const override { return name_; }
  Op<Result> exec(Exec command) override;
  Op<Nothing> restart() override;
  void close() override;

  void begin(std::string id, std::string image_digest, int pid, const Spec& started);
  void pretend() { dry_ = true; }

 private:
  Op<Nothing> end_inside(std::string mark);
  Op<Nothing> restart_now();

  std::shared_ptr<Cli> cli_;
  std::string name_;
  std::string image_;
  std::string identity_;
  std::string id_;
  std::string image_digest_;
  int pid_ = 0;
  std::map<std::string, std::string> mounts_;  // by the path inside
  std::optional<Mount> usage_;                 // with Spec::usage
  bool dry_ = false;
  bool there_ = false;
};

}  // namespace reg::container
