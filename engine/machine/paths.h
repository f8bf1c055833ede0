#pragma once

#include <string>
#include <vector>

namespace reg::machine {

/// Where the kernel shows the settings that make timings noisy, and takes them. It only names places and reads them.
struct SystemPaths {
  std::string root;  ///< stands for "/": "" on this machine, a folder that looks like it in the tests

  std::string cpu() const { return root + "/sys/devices/system/cpu"; }
  std::string pci() const { return root + "/sys/bus/pci/devices"; }
  std::string latency() const { return root + "/dev/cpu_dma_latency"; }
  std::string control_groups() const { return root + "/sys/fs/cgroup"; }
  std::string own_control_groups() const { return root + "/proc/self/cgroup"; }
  std::string address_layout() const { return root + "/proc/sys/kernel/randomize_va_space"; }
};

/// This one, or the folder that $REGENGINE_SYSFS names in the place of "/".
SystemPaths this_machine();

/// The first line of a file, without blanks around it; "" where it cannot be read.
std::string value_of(const std::string& path);

/// The folders of the processors' frequency policies, in order: each steers one core or several.
std::vector<std::string> frequency_policies(const SystemPaths& machine);

/// The processors of the node that the first NVIDIA GPU is attached to; {} where there is no such GPU.
std::vector<int> cpus_near_gpu(const SystemPaths& machine);

}  // namespace reg::machine
