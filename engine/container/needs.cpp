#include "engine/container/needs.h"

#include "engine/container/image.h"

namespace reg::container {
namespace {

void add_output(std::vector<Need>& needs, const Exec& command) {
  for (const std::string& file : {command.out_file, command.err_file})
    if (!file.empty()) needs.push_back(writes(file));
}

// What only the user's command line permits: rights over this machine.
Need of_user(const std::string& name) { return {EffectKind::container, {name}, true, false, true, true}; }

}  // namespace

Need need_of_image(const std::string& image) {
  const ImageName name = check_image(image);
  const std::string bare = name.registry + "/" + name.repository;
  std::vector<std::string> names{image, image.substr(0, image.find('@'))};
  if (!name.tag.empty() && names.back().ends_with(":" + name.tag))
    names.push_back(names.back().substr(0, names.back().size() - name.tag.size() - 1));
  // Only docker.io's names have a short form here: where podman looks for a name without a registry depends on its
  // configuration.
  if (image.starts_with(name.registry + "/") || name.registry != "docker.io") return {EffectKind::container, names};
  names.push_back(bare + (name.digest.empty() ? ":" + name.tag : "@" + name.digest));
  names.push_back(bare);
  return {EffectKind::container, names};
}

Need need_of_tags(const std::string& pattern) {
  const auto [repository, tags] = split_tags(pattern);
  const ImageName name = check_image(repository);
  const std::string full = name.registry + "/" + name.repository;
  return {EffectKind::container, {pattern, repository, full + ":" + tags, full}};
}

std::vector<Need> needs_of(const Spec& spec) {
  std::vector<Need> needs{need_of_image(spec.image)};
  for (const Mount& mount : spec.mounts) {
    Need need = uses(mount.host);
    need.changes = !mount.read_only;
    needs.push_back(need);
  }
  if (spec.network == "host") needs.push_back({EffectKind::container, {"network=host"}, true, false, true});
  if (spec.ipc == "host") needs.push_back(of_user("ipc=host"));
  for (const std::string& device : spec.devices) needs.push_back(of_user("device=" + device));
  for (const std::string& capability : spec.cap_add) needs.push_back(of_user("cap-add=" + capability));
  add_output(needs, spec);
  return needs;
}

std::vector<Need> needs_of(const Exec& command, const std::string& image) {
  std::vector<Need> needs{need_of_image(image)};
  add_output(needs, command);
  return needs;
}

}  // namespace reg::container
