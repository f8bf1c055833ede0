-- How many secrets reg.masked finds, and how many harmless lines it leaves as they are. With SEED in the environment it
-- draws others.

local test = require "harness"
local fresh = require "fresh_samples"
local fresh_harmless = require "fresh_harmless"
local fresh_heldout = require "fresh_heldout"
local fresh_more = require "fresh_more"
local harmless = require "harmless_samples"
local heldout = require "heldout_samples"
local heldout_harmless = require "heldout_harmless"
local places = require "place_samples"
local samples = require "secret_samples"
local templates = require "secret_templates"
local unseen = require "unseen_samples"
local untuned = require "untuned_samples"
local untuned_harmless = require "untuned_harmless"

local seed = tonumber(reg.process.run({ shell = "echo $SEED" }).stdout) or 1

-- At most this share of the secrets is left, in each text alone and in a log. The kinds that leak are not told where
-- they are held out.
local function check(list, most, held_out)
  local leaks = {}
  for _, sample in ipairs(list) do
    for _, text in ipairs { sample.text, samples.in_log(sample) } do
      local leaked = samples.leaks((reg.masked(text)), sample.secrets)
      if leaked then leaks[#leaks + 1] = sample.kind .. ", " .. sample.context .. ": " .. text end
    end
  end
  print(string.format("seed %d: %d of %d secrets leak", seed, #leaks, 2 * #list))
  local shown = held_out and #leaks .. " leak" or table.concat(leaks, "\n", 1, math.min(#leaks, 20))
  test.truthy(#leaks <= (most or 0.02) * 2 * #list, shown)
end

test("98 % of the secrets are redacted", function()
  local list, kinds = samples.make(seed, 600)
  test.truthy(kinds >= 60, kinds .. " kinds")
  check(list)
end)

test("98 % of the secrets in other places are redacted", function()
  local list, kinds = unseen.make(seed, 600)
  test.truthy(kinds >= 100, kinds .. " kinds")
  check(list)
end)

test("98 % of the secrets of providers and in forms that no rule names are redacted", function()
  local list, kinds = heldout.make(seed, false, 3)
  test.truthy(kinds >= 100, kinds .. " kinds")
  check(list)
end)

test("96 % of the secrets of kinds that were held out are redacted", function()
  local list, kinds = heldout.make(seed, true, 6)
  test.truthy(kinds >= 30, kinds .. " kinds")
  check(list, 0.04)
end)

test("98 % of the secrets in files, headers and command lines are redacted, and 94 % of a second list", function()
  check(fresh.make(seed, 3), 0.02)
  check(fresh_more.make(seed, 3), 0.06)
end)

test("96 % of the secrets of a third list are redacted", function()
  check(fresh_heldout.make(seed, 3), 0.04)
end)

test("98 % of the secrets in places that no rule knew are redacted", function()
  local list, kinds = templates.make(places, seed, 4)
  test.truthy(kinds >= 200, kinds .. " kinds")
  check(list)
end)

-- Rules may not be improved with these, so this is what to expect of what nobody has thought of.
test("94 % of the secrets of a list which no rule was improved with are redacted", function()
  local list, kinds = untuned.make(seed, 5)
  test.truthy(kinds >= 130, kinds .. " kinds")
  check(list, 0.06, true)
end)

-- Words in prose, so that only the word itself can tell.
test("a random word of 24 characters is redacted, whatever its letters are", function()
  local d = samples.drawer(seed)
  local least = { [fresh.WORD] = 190, [fresh.DASH] = 190, [fresh.BASE64] = 180, [fresh.LOW] = 180,
    [fresh.UPPER .. fresh.DIGITS] = 180, [fresh.UPPER .. fresh.LOWER] = 160, [fresh.LOWER] = 130 }
  for alphabet, wanted in pairs(least) do
    local found = 0
    for _ = 1, 200 do
      local word = d.chars(alphabet, 24)
      if not reg.masked("worker 3 got " .. word .. " back"):find(word, 1, true) then found = found + 1 end
    end
    test.truthy(found >= wanted, found .. " of 200 words of " .. alphabet)
  end
end)

test("the check itself: a text that was not redacted has its secrets", function()
  for _, sample in ipairs(samples.make(seed, 100)) do
    test.truthy(samples.leaks(samples.in_log(sample), sample.secrets) or sample.context == "cut", sample.text)
  end
end)

local function check_harmless(lines)
  local changed = {}
  for _, line in ipairs(lines) do
    local masked = reg.masked(line)
    if masked ~= line then changed[#changed + 1] = line .. "\n  -> " .. masked end
  end
  print(string.format("seed %d: %d of %d harmless lines change", seed, #changed, #lines))
  test.truthy(#changed <= 0.02 * #lines, table.concat(changed, "\n", 1, math.min(#changed, 20)))
end

test("98 % of the harmless lines stay as they are", function()
  local lines, kinds = harmless(seed, 1000)
  test.truthy(kinds >= 40, kinds .. " kinds")
  check_harmless(lines)
end)

test("98 % of the harmless lines with words that look random stay as they are", function()
  for _, held_out in ipairs { false, true } do
    local lines, kinds = heldout_harmless(seed, held_out, 10)
    test.truthy(kinds >= 30, kinds .. " kinds")
    check_harmless(lines)
  end
end)

test("98 % of the harmless lines that resemble those lists stay as they are", function()
  local lines, kinds = fresh_harmless(seed, 5)
  test.truthy(kinds >= 60, kinds .. " kinds")
  check_harmless(lines)
end)

test("98 % of the harmless lines of this machine stay as they are", function()
  local lines, sources = untuned_harmless()
  local texts = {}
  for i, line in ipairs(lines) do texts[i] = line.text end
  test.truthy(#texts >= 500, #texts .. " lines")
  for _, source in ipairs(sources) do
    if source.count == 0 then print("this machine has no " .. source.name) end
  end
  check_harmless(texts)
end)

test("what resembles scrambled words and passwords stays as it is", function()
  for _, text in ipairs {
    "0000 W _ZNSt10filesystem4_DirELN9__gnu_cxx12_Lock_policyE2EEC2EOS4_@@GLIBCXX_3.4.28",
    "0000 V typeinfo for wchar_t*@@CXXABI_1.3", "Flags: fpu pclmulqdq avx512_vbmi2 vpclmulqdq avx512vbmi gfni",
    "ROOT %x = f8e4m3fn[32] convert(%y), F8E4M3FNUZ, f8e5m2fnuz", "jaxlib RECORD,sha256=6aem8XrZUEAo-8hoOhoTBUhy9Au71yBTucOGL49mlnZ,1",
    "Repo digest: r.example.org/x@sha256:" .. ("f762d65f"):rep(8), "wget https://example.org/c2pnb163v1/tmp8xk2p9qz/x7f3k2q9w.log",
    "print(run.user_s, run.imports and run.imports.total_s)", "libn32gcc-11-dev: user/group names of libfontconfig.so.1",
    "  ROOT %exp.0 = f64[32,8] exponential(%sub.0), metadata={op_name=\"jit(f)/exp\" stack_frame_id=2}",
    "git checkout 3c55790ebe && git log HEAD^1..g24ebca6 # 12.2.0-14+deb12u1", "auth.py:33: login node07 for docker:24.0.7-cli",
    "HtmlPhpLexer, DarkNavy, BfWriteByte, xmlGetNsByHref", "pip install --user jax && docker run -u 1000 -p 8080:80 x" } do
    test.equal((reg.masked(text)), text)
  end
end)

test("a certificate that is cut off stays as it is", function()
  local text = "-----BEGIN CERTIFICATE-----\n" .. ("MIIF3TCCA8WgAwIBAgIIeyyb0xaAMpkwDQYJKoZIhvcNAQELBQAwfDELMAkGA1UE\n"):rep(3)
  test.equal((reg.masked(text)), text)
end)

test("a home and a key at the start of a text are redacted", function()
  test.equal((reg.masked "~jsmith/bin/x"), "~<user-1>/bin/x")
  test.equal((reg.masked("MII" .. ("Qx7fK2mZ9aB4cD8eF6gH"):rep(3))), "<redacted>")
end)

test("a certificate and a public key stay as they are, and a private key beside them does not", function()
  local body = "MII" .. ("Qx7fK2mZ9aB4cD8eF6gH"):rep(3) .. "\n"
  local certificate = "-----BEGIN CERTIFICATE-----\n" .. body .. body .. "-----END CERTIFICATE-----\n"
  local key = "-----BEGIN PRIVATE " .. "KEY-----\n" .. body .. body .. "-----END PRIVATE " .. "KEY-----\n"
  test.equal((reg.masked(certificate)), certificate)
  test.equal((reg.masked(certificate .. key)), certificate .. "<redacted>\n")
end)

return test.finish()
