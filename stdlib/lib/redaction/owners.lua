-- Finds users in what programs print about files, processes, jobs and accounts: ls -l, ps, squeue, id, prompts.

local set = require("lib/redaction/words").set

-- Groups of the system, not users.
local GROUPS = set [[
  adm cdrom sudo plugdev lpadmin lxd sambashare wheel staff users video render audio input kvm docker dialout floppy
  netdev bluetooth scanner games tty disk kmem shadow utmp ssh crontab]]

local NAME = "()([%l_][%w._-]*)()"
local MODE = "[-dlcbps][-r][-w][-xsS][-r][-w][-xsS][-r][-w][-xtT][.+@]? +%d+ " .. NAME .. " +()"
-- Lines, each with what the text must have.
local LINES = {
  { near = "sudo: ", "sudo: +" .. NAME .. " : TTY" },
  { near = " pts/", "\n" .. NAME .. " +%d+ +%d+%.%d +%d+%.%d +%d+ +%d+ " },  -- ps aux
  { near = " ?   ", "\n" .. NAME .. " +%d+ +%d+%.%d +%d+%.%d +%d+ +%d+ " },
  { near = "]$ ", "\n%[" .. NAME .. "@[%w.-]+ [^%]\n]+%]%$ " },
  { near = "ser", "\n[%a \t-]*%f[%a][Uu]ser ?:[ \t]+" .. NAME .. "[ \t]*%f[\r\n%z]" },
  { near = "owner", "\n[%a \t-]*%f[%a]owner ?[:=][ \t]*" .. NAME .. "[ \t]*%f[\r\n%z]" },
  { near = " User ", "\n[ \t]+User " .. NAME .. "[ \t]*%f[\r\n%z]" },  -- ~/.ssh/config
}

local function find_lines(scan, add)
  local text
  for _, row in ipairs(LINES) do
    local at = scan.text:find(row.near, 1, true) and 1
    while at do
      text = text or "\n" .. scan.text
      local from, name, stop = text:match(row[1], at)
      if from then add(from - 1, stop - 2, name) end
      at = stop
    end
  end
end

-- -rw-r--r-- 1 ann lab 4096 Mar 1 x.log
local function find_files(scan, add)
  local at = scan.text:find("rw", 1, true) and 1
  while at do
    local from, owner, stop, past = scan.text:match(MODE, at)
    if not from then return end
    add(from, stop - 1, owner)
    local group_from, group, over = scan.text:match("^" .. NAME .. " +%d", past)
    if group then add(group_from, over - 1, group) end
    at = past
  end
end

-- groups=1000(ann),27(sudo)
local function find_groups(scan, add)
  for _, to in scan:each "groups=" do
    local list = scan.text:match("^[%w_(),.-]+", to + 1) or ""
    for at, name, stop in list:gmatch("%d%(" .. NAME .. "%)") do add(to + at, to + stop - 1, name) end
  end
end

-- chown ann:lab x
local function find_owned(scan, add)
  for _, to in scan:each "chown " do
    local at, name, stop = scan.text:match("^%-?%a* ?" .. NAME .. "[: ]", to + 1)
    if at then add(at, stop - 1, name) end
    local from, group, over = scan.text:match("^:" .. NAME, stop or #scan.text + 1)
    if from then add(from, over - 1, group) end
  end
end

-- squeue -u ann
local function find_option(scan, add)
  for _, command in ipairs { "squeue", "sacct", "scancel", "pkill", "pgrep", "crontab", "sprio", "sshare" } do
    for _, to in scan:each(command) do
      local at, name, stop = scan.text:match("^[^\n|;]- %-u ?" .. NAME, to + 1)
      if at then add(at, stop - 1, name) end
    end
  end
end

local MOST = 200  -- rows of a table

-- The column below USER: JOBID PARTITION NAME USER ST
local function find_column(scan, add)
  for from in scan.text:gmatch "%f[%u]()USER%f[%U]" do
    local stop = scan:line_end(from)
    local head = scan.text:sub(scan:line_start(from), stop)
    local column = select(2, scan.text:sub(scan:line_start(from), from - 1):gsub("%S+", "")) + 1
    for _ = 1, head:find "^[%s%u%d()_:,/%%@+#-]+$" and column > 1 and MOST or 0 do
      local start = stop + 2
      stop = scan:line_end(start)
      local count = 0
      for at, word in scan.text:sub(start, stop):gmatch "()(%S+)" do
        count = count + 1
        if count == column and word:find "^[%l_][%w._-]*$" then add(start + at - 1, start + at + #word - 2, word) end
      end
      if count < column then break end
    end
  end
end

--- Users; `is_user(name)` tells whether a name is one's, and `add` takes the first and last position, and the name.
return function(scan, is_user, add)
  local function add_user(from, to, name)
    if is_user(name) and not GROUPS[name] then add(from, to, name) end
  end
  find_lines(scan, add_user)
  find_files(scan, add_user)
  find_groups(scan, add_user)
  find_owned(scan, add_user)
  find_option(scan, add_user)
  find_column(scan, add_user)
end
