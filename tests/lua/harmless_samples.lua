-- Lines without a secret, made from a seed, as logs of compilers, containers, Git and JAX have them.

local drawer_of = require("secret_samples").drawer

local HEX, DIGITS = "0123456789abcdef", "0123456789"
local WORD = DIGITS .. "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

local NAMES = { "fusion", "all-reduce", "custom-call", "dot_general", "reduce-window", "get-tuple-element", "broadcast" }
local FLAGS = { "xla_gpu_enable_latency_hiding_scheduler", "xla_gpu_autotune_level", "xla_disable_hlo_passes",
  "xla_gpu_all_reduce_combine_threshold_bytes", "xla_dump_hlo_pass_re", "xla_gpu_enable_triton_gemm",
  "xla_gpu_cudnn_gemm_fusion_level", "xla_gpu_deterministic_ops", "xla_gpu_graph_level" }
local PACKAGES = { "jax", "jaxlib", "numpy", "tokenizers", "keyring", "cryptography", "nvidia-cublas-cu12", "secretstorage",
  "authlib", "passlib", "sentencepiece", "tiktoken", "credstash", "python-jose", "cookiecutter", "oauthlib" }
local WORDS = { "fix", "the", "scheduler", "of", "token", "ordering", "key", "cache", "pass", "for", "collective", "auth",
  "add", "test", "session", "secret", "handling", "remove", "unused", "password", "prompt", "bump", "cookie" }

