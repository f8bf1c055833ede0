-- Scripts that go beyond what is permitted: other programs, variables, files, answers (attacks_outside.lua).

local test = require "harness"
local outside = require "attacks_outside"

local attack = outside.attack

local function run(command, more) return ("reg.process.run { cmd = { %s }, %s }"):format(command, more or "") end

-- --- a program of a permitted name is not any program of that name
for what, one in pairs {
  ["the workspace's program behind a detour"] = { "true", [["sub/../true"]], "process=./true" },
  ["the same through the folder above"] = { "true", [["../ws/true"]], "process=./true" },
  ["a link to a shell with a permitted name"] = { "true", [["./yes"]], "process=./yes", "ln -s /bin/sh yes" },
  ["a program with another case"] = { "true", [["TRUE"]], "process=TRUE" },
  ["a program with a space behind it"] = { "true", [["true "]], "process=true " },
  ["a program with a line break behind it"] = { "true", [["true\n"]], [[process=true\n]] },
  ["a program with a name that begins alike"] = { "true", [["true2"]], "process=true2" },
  ["a program in a folder of a permitted name"] = { "true", [["true.d/evil"]], "process=./true.d/evil" },
  ["a program in PATH where one here is permitted"] = { "./touch", [["touch", "REACHED"]], "process=touch" },
  ["a program below where one here is permitted"] = { "./evil", [["sub/evil"]], "process=./sub/evil" },
  ["a program outside where all here are permitted"] = { "./*", [["/bin/touch", "REACHED"]], "process=touch" },
  ["a program outside through .."] = { "./*", [["../outside/evil"]], "process=/" },
  ["a program outside through a link"] = { "./evil", [["linked/evil"]], "process=./linked/evil" },
  ["a variable's permission for a program"] = { "evil=", [["./evil"]], "process=./evil" },
  ["a permission of another kind"] = { "touch", [["sh", "-c", "touch REACHED"]], "process=sh" },
  ["a shell by env"] = { "true", [["env", "sh", "-c", "touch REACHED"]], "process=env" },
  ["the dynamic linker"] = { "true", [["/lib64/ld-linux-x86-64.so.2", "./evil"]], "process=" },
  ["this engine by /proc"] = { "true", [["/proc/self/exe", "--trust", "found.lua"]], "process=/" },
  ["regengine by its name"] = { "true", [["regengine", "--trust", "found.lua"]], "process=regengine" },
} do
  attack(what, "process=" .. one[1], run(one[2]), "not permitted: " .. one[3], one[4])
end

-- --- variables: one that makes programs load others is not permitted by any program
for _, name in ipairs { "LD_LIBRARY_PATH", "LD_AUDIT", "LD_DEBUG_OUTPUT", "PYTHONPATH", "PYTHONSTARTUP", "PERL5LIB",
  "PERL5OPT", "BASH_ENV", "ENV", "SHELL", "SHELLOPTS", "IFS", "NODE_OPTIONS", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS",
  "GIT_SSH", "GIT_CONFIG_GLOBAL", "GIT_EXTERNAL_DIFF", "MAKEFLAGS", "GCONV_PATH", "HOME", "XDG_CONFIG_HOME", "DOCKER_HOST",
  "DOCKER_CONFIG", "CONTAINER_HOST", "LESSOPEN", "EDITOR", "PAGER", "BASH_FUNC_true%%", "NVTX_INJECTION64_PATH" } do
  attack("the variable " .. name .. ", where a shell is permitted", "process=sh process=true",
    ([[reg.process.run { cmd = { "true" }, env = { [%q] = "./evil" } }]]):format(name), "not permitted: process=" .. name .. "=")
end
for what, code in pairs {
  ["a traced command"] = [[reg.trace.run { cmd = { "true" }, env = { FAST = "1" } }]],
  ["the local runtime"] = [[reg.container.run { runtime = "local", cmd = { "true" }, env = { FAST = "1" } }]],
  ["a local container that stays"] = [[local box <close> = reg.container.start { runtime = "local" }
    box:exec { cmd = { "true" }, env = { FAST = "1" } }]],
  ["the machine's settings"] = [[local q <close> = reg.machine.tune { env = { FAST = "1" } }
    reg.process.run { cmd = { "true" } }]],
} do
  attack("a variable of " .. what, "process=true machine=* container=*", code, "not permitted: process=FAST=")
end

