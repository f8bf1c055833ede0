-- Names that say that their value is secret, in each notation, with values of each form, in each place where languages
-- and tools have a name and its value. With SEED in the environment it draws others.

local test = require "harness"
local samples = require "secret_samples"

local seed = tonumber(reg.process.run({ shell = "echo $SEED" }).stdout) or 1
local d = samples.drawer(seed)

local NAMES = { "DB_PASSWORD", "dbPassword", "db-password", "db.password", "apiToken", "api-token", "X_API_KEY",
  "clientSecret", "smtp_pass", "AccessKey", "sasToken", "privateKey", "userPwd", "AUTH_TOKEN", "auth-passwd" }

local VALUES = {
  function() return d.pick { "harbour", "quartz" } .. "-" .. d.pick { "violin", "button" } .. d.number(10, 99) end,
  function() return d.pick { "Letmein", "Lab" } .. d.number(1000, 9999) .. "!" end,
  samples.of(samples.WORD .. "!#*+-.?@^_~", 16), samples.of(samples.UPPER, 10), samples.of(samples.LOW, 12),
  samples.of(samples.WORD, 24), samples.of(samples.HEX, 32), samples.uuid,
  function() return d.chars(samples.BASE64, 42) .. "==" end,
}

-- N: the name, V: the value.
local PLACES = {
  "N=V", "N = V", "N: V", "  - N: V", '"N": "V",', "'N': 'V', 'x': 1", "N => 'V'", "--N V", "--N=V",
  "prog --N 'V' --n 3",
  'N := "V"', 'N = r"V"', "N=b'V'", "<N>V</N>", '<x N="V" y="1"/>', "https://h/x?a=1&N=V&b=2", "{N: V, x: 1}",
  "{N=V, x=1}", "N='V' prog", 'N="V"; export N', "N | V", "| N | V |", "set N V", 'const char *N = "V";', ':N => "V"',
  "config['N'] = 'V'",
  "N: ['V']", "docker run -e N=V img", "f(N='V', n=3)", "x.N = 'V'", 'N: "V" # comment', "N=V # comment",
  '{"key": "N", "value": "V"}', "- name: N\n  value: V", '\\"N\\": \\"V\\"', "N: |\n    V\nx: 1",
  "export N=V",
  '$env:N = "V"', "2024-03-01 INFO x N=V y=2", "N=%22V%22", "--set x.N=V,y=2", "-var 'N=V'",
  "curl -H 'N: V' https://x", "Server=x;N=V;Y=2", '#define N "V"', "ENV N V", "ARG N=V", 'std::string N = "V";',
}
local function leaks(places)
  local left, count = {}, 0
  for _, place in ipairs(places) do
    for _, name in ipairs(NAMES) do
      for _, draw in ipairs(VALUES) do
        local value = draw(d)
        local text = place:gsub("%f[%w]([NV])%f[%W]", { N = name, V = value })
        count = count + 1
        if reg.masked(text):find(value, 1, true) then left[#left + 1] = text end
      end
    end
  end
  print(string.format("seed %d: %d of %d secrets leak", seed, #left, count))
  return #left / count, table.concat(left, "\n", 1, math.min(#left, 20))
end

test("99 % of the values are redacted where a name has a value", function()
  local share, left = leaks(PLACES)
  test.truthy(share <= 0.01, left)
end)

test("what only looks like such a value stays", function()
  for _, text in ipairs { 'token = Tokenizer("gpt2-medium")', 'password = getpass("Password 12: ")',
  "token -> int32_t",
    'get_token("v1.2.3")', "password is missing", "secret:\n  - name: x", 'key("user_id_2")',
    "password\t[success=1 x]" } do
    test.equal((reg.masked(text)), text)
  end
end)

return test.finish()