local MAKERS = {
  function(d) return string.format("  %%%s.%d = f32[%d,%d]{1,0} %s(f32[%d,%d]{1,0} %%p.%d), metadata={op_name=\"jit(step)/"
    .. "transpose(jvp(layer_%d))/dot_general\" source_file=\"train.py\" source_line=%d}", d.pick(NAMES), d.number(1, 999),
    d.number(1, 512), d.number(1, 512), d.pick(NAMES), d.number(1, 512), d.number(1, 512), d.number(1, 99),
    d.number(0, 40), d.number(1, 900)) end,
  function(d) return string.format("  %%token.%d = token[] after-all(), sharding={replicated}", d.number(1, 99)) end,
  function(d) return string.format("  %%s.%d = (f32[%d], u32[], token[]) send(f32[%d] %%x, token[] %%tok.%d), channel_id=%d,"
    .. " is_host_transfer=true", d.number(1, 99), d.number(1, 99), d.number(1, 99), d.number(1, 9), d.number(1, 9)) end,
  function(d) return string.format("  %%rng = (u64[2], u32[%d]) rng-bit-generator(u64[2] %%key.%d), algorithm=rng_default",
    d.number(1, 4096), d.number(1, 9)) end,
  function(d) return string.format("  %%cc.%d = bf16[%d] custom-call(bf16[%d] %%a), custom_call_target=\"__cublas$gemm\","
    .. " backend_config={\"gemm_backend_config\":{\"alpha_real\":1,\"selected_algorithm\":\"%d\",\"epilogue\":\"DEFAULT\"},"
    .. "\"force_earliest_schedule\":false}", d.number(1, 99), d.number(1, 9999), d.number(1, 9999), d.number(1, 30)) end,
  function(d) return "HloModule jit_step, entry_computation_layout={(f32[8]{0})->f32[8]{0}}, fingerprint_before_lhs=\""
    .. d.chars(HEX, 32) .. "\"" end,
  function(d) return "ENTRY %main." .. d.number(1, 999) .. " (Arg_0." .. d.number(1, 9) .. ": f32[8]) -> f32[8] {" end,
  function(d) return "XLA_FLAGS=--" .. d.pick(FLAGS) .. "=" .. d.pick { "true", "false", "4", "0" } .. " --" .. d.pick(FLAGS)
    .. "=" .. d.number(0, 100000000) end,
  function(d) return "--" .. d.pick(FLAGS) .. "=" .. d.pick { "true", "rematerialization,algsimp", ".*", "134217728" } end,
  function(d) return "commit " .. d.chars(HEX, 40) end,
  function(d) return d.chars(HEX, 10) .. " " .. table.concat({ d.pick(WORDS), d.pick(WORDS), d.pick(WORDS), d.pick(WORDS) }, " ") end,
  function(d) return "    " .. d.pick(WORDS) .. ": " .. table.concat({ d.pick(WORDS), d.pick(WORDS), d.pick(WORDS) }, " ")
    .. " (#" .. d.number(1, 9999) .. ")" end,
  function(d) return "index " .. d.chars(HEX, 10) .. ".." .. d.chars(HEX, 10) .. " 100644" end,
  function() return "Author: Ann Example <ann@example.org>" end,
  function(d) return "Digest: sha256:" .. d.chars(HEX, 64) end,
  function(d) return "ghcr.io/nvidia/jax@sha256:" .. d.chars(HEX, 64) .. " pulled" end,
  function(d) return "    --hash=sha256:" .. d.chars(HEX, 64) .. " \\" end,
  function(d) return "\"integrity\": \"sha512-" .. d.chars(WORD .. "+/", 86) .. "==\"" end,
  function(d) return d.pick(PACKAGES) .. "==" .. d.number(0, 12) .. "." .. d.number(0, 40) .. "." .. d.number(0, 9) end,
  function(d) return "Requirement already satisfied: " .. d.pick(PACKAGES) .. ">=" .. d.number(0, 9) .. " in /usr/lib/python3.11/"
    .. "site-packages (from jax) (" .. d.number(0, 4) .. "." .. d.number(0, 40) .. ")" end,
  function(d) return string.format("|   %d  NVIDIA H100 80GB HBM3          On  | 00000000:%02X:00.0 Off |                    0 |",
    d.number(0, 7), d.number(1, 200)) end,
  function(d) return string.format("| N/A   %dC    P0   %dW / 700W |  %dMiB / 81559MiB |    %d%%      Default |",
    d.number(20, 80), d.number(60, 699), d.number(1, 80000), d.number(0, 100)) end,
  function(d) return "  File \"/usr/lib/python3.11/site-packages/jax/_src/" .. d.pick { "api", "pjit", "core" } .. ".py\", line "
    .. d.number(1, 2000) .. ", in " .. d.pick { "cache_miss", "_python_pjit_helper", "bind_with_trace" } end,
  function(d) return "KeyError: '" .. d.pick { "params", "token_embed", "attention_key", "session" } .. "'" end,
  function(d) return "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating " .. d.number(1, 1 << 30)
    .. " bytes." end,
  function(d) return "/usr/bin/ld: libxla.so: undefined reference to `_ZN3xla3gpu" .. d.number(10, 30) .. "GpuCompilerImplD2EvRKSt6vectorI"
    .. d.pick { "NS_5ShapeESaIS2_EE", "NS0_9ThunkKindE" } .. "'" end,
  function(d) return "xla/service/gpu/gpu_compiler.cc:" .. d.number(1, 2000) .. ":" .. d.number(1, 80)
    .. ": warning: unused variable 'key' [-Wunused-variable]" end,
  function(d) return string.format("[%d/%d] Compiling xla/service/%s.cc; %ds linux-sandbox", d.number(1, 900), d.number(900, 9999),
    d.pick { "hlo_pass_pipeline", "token_lowering", "auth_token_test" }, d.number(1, 60)) end,
  function(d) return "I0000 00:00:" .. d.number(1600000000, 1700000000) .. "." .. d.chars(DIGITS, 6) .. " " .. d.number(1, 99999)
    .. " service.cc:145] XLA service 0x" .. d.chars(HEX, 12) .. " initialized for platform CUDA" end,
  function(d) return "step " .. d.number(1, 9999) .. " loss " .. d.number(1, 9) .. "." .. d.chars(DIGITS, 4) .. " tokens/s "
    .. d.number(1000, 99999) .. " tokens=" .. d.number(1, 99999) end,
  function(d) return "run id " .. d.uuid() .. " finished in " .. d.number(1, 999) .. " s" end,
  function(d) return "max_new_tokens=" .. d.number(1, 4096) .. " num_key_value_heads=" .. d.number(1, 64) .. " pad_token_id=0" end,
  function(d) return "tests/test_" .. d.pick { "auth", "tokens", "keys", "passes" } .. ".py::test_" .. d.pick(WORDS) .. " PASSED [ "
    .. d.number(1, 99) .. "%]" end,
  function(d) return "== " .. d.number(1, 900) .. " passed, " .. d.number(1, 9) .. " failed, pass=" .. d.number(1, 99) .. " in 3.2s ==" end,
  function(d) return "cache key: " .. d.chars(HEX, 64) .. " (hit)" end,
  function(d) return "def f(key, token=None, *, password: str = \"\", session: Session | None = None):  # " .. d.number(1, 99) end,
  function(d) return "    key, subkey = jax.random.split(key, " .. d.number(2, 9) .. ")" end,
  function(d) return "    token = tokenizer.encode(text)[" .. d.number(0, 9) .. "]" end,
  function(d) return "PTX version " .. d.number(6, 8) .. ".4: _Z" .. d.number(10, 40) .. "wmma_kernel_fp16_fp32_accPK6__halfS1_PfiiiE"
    .. " used "
    .. d.number(16, 255) .. " registers" end,
  function(d) return "BUILD_ID[sha1]=" .. d.chars(HEX, 40) .. ", not stripped" end,
  function(d) return "NCCL version 2." .. d.number(18, 26) .. ".3+cuda12.4, nranks " .. d.number(1, 64)
    .. " commId 0x" .. d.chars(HEX, 16) end,
  function(d) return "Layer sha256:" .. d.chars(HEX, 64):sub(1, 12) .. ": Pull complete" end,
  function(d) return "libcudnn" .. d.number(8, 9) .. "=8.9.7." .. d.number(1, 60) .. "-1+cuda12.2 driver 550.54.15" end,
}

--- `count` lines; each kind comes as often as any other.
return function(seed, count)
  local d, lines = drawer_of(seed), {}
  for i = 1, count do lines[i] = MAKERS[(i - 1) % #MAKERS + 1](d) end
  return lines, #MAKERS
end