-- --- every function that reads a path
for name, code in pairs {
  ["fs.read"] = "reg.fs.read(%q)", ["fs.list"] = "reg.fs.list(%q)", ["fs.exists"] = "reg.fs.exists(%q)",
  ["fs.absolute"] = "reg.fs.absolute(%q)", ["suite.load"] = "reg.suite.load(%q)",
  ["nsys.kernels"] = "reg.nsys.kernels(%q)", ["trace.read"] = "reg.trace.read(%q)",
  ["hlo.read"] = "reg.hlo.read(%q)", ["jit.read"] = "reg.jit.read(%q)",
  ["results.runs"] = "reg.results.runs { files = { %q } }", ["results.analyze"] = "reg.results.analyze { files = { %q } }",
  ["results.processes"] = "reg.results.processes { files = { %q } }",
  ["results.import"] = "reg.results.import { files = { %q }, into = 'x.db' }",
  ["store.import"] = "local s <close> = reg.store.open 'x.db' s:import(%q)",
  ["verify"] = "reg.verify { reference = %q, result = 'x.npy' }",
  ["a test command"] = "reg.test_command(%q, { runtime = 'local' })",
  ["ab's files"] = "reg.ab('true', 'true', { files = { %q } })",
} do
  for _, path in ipairs { "../outside/secret.txt", "link", "linked/secret.txt", ".ssh/id" } do
    attack(("%s of %s"):format(name, path), "process=sh container=* git=*", code:format(path), "not permitted: files=",
      "mkdir -p .ssh && echo " .. outside.SECRET .. " > .ssh/id")
  end
end

-- --- every function that writes one
for name, code in pairs {
  ["fs.write"] = "reg.fs.write(%q, 'x')", ["fs.append"] = "reg.fs.append(%q, 'x')", ["fs.mkdir"] = "reg.fs.mkdir(%q)",
  ["fs.remove"] = "reg.fs.remove(%q)", ["report.csv"] = "reg.report.csv({ { a = 1 } }, %q)",
  ["stdout of a command"] = "reg.process.run { cmd = { 'true' }, out = %q }",
  ["stderr of a command"] = "reg.process.run { cmd = { 'true' }, err = %q }",
  ["store.open"] = "reg.store.open(%q)",
  ["store.export"] = "local s <close> = reg.store.open 'x.db' s:export(%q)",
  ["results.export"] = "reg.store.open 'x.db':close() reg.results.export { store = 'x.db', to = %q }",
  ["the folder of a trace"] = "reg.trace.run { cmd = { 'true' }, folder = %q }",
  ["output of a local container"] = "reg.container.run { runtime = 'local', cmd = { 'true' }, out = %q }",
  ["a clone"] = "reg.git.clone(reg.fs.absolute 'repo', %q)",
} do
  for _, path in ipairs { "../outside/new", "linked/new", "dangling", ".ssh/new" } do
    attack(("%s to %s"):format(name, path), "files=* process=true container=* git=*", code:format(path),
      "not permitted: files=", "mkdir -p .ssh")
  end
end

-- --- a pattern of files is not more than it says
for path, prepare in pairs { ["outer"] = "true", ["out.txt"] = "true", ["sub/out/x"] = "true",
  ["out/.git/x"] = "mkdir -p out/.git", ["out/.hidden"] = "true", ["out/../x"] = "mkdir out",
  ["out/deep/../../x"] = "mkdir -p out/deep", ["./found.lua"] = "true",
  ["out/l/new"] = "mkdir out && ln -s ../../outside out/l", ["out/new"] = "ln -s ../outside out" } do
  attack("writing " .. path .. " where out/* is permitted", "files=out/*", ("reg.fs.write(%q, 'x')"):format(path),
    "not permitted: files=", prepare)
end
attack("writing what may be read", "files=/*:ro", [[reg.fs.write("../outside/new", "x")]], "not permitted: files=/")
attack("removing what may be read", "files=/*:ro", [[reg.fs.remove "../outside/secret.txt"]], "not permitted: files=/")

-- --- containers by each function; refused before a container engine is asked
for name, code in pairs {
  start = "reg.container.start { image = %q, ", pull = "reg.container.pull(%q, {", exists = "reg.container.exists(%q, {",
  inspect = "reg.container.inspect(%q, {", discard = "reg.container.discard(%q, {", commits = "reg.container.commits(%q, {",
} do
  code = code .. " runtime = 'docker' }" .. (name == "start" and "" or ")")
  attack("container." .. name .. " of an option", "container=*", code:format "--privileged", "begins with '-'")
  attack("container." .. name .. " of an option behind a space", "container=*", code:format "busybox --privileged",
    "not a valid image name")
end
for _, image in ipairs { "busybox.evil", "evil/busybox", "docker.io/evil/busybox" } do
  attack("the image " .. image .. " where busybox is permitted", "container=busybox",
    ("reg.container.run { runtime = 'docker', image = %q, cmd = { 'true' } }"):format(image), "not permitted: container=" .. image)
end

