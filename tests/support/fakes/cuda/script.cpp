#include "script.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace fake_cuda {
namespace {

void read_device(std::istringstream& words, Script& s) {
  std::string key, value;
  while (words >> key >> value) {
    if (key == "name") std::replace(value.begin(), value.end(), '_', ' '), s.name = value;
    if (key == "uuid") s.uuid = value;
    if (key == "cc") s.major = std::stoi(value), s.minor = std::stoi(value.substr(value.find('.') + 1));
    if (key == "sms") s.sms = std::stoi(value);
    if (key == "clock_mhz") s.clock_mhz = std::stod(value);
    if (key == "l2") s.l2 = std::stoull(value);
    if (key == "memory") s.memory = std::stoull(value);
  }
}

void read_kernel(std::istringstream& words, Script& s) {
  std::string name, key, value;
  words >> name;
  KernelTimes& k = s.kernels[name];
  words >> k.us;
  while (words >> key >> value) {
    if (key == "noise") k.noise = std::stod(value);
    if (key == "drift") k.drift = std::stod(value);
    if (key == "cold") k.cold_us = std::stod(value);
    if (key == "params") {
      k.has_params = true;
      std::istringstream sizes(value);
      for (std::string size; std::getline(sizes, size, ',');) k.params.push_back(std::stoull(size));
    }
  }
}

}  // namespace

Script read_script() {
  Script s;
  const char* path = std::getenv("REGENGINE_FAKE_CUDA");
  std::ifstream file(path == nullptr ? "" : path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string what, text;
    words >> what;
    if (what == "devices") words >> s.devices;
    if (what == "driver") words >> s.driver;
    if (what == "order") {
      const char* order = std::getenv("CUDA_DEVICE_ORDER");
      s.reversed = order == nullptr || std::string(order) != "PCI_BUS_ID";
    }
    if (what == "device") read_device(words, s);
    if (what == "kernel") read_kernel(words, s);
    if (what == "clock") words >> s.clock_factor;
    if (what == "host_us") words >> s.host_us;
    if (what == "seed") words >> s.seed;
    if (what == "log") words >> s.log;
    if (what == "wait") {
      words >> text;
      s.waiting.insert(text);
    }
    if (what == "throttle") {
      Throttle t{};
      words >> t.from >> t.to >> t.factor;
      s.throttles.push_back(t);
    }
    if (what == "fail") {
      Failure f{0, 1};
      std::string at;
      words >> text >> f.code >> at >> f.at;
      s.failures.emplace(text, f);
    }
  }
  return s;
}

}  // namespace fake_cuda
