-- Lines without a secret that look as if they had one, and lines of compilers, git, containers and JAX.

local drawer_of = require("secret_samples").drawer

local DIGITS, LOWER = "0123456789", "abcdefghijklmnopqrstuvwxyz"
local HEX, WORD = "0123456789abcdef", DIGITS .. LOWER .. LOWER:upper()

-- #h, #c, #s, #m: 64, 40, 9 and 32 hexadecimal digits, #n a number, #u a UUID, #6 the base64 of a digest.
local ROWS = {
  "uses: actions/checkout@#c", "uses: docker/build-push-action@v#n", "git@github.com:jax-ml/jax.git (fetch)",
  "npm warn deprecated @babel/plugin-x7@7.#n: use y", "pkg:pypi/jaxlib@0.4.#n", "ghcr.io/nvidia/jax2024@sha256:#h",
  "basic block bb#n has 3 predecessors", "Basic_block_#n: preds = bb1, bb2", "basic alias analysis: #n queries, 0 MayAlias",
  "token ordering pass: #n changed", "token#n.1 = token[] create-token()", "bearer of bad news: step #n diverged",
  "login node has no GPU, use #n", "pass pipeline: HloPassFix_#n took 2 ms", "key user=#n key_id=ab#s",
  'user: runner, cache key: Linux-pip-#h', '{"user": "runner", "cache_key": "#h"}', "key: v1-deps-#m",
  "live_range of value #n is 12..40", "live_values_#n_of_module", "prod_dim_#n, prod_shape_128x128x64", "secret_sharing_test_#n",
  "api_version_#n_dispatch_table_entry", "access_pattern_#n_row_major_128b", "test_api_token_roundtrip_case_#n PASSED",
  "live-#c is the tag of the nightly", "XLA commit #c, JAX commit #c", "jax: #c\nxla: #c\nflax: #c",
  "a.cc:12:34:note:#n", "host:8080:tcp:open:http", "1:2:3:4:5", "sh:1:cmd:2:arg", "drwxr-xr-x 2 root root #n Mar  1 12:30 key",
  "gpu:h100:8:IB:yes", "nodes:#n:gpus:8:tasks", "name:tag:#n", "blob:sha256:#h", "xla:md5sum of module:#n",
  "auth: user:group mapping for #n entries", "auth_mode: none", "session: user:#n", "signature: f32[#n]:bf16[#n]",
  "netrc: no entry for #n", "netrc file not found, continuing", "pass: #n of #n", "key = value:#n",
  "%all-gather.#n = bf16[8,#n]{1,0} all-gather(%param.#n), replica_groups=[1,8]<=[8], dimensions={0}",
  "%dynamic-slice.#n = f32[1,#n]{1,0} dynamic-slice(%p, %c), dynamic_slice_sizes={1,#n}",
  "%key.#n = u32[2]{0} parameter(0), sharding={replicated}",
  'backend_config={"operation_queue_id":"0","wait_on_operation_queues":[],"cudnn_fmha_backend_config":{"seed":"#n"}}',
  "HloModule jit__threefry_split, is_scheduled=true, entry_computation_layout={(u32[2]{0})->u32[#n,2]{1,0}}",
  "XLA_FLAGS=--xla_gpu_enable_command_buffer= --xla_gpu_graph_min_graph_size=#n",
  "--xla_gpu_collective_permute_decomposer_threshold=#n --xla_gpu_lhs_enable_gpu_async_tracker=true",
  "xla_gpu_autotune_cache_mode: AUTOTUNE_CACHE_MODE_UPDATE (#n)", "--xla_gpu_kernel_cache_file=/opt/cache/k#n.bin",
  "JAX_TRACEBACK_FILTERING=off JAX_LOG_COMPILES=1 JAX_COMPILATION_CACHE_EXPECT_PGLE=#n",
  "commit #c (HEAD -> main, origin/main)", "Merge: #s #s", "cherry picked from commit #c", "Fixes: #s (\"auth: key order\")",
  "#s token: pass the key by value (#n)", "index #s..#s 100644", "Signed-off-by: Ann Example <ann@example.org>",
  "git describe: jax-v0.4.#n-12-g#s", "Subproject commit #c", "+SHA256 = \"#h\"", "XLA_COMMIT = \"#c\"",
  "sha256 = \"#h\", # 2024-03-01", "strip_prefix = \"xla-#c\",", "urls = [\"https://github.com/openxla/xla/archive/#c.tar.gz\"],",
  "image: nvcr.io/nvidia/jax:24.#n-py3", "Repo digest: r.example.org/x@sha256:#h", "writing image sha256:#h done",
  "=> => sha256:#h 3.62MB / 3.62MB", "exporting layers #n.4s done", "Trying to pull docker.io/library/debian:12...",
  "[#n] NCCL INFO Channel 00/16 : 0 1 2 3", "NCCL INFO comm 0x55d0 rank 0 nranks 8 cudaDev 0 commId 0x#m - Init COMPLETE",
  "W0000 #n loop_optimizer_key.cc:99] token dropped", "Autotuning: key fusion_#n, best config block_m:64,block_n:128",
  "triton_gemm_fusion_#n_0 (128x64x32, 4 warps)", "_Z19nchw_to_nhwc_kernelI6__halfS0_fLb1ELb0EL#n", "sm__cycles_active.avg #n",
  "ptxas info    : Used #n registers, 400 bytes cmem[0]", "FATAL: kernel fmha_v2_bf16_128_#n_S_q_kv_128_sm90_kernel not found",
  "pip install 'jax[cuda12]==0.4.#n' --hash=sha256:#h", "Saved to cache: pip-cp311-#h", "wheel jaxlib RECORD,sha256=#6,#n",
  "tokens per second: #n, keys per query: 8", "password hashing took #n ms", "cookies are disabled (#n)",
  "cred: none, pw: n, key: #n", "bindpw not set", "rootpw check skipped", "dppw_kernel<float, #n>(int)", "user #n, sys 0.#n, real 3.2",
  "account: jaxlab, sessions: #n, tokens used: #n", "email = ann@example.org\nkeys = #n", "login shell: /bin/bash, key bindings: #n",
  "|   0  NVIDIA H100 80GB HBM3          On  | 00000000:1B:00.0 Off |                    0 |", "KeyError: 'token_embed'",
  "| N/A   41C    P0   312W / 700W |  #nMiB / 81559MiB |    97%      Default |", "    key, subkey = jax.random.split(key, #n)",
  '  File "/usr/lib/python3.11/site-packages/jax/_src/pjit.py", line #n, in cache_miss', "Digest: sha256:#h", "cache key: #h (hit)",
  "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating #n bytes.", "BUILD_ID[sha1]=#c, not stripped", "run id #u finished",
  "def f(key, token=None, *, password: str = \"\", session: Session | None = None):  # #n", "secretstorage==#n.2", "tiktoken==0.#n",
  "step #n loss 3.1415 tokens/s #n tokens=#n", "max_new_tokens=#n num_key_value_heads=8 pad_token_id=0",
  "tests/test_auth.py::test_key PASSED",
  "HloModule jit_step, entry_computation_layout={(f32[8]{0})->f32[8]{0}}, fingerprint_before_lhs=\"#m\"",
  "Requirement already satisfied: keyring>=#n in /usr/lib/python3.11/site-packages (from jax) (24.1)", "    --hash=sha256:#h \\",
}

local function hex_of(count) return function(d) return d.chars(HEX, count) end end
local DRAWN = { h = hex_of(64), c = hex_of(40), s = hex_of(9), m = hex_of(32),
  ["6"] = function(d) return d.chars(WORD .. "-_", 43) end,
  n = function(d) return tostring(d.number(1, 9999)) end, u = function(d) return d.uuid() end }

--- `count` lines of each kind; the second result is the number of kinds.
return function(seed, count)
  local d, lines = drawer_of(seed), {}
  for _, row in ipairs(ROWS) do
    for _ = 1, count do lines[#lines + 1] = row:gsub("#([hcsm6nu])", function(letter) return DRAWN[letter](d) end) end
  end
  return lines, #ROWS
end
