-- Lines without a secret, as heldout_samples.lua has texts with one: with words that look random but are public -
-- digests, mangled names, paths of caches, public keys - and words of secrets that name none. Every second kind is
-- held out, too.

local drawer_of = require("secret_samples").drawer

local DIGITS, LOWER = "0123456789", "abcdefghijklmnopqrstuvwxyz"
local UPPER = LOWER:upper()
local HEX, LOW, WORD = "0123456789abcdef", DIGITS .. LOWER, DIGITS .. LOWER .. UPPER
local BASE64, BASE32 = WORD .. "+/", UPPER .. "234567"

-- "#" and a letter stand for what is drawn: h hexadecimal digits of a digest, c of a commit, s of a short one, 6 base64 of
-- a digest, b base32, n a number, u a UUID, w a word.
local ROWS = {
  "sha256-#6= jax.whl", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI#6 build",
  "256 SHA256:#6 host (ED25519)", "jaxlib/xla.so,sha256=#6,1234",
  "github.com/pkg/errors v0.9.1 h1:#6=", "/nix/store/#l-glibc-2.38/lib/libc.so.6",
  "loading /var/cache/triton/#B/matmul_kernel.cubin", "jit_step-#h from the compilation cache",
  "HEAD is now at #s fix token lowering", "Merge commit '#c' into main",
  "* #s (HEAD -> main, tag: v0.4.#n) pass: keep the key order", "diff --git a/xla/auth_key.cc b/xla/auth_key.cc",
  "Updating #s..#s",
  "    Change-Id: I#c", "PiperOrigin-RevId: 61#n2#n9", "    Reviewed-on: https://review.example.org/c/xla/+/#n",
  "git checkout -q #c && git submodule update", "fatal: reference is not a tree: #c",
  "%fusion.#n = bf16[#n,4096]{1,0:T(8,128)} fusion(%param_0.#n, %param_1), kind=kLoop, calls=%fused_computation.#n",
  '%gemm = (f16[16,16]{1,0}, s8[#n]{0}) custom-call(%a, %b), custom_call_target="__cublas$lt$matmul", backend_config={"epilogue":"BIAS"}',
  "%while.#n = (s32[], f32[#n]) while(%tuple.#n), condition=%region_1.#n, body=%region_2.#n, "
    .. "backend_config={\"known_trip_count\":{\"n\":\"#n\"}}",
  "%ar = f32[#n] all-reduce-start(%x), channel_id=#n, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=%add",
  'metadata={op_name="jit(train_step)/jvp(Transformer)/attention/key/dot_general[dimension_numbers=(((2,),(0,)),((),()))]" source_line=#n}',
  "module_0#n.jit_train_step.sm_9.0_gpu_after_optimizations-buffer-assignment.txt",
  "%input_reduce_fusion.#n = f32[] fusion(%p), kind=kInput, calls=%fused_reduce, metadata={op_type=\"Reduce\"}",
  "frame_attributes={id=#n}, stack_frame_id=#n, api_version=API_VERSION_TYPED_FFI, operand_precision={default,default}",
  "XLA_FLAGS='--xla_gpu_enable_pipelined_all_gather=true --xla_gpu_all_gather_combine_threshold_bytes=#n'",
  "--xla_gpu_pgle_profile_file_or_directory_path=/opt/profiles/step#n.pbtxt",
  "--xla_gpu_experimental_enable_command_buffer_token=#n",
  "TF_XLA_FLAGS=--tf_xla_auto_jit=2 TF_GPU_ALLOCATOR=cuda_malloc_async NCCL_ALGO=Ring",
  "LIBTPU_INIT_ARGS=--xla_tpu_key_value_store=#n",
  "XLA_PYTHON_CLIENT_MEM_FRACTION=0.#n CUDA_DEVICE_MAX_CONNECTIONS=#n NCCL_PROTO=LL128",
  "_ZNSt3__112__hash_tableINS_17__hash_value_typeINS_12basic_stringIcEEN3xla5ShapeEEE#n",
  "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>(Params)",
  "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
  "void flash_fwd_kernel<Flash_fwd_kernel_traits<#n,128,64,4,false,false,cutlass::bfloat16_t>>(Flash_fwd_params)",
  "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>) #n us",
  "loop_convert_fusion_#n, triton_gemm_dot_#n, input_concatenate_reduce_fusion_1",
  "MLIR: #blocked = #ttg.blocked<{sizePerThread = [1, #n]}>",
  "manifest for ghcr.io/nvidia/jax@sha256:#h not found", "Status: Downloaded newer image for jax:2024-03-01 (#t)",
  "#T: Pushed",
  "Successfully built #T", "container #h exited with code #n", "image id sha256:#h, created 2024-03-01T12:30:45Z",
  '"Config": {"Digest": "sha256:#h", "Size": #n}',
  "  Etag: \"#m\"", "md5sum: #m  data.npz", "#h  jaxlib-0.4.#n-cp311-cp311-manylinux2014_x86_64.whl",
  "Build ID: #u, invocation #u", "Streaming build results to: https://source.example.org/invocations/#u",
  "nvidia-smi: Driver Version: 550.54.#n CUDA Version: 12.4", "PCI 0000:#s2:00.0, serial and key exchange disabled",
  "token embedding (#n, 4096), key projection (4096, 128), 32 key-value heads",
  "loss #n.12 tokens per second: #n, time per token 0.#n ms",
  "num_tokens_per_batch: #n, secret sauce: none, session length #n", "password-protected archives are skipped (#n)",
  "W external/xla/service/token_util.cc:#n] key not found in the autotune cache",
  "pass manager: 17 passes, pass #n: algsimp took 3 ms",
  "Auth: ok, Session: started, Keys: #n, Signature: valid",
  "author: ann, pattern: a.*b, patch: #n, passing: #n, compass",
  "int64_t key = hash_combine(seed, #n);",
  "auto token = lexer.GetNextToken();", "for (const auto& [key, value] : cache_) {",
  "keys = jax.random.split(jax.random.PRNGKey(#n), 8)", "cache_key=#h compile_time=3.#ns", "autotune key: #m (hit)",
  "gcc -O2 -DNDEBUG -fPIC -c -o build/CMakeFiles/x.dir/auth_token.cc.o ../src/auth_token.cc",
  "[#n/900] Linking CXX shared library libsession.so",
  "INFO: Analyzed target //xla/tools:run_hlo_module (#n packages loaded)", "bazel-out/k8-opt-ST-#T/bin/xla/pass_test",
  "Collecting cryptography-42.0.#n-cp39-abi3-manylinux_2_28_x86_64.whl (4.6 MB)", "certifi==2024.2.#n --hash=sha256:#h",
  "cuobjdump: ptx file 3: kernel.sm_90.ptx, checksum 0x#T#s",
  "-----BEGIN CERTIFICATE-----\n#7\n#7\n-----END CERTIFICATE-----",
  "libcublas.so.12 => /usr/local/cuda-12.4/lib64/libcublas.so.12 (0x00007f#T)",
  "0x00007f#T in pthread_key_create () from /lib64/libc.so.6",
  "warning: unused parameter 'password' [-Wunused-parameter]",
  "def login(user, password=None, token=None, timeout=#n):",
  "PASS: test_auth_token (0.#n s)", "ok #n - pass the key by reference", "assert key.shape == (#n,), key.dtype",
  "rank #n: ncclUniqueId 0x#h, nonce 0x#T",
  "Wrote profile to /tmp/x/plugins/profile/2024_03_01_12_30_45/step#n.xplane.pb",
}

local function hex_of(count) return function(d) return d.chars(HEX, count) end end

local DRAWN = {
  h = hex_of(64), c = hex_of(40), s = hex_of(9), t = hex_of(12), T = hex_of(12), m = hex_of(32),
  ["6"] = function(d) return d.chars(BASE64, 43) end, ["7"] = function(d) return d.chars(BASE64, 64) end,
  B = function(d) return d.chars(BASE32, 52) end, l = function(d) return d.chars(LOW, 32) end,
  n = function(d) return tostring(d.number(1, 9999)) end, u = function(d) return d.uuid() end,
}

--- `count` lines of each kind, of those held out or of the others; the second result is the number of kinds.
return function(seed, held_out, count)
  local d, lines, kinds = drawer_of(seed), {}, 0
  for i, row in ipairs(ROWS) do
    if (i % 2 == 0) == held_out then
      kinds = kinds + 1
      for _ = 1, count do
        lines[#lines + 1] = row:gsub("#([hcstTm67Blnu])", function(letter) return DRAWN[letter](d) end)
      end
    end
  end
  return lines, kinds
end
