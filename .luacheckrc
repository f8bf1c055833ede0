std = "lua54"
read_globals = { "reg", "help" }
max_line_length = 140
files["stdlib/meta"] = { ignore = { "122", "142", "143", "211", "212", "241" } }
files["stdlib"] = { read_globals = { "core" } }