-- --- an answer holds for exactly what it was given for: each begins with one that is kept, as after "yes"
local RUN = [[reg.needs { process = "touch" } reg.process.run { cmd = { "touch", "sub/reached" } }]]
local function kept(changes)
  local answer = test.merged({ path = "$PWD/found.lua", workspace = "$PWD", options = "[]", modules = "[]",
    text = "$(sha256sum < found.lua | cut -c1-64)", permits = '{"process":["touch"]}' }, changes)
  local line = ('{"path":"%s","sha256":"%s","workspace":"%s","options":%s,"modules":%s,"permits":%s}')
    :format(answer.path, answer.text, answer.workspace, answer.options, answer.modules, answer.permits)
  return "(umask 077; mkdir -p ../nobody/regengine; cat > ../nobody/regengine/trusted <<END\n" .. line .. "\nEND\n)\n"
end
attack("a kept answer for the same thing", "", RUN, nil, kept())
attack("a kept answer by ./", "", RUN, nil, kept(), " ./found.lua")
local REFUSED = "Pass --allow process=touch before the script name"
for what, changes in pairs { ["another folder"] = { workspace = "$PWD/sub" }, ["a folder above"] = { workspace = "/" },
  ["another script"] = { path = "$PWD/other.lua" }, ["another text"] = { text = ("0"):rep(64) },
  ["an option"] = { options = '["a"]' }, ["another permission"] = { permits = '{"container":["touch"]}' },
  ["a variable of that name"] = { permits = '{"process":["touch="]}' }, ["no permission"] = { permits = "{}" },
  ["broken permissions"] = { permits = '["touch"]' }, ["another file of that name"] = { path = "found.lua" } } do
  attack("a kept answer for " .. what, "", RUN, REFUSED, kept(changes))
end
attack("a kept answer, with another option", "", RUN, REFUSED, kept(), " found.lua a")
attack("a kept answer for two options, given as one", "", RUN, REFUSED, kept { options = '["a","b"]' }, " found.lua 'a b'")
attack("a kept answer, by standard input", "", RUN, REFUSED, kept(), " - < found.lua")
attack("a kept answer, by a hard link", "", RUN, REFUSED, kept() .. "ln found.lua other.lua", " other.lua")
attack("a kept answer, by a copy", "", RUN, REFUSED, kept() .. "cp found.lua other.lua", " other.lua")
local PAGE = kept { path = "$PWD/page.md" } ..
  "printf '# a\n```lua\n%s\n```\n```lua\n%s \n```\n' \"$(cat found.lua)\" \"$(cat found.lua)\" > page.md"
attack("a kept answer, by another block of a page", "", RUN, REFUSED, PAGE, " --block 2 page.md")
local MODULE = "require 'm' " .. RUN
attack("a kept answer, with a module that came later", "", MODULE, REFUSED, kept() .. "echo 'return 1' > m.lua")
attack("a kept answer, with a module of another text", "", MODULE, REFUSED,
  kept { modules = '["./m.lua ' .. ("0"):rep(64) .. '"]' } .. "echo 'return 1' > m.lua")
attack("a kept answer, with another module of the same text", "", MODULE, REFUSED,
  "echo 'return 1' > m.lua\n" .. kept { modules = '["./n.lua $(sha256sum < m.lua | cut -c1-64)"]' })
attack("a kept answer for a script with its module", "", MODULE, nil,
  "echo 'return 1' > m.lua\n" .. kept { modules = '["./m.lua $(sha256sum < m.lua | cut -c1-64)"]' })
attack("a module that comes after what is permitted", "", RUN .. " require 'm' " .. RUN,
  "it loaded ./m.lua after you had permitted", kept() .. "echo 'return 1' > m.lua")
attack("a kept answer that others can write", "", RUN, "must be owned by you and writable only by you",
  kept() .. "chmod 666 ../nobody/regengine/trusted")
attack("a kept answer that declares more this time", "", [[reg.needs { process = "*" }
  reg.process.run { cmd = { "touch", "sub/reached" } } reg.process.run { shell = "touch REACHED" }]],
  "it was declared after you had been asked", kept())
for _, path in ipairs { "trusted", "trusted.lock", "new" } do
  attack("the trust store's " .. path .. ", where everything may be written", "files=*",
    ([[reg.fs.append("../nobody/regengine/%s", "x")]]):format(path), "what you trust is kept there", kept())
end

-- --- what a pattern must not look like
for what, pattern in pairs { ["a line break"] = [["true\n  - nothing else"]], ["an escape"] = [["\27[8msh"]],
  ["a bell"] = [["sh\7"]], ["a carriage return"] = [["sh\rtrue"]], ["a NUL byte"] = [["sh\0"]], ["a delete"] = [["sh\127"]],
  ["5000 characters"] = [[("s"):rep(5000)]], ["nothing"] = [[""]], ["a table"] = [[{ {} }]] } do
  attack("a pattern with " .. what, "", ("reg.needs { process = %s }"):format(pattern), "")
end

outside.run()
return test.finish()
