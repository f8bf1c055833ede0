-- reg.masked: what must not leave the machine with a text, and what must stay in it.

local test = require "harness"

local T = ("a1B2c3D4e5"):rep(4)  -- forty characters of a token
local UUID = "11111111-2222-3333-4444-555555555555"

-- Each is { text, what it must become }; <m> stands for <redacted>. Where it must stay as it is, a text alone.
local CASES = {
  -- home folders
  { "cd /home/ann/src/xla && make", "cd ~/src/xla && make" }, { "open /Users/ann/x.txt", "open ~/x.txt" },
  { "C:\\Users\\ann\\x.txt", "~\\x.txt" }, { "repo=/home/ann", "repo=~" }, { "'/home/ann/a b'", "'~/a b'" },
  { "PATH=/home/ann/bin:/usr/bin:/home/bob/bin", "PATH=~/bin:/usr/bin:~/bin" },
  { "-I/home/ann/include", "-I~/include" }, { "see /srv/home/ann", "see ~" },
  { "/nfs/home/ann/x and /data/users/bob/y", "~/x and ~/y" },
  "/usr/share/homes/x", "https://example.org/home/page", "/root/.cache/jax",

  -- tokens by their form
  { "ghp_" .. T, "<m>" }, { "x gho_" .. T .. ".", "x <m>." }, { "github_pat_" .. T .. "_" .. T, "<m>" },
  { "hf_" .. T, "<m>" }, { "AKIAABCDEFGHIJKLMNOP", "<m>" }, { "xoxb-12345-67890-abc", "<m>" },
  { "sk-proj-" .. T, "<m>" }, { "glpat-" .. T, "<m>" }, { "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "<m>" },
  { "Authorization: Bearer abc.def-123", "Authorization: Bearer <m>" },
  { "Authorization: Basic " .. T .. "==", "Authorization: Basic <m>" },
  { "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "<m>" },
  "ghp_short", "sha256:" .. ("0123456789abcdef"):rep(4), "9f31e4e549 mix: two more rounds", "the bearer of it",
  "half_precision_of_" .. T,

  -- addresses with who and the password
  { "git clone https://ann:pw@example.org/x", "git clone https://<m>@example.org/x" },
  { "https://" .. T .. "@github.com/o/r.git", "https://<m>@github.com/o/r.git" },
  { "redis://:pw@cache/0", "redis://<m>@cache/0" },
  "ssh://git@github.com/o/r", "git@github.com:o/r.git", "https://github.com/o/r",

  -- variables whose name says it
  { "HF_TOKEN=abc", "HF_TOKEN=<m>" }, { "HF_TOKEN=tok see it", "HF_TOKEN=<m> see it" },
  { "export DB_PASSWORD=hunter2;", "export DB_PASSWORD=<m>;" },
  { 'client_secret = "s3"', 'client_secret = "<m>"' }, { '"api_key": "' .. T .. '"', '"api_key": "<m>"' },
  { "AWS_SECRET_ACCESS_KEY: " .. T, "AWS_SECRET_ACCESS_KEY: <m>" }, { "--token abc", "--token <m>" },
  { "--password='a b'", "--password='<m>'" }, { "--api-key=" .. T, "--api-key=<m>" },
  { "-e WANDB_API_KEY=" .. T, "-e WANDB_API_KEY=<m>" },
  { "accessToken: '" .. T .. "'", "accessToken: '<m>'" }, { "PASSWORD=12", "PASSWORD=<m>" },
  "max_tokens=2048", "MAX_TOKENS = 2048", "tokens: 17", "token=5", "key = function(i) return i end",
  "for key, value in pairs(t) do", { "https://h/o?X-Amz-Signature=" .. T .. "&x=1",
  "https://h/o?X-Amz-Signature=<m>&x=1" }, { "https://h/o?x=1&token=abc#y", "https://h/o?x=1&token=<m>#y" },
  { "INFO:root:token=abc", "INFO:root:token=<m>" }, { "A_STRING=x;AccountKey=" .. T, "A_STRING=x;AccountKey=<m>" },
  { "PASSWORD=" .. T:rep(50) .. " x", "PASSWORD=<m> x" }, "signature = sign(x)",
  "HF_TOKEN=$HF_TOKEN", '--token "$API_TOKEN"', { "PASSWORD=$ecret", "PASSWORD=<m>" },
  "local token = read_token()", "token = nil", "monkey=" .. T, "keyboard = 'qwerty'", "key=value", "sort_key: name",
  "KEY=",

  -- mail addresses
  { "Ann <ann.b+c@mail.acme.com>", "Ann <<m>@<m>>" },
  "Ann <ann@example.org>", "1+ann@users.noreply.github.com", "@property", "a @ b", "name@1.2",

  -- network addresses; versions look alike
  { "connect 10.1.2.3:8080", "connect <address-1>:8080" }, { "at 192.168.0.17.", "at <address-1>." }, { "(8.8.8.8)", "(<address-1>)" },
  { "fe80::1", "<address-1>" }, { "2001:db8:0:0:0:0:0:1", "<address-1>" }, { "02:42:ac:11:00:02", "<address-1>" },
  { "host=build7.corp", "host=<host-1>" }, { "http://ci.lan/job", "http://<host-1>/job" },
  "127.0.0.1:5000", "0.0.0.0", "cublas-12.4.5.8", "libcudnn8-8.9.7.29", "1.2.3", "300.1.2.3", "1.2.3.4.5",
  "std::vector", "12:30:45", "a::b::c", "2024-03-01T12:30:45Z", "ghcr.io/nvidia/jax:jax-2024-03-01",

  -- the same user, host or GPU has the same number, another one another
  { "GPU-" .. UUID .. ", GPU-6" .. UUID:sub(2) .. ", gpu-" .. UUID .. ", MIG-" .. UUID,
    "<gpu-1>, <gpu-2>, <gpu-1>, <mig-1>" },
  { "ssh n7.hpc.site-a.edu; ssh n8.hpc.site-a.edu; ping n7.hpc.site-a.edu",
    "ssh <host-1>; ssh <host-2>; ping <host-1>" },
  { "~bob/src, uid=7(bob), bob@gpu07:~/x$ make", "~<user-1>/src, uid=7(<user-1>), <user-1>@<host-1>:~/x$ make" },
}

local function filled(text) return (text:gsub("<m>", "<redacted>")) end

for i, case in ipairs(CASES) do
  local text, wanted = case, case
  if type(case) == "table" then text, wanted = case[1], filled(case[2]) end
  test("case " .. i .. ": " .. text:sub(1, 40), function()
    local masked, what = reg.masked(text, { keep_host = false })
    test.equal(masked, wanted)
    test.equal(what ~= nil, masked ~= text, "what it says")
    test.equal(reg.masked("before\n" .. text .. "\nafter"), "before\n" .. wanted .. "\nafter")
    test.equal((reg.masked(masked)), masked, "a second time")
  end)
end

test("host names that are known, short and long, unless they are to be kept", function()
  local options = { hosts = { "gpu-node7.example.org" } }
  test.equal((reg.masked("on gpu-node7 and gpu-node7.example.org, not gpu-node77", options)),
    "on <host-1> and <host-1>, not gpu-node77")
  options.keep_host = true
  test.equal((reg.masked("on gpu-node7 at 10.1.2.3", options)), "on gpu-node7 at 10.1.2.3")
  test.equal((reg.masked("ghp_" .. T, options)), "<redacted>")
end)

test("what a token's end or the text's end cuts off is redacted, too", function()
  test.equal((reg.masked("failed: ghp_" .. T:sub(1, 8))), "failed: <redacted>")
  test.equal((reg.masked("failed: glpat-" .. T:sub(1, 8) .. "... (more)")), "failed: <redacted>... (more)")
  local line = ("aB3"):rep(21) .. "x"
  test.equal((reg.masked("at 3:\n" .. line .. "\n" .. line .. "\n-----END " .. "PRIVATE KEY-----\nnext")), "at 3:\n<redacted>\nnext")
end)

test("it says what was masked", function()
  local _, what = reg.masked("/home/ann /home/bob HF_TOKEN=x 10.1.2.3 10.1.2.4")
  test.equal(what, "1 secret, 2 home folders, 2 network addresses")
  test.equal(select(2, reg.masked("nothing")), nil)
end)

test("one's own home, user and host", function()
  local run = reg.process.run { shell = [[HOME=/data/people/annie USER=annie "$REGENGINE" -e 'print((reg.masked(
    "/data/people/annie/src and /data/people/annie2, annie@build, anniecode")))']] }
  test.equal(run.stdout, "~/src and /data/people/annie2, <user-1>@build, anniecode\n", run.stderr)
  run = reg.process.run { shell = [[USER=root HOME=/root "$REGENGINE" -e 'print((reg.masked "the root of it"))']] }
  test.equal(run.stdout, "the root of it\n", run.stderr)
end)

test("texts that would be slow to look through are not", function()
  for _, piece in ipairs { "a", "a.", "/home/", "x=", "-----BEGIN PRIVATE KEY-----", "1.", ":", "@", "\"", "a://",
    "password=", "password ", "token ", "-----BEGIN PRIVATE KEY-----\n", "curl -u ", "echo x | ", "user,password\n", "$6$",
    "key", "<<<", "a-", "~a", "TOKEN\"value", "-u a" } do
    test.truthy(#reg.masked(piece:rep(200000 // #piece)) > 0)
  end
end)

return test.finish()
