std = "lua54"
read_globals = { "reg", "help" }
max_line_length = 120
files["stdlib"] = { globals = { "core" } }
files["stdlib/meta"] = { ignore = { "121", "122", "142", "143", "211", "212", "241" } }
files["tests"] = { ignore = { "122" }, max_line_length = 140 }  -- they try what must be refused
