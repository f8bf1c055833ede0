-- Variables that say where a program was started, not how it runs.

local VOLATILE <const> = { "^PWD$", "^OLDPWD$", "^HOSTNAME$", "^HOST$", "^SHLVL$", "^_$", "^REGENGINE_", "^SSH_",
  "^TERM", "^COLUMNS$", "^LINES$", "^COLORTERM$", "^LS_COLORS$", "^DISPLAY$", "^WINDOW", "^TMUX", "^STY$",
  "^XDG_SESSION", "^XDG_RUNTIME_DIR$", "^DBUS_", "^INVOCATION_ID$", "^JOURNAL_STREAM$", "^LESS", "^PS%d$",
  "^GPG_TTY$", "^VTE_", "^HIST", "^PAGER$", "^EDITOR$" }

return function(name)
  for _, pattern in ipairs(VOLATILE) do
    if name:find(pattern) then return true end
  end
  return false
end
