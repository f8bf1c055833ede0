-- Lines without a secret as this machine has them: HLO dumps, git logs, lists of packages, symbols, digests, PTX. Rules
-- were improved only with what they showed of whole certificates. What a machine lacks is left out.

local MOST = 250  -- lines of a source, evenly spread

-- { source, command, block = pattern of what is one sample, by default a line; of a certificate a line may be one of a
-- key }
local SOURCES = {
  { "hlo", "cat tests/data/hlo/0.10.2/*/*.txt" },
  { "older hlo", "cat tests/data/hlo/0.4.13/*/*.txt" },
  { "logs of jit", "cat tests/data/jit/logs/*" },
  { "git log", "git log -n 400 | grep -v ^Author" },
  { "git oneline", "git log --oneline --decorate -n 600" },
  { "git raw", "git log --raw --no-abbrev -n 60 | grep -v ^Author" },
  { "git diff", "git log -p -n 12 -- engine docs | grep -v ^Author" },
  { "git tree", "git ls-tree -r HEAD" },
  { "git stat", "git log --stat -n 60 | grep -v ^Author" },
  { "dpkg", "dpkg -l" },
  { "pip", "pip list; pip freeze; pip list --format=json | tr '}' '\\n'" },
  { "pip records", "cat $(python3 -c 'import site; print(site.getsitepackages()[0])')/pip-*.dist-info/RECORD" },
  { "digests", "find engine stdlib -type f | sort | xargs sha256sum" },
  { "short digests", "find engine stdlib -type f | sort | xargs md5sum; find docs -type f | xargs sha1sum" },
  { "integrity", "for f in stdlib/*.lua; do d=$(openssl dgst -sha512 -binary $f | base64 -w0);"
    .. " echo \"integrity: sha512-$d\"; done" },
  { "integrity in json", "for f in docs/*.md; do n=$(basename $f); d=$(openssl dgst -sha384 -binary $f | base64 -w0);"
    .. " echo \"      \\\"integrity\\\": \\\"sha384-$d\\\", \\\"name\\\": \\\"$n\\\"\"; done" },
  { "image digests", "for f in stdlib/*.lua; do d=$(sha256sum $f | cut -c1-64);"
    .. " echo '        \"RepoDigests\": [\"ghcr.io/x/'$(basename $f .lua)'@sha256:'$d'\"],';"
    .. " echo '            \"sha256:'$d'\",'; echo \" ---> $(echo $d | cut -c1-12)\"; done" },
  { "lock file", "for f in stdlib/*.lua; do d=$(sha256sum $f | cut -c1-64);"
    .. " echo \"    {file = \\\"$(basename $f .lua)-1.0-py3-none-any.whl\\\", hash = \\\"sha256:$d\\\"},\";"
    .. " echo \"checksum = \\\"$d\\\"\"; echo \"    --hash=sha256:$d \\\\\"; done" },
  { "mangled", "nm -D $(g++ -print-file-name=libstdc++.so.6)" },
  { "demangled", "nm -DC $(g++ -print-file-name=libstdc++.so.6)" },
  { "sections", "readelf -SnW $(g++ -print-file-name=libstdc++.so.6) /bin/bash /bin/ls" },
  { "linked", "ldd /bin/bash /bin/ls /usr/bin/git /usr/bin/python3; ldconfig -p" },
  { "compiler help", "g++ --help=optimizers; g++ --help=warnings" },
  { "compiler errors", "echo '#include <map>\n#include <string>\nint f(std::map<std::string, int> m)"
    .. " { return m.find(3).key + m[token] + std::sort(m); }' | g++ -x c++ -fsyntax-only - 2>&1" },
  { "nvcc help", "nvcc --help" },
  { "ptx", "d=$(mktemp -d); echo '__global__ void k(float *x, const float *key, int n) {"
    .. " for (int i = threadIdx.x; i < n; i += 32) x[i] = expf(key[i]) * sinf(x[i]); }' >$d/k.cu;"
    .. " nvcc -arch=sm_90 -cubin -Xptxas -v -o $d/k.cubin $d/k.cu 2>&1; nvcc -arch=sm_90 -ptx -o $d/k.ptx $d/k.cu &&"
    .. " cat $d/k.ptx; cuobjdump -sass $d/k.cubin; rm -r $d" },
  { "xla flags", "grep -rhoE -e '--?xla_[a-z0-9_]+(=[^ `\"]*)?' tests docs stdlib examples" },
  { "traceback", "python3 -c 'import json; json.loads(chr(123))' 2>&1; python3 -X importtime -c 'import ssl' 2>&1" },
  { "certificates", "cat /etc/ssl/certs/ca-certificates.crt", block = "%-%-%-%-%-BEGIN.-END CERTIFICATE%-%-%-%-%-" },
  { "processes", "cat /proc/meminfo /proc/self/status; grep -v '^ *$' /proc/cpuinfo | head -n 60" },
  { "files", "ls -lR --time-style=long-iso /usr/include/c++ | head -n 2000" },
  { "python", "cat /usr/lib/python3*/secrets.py /usr/lib/python3*/getpass.py /usr/lib/python3*/netrc.py" },
}

--- The lines, each { source =, text = }, and how many of them each source has: { name =, count = }.
return function()
  local lines, sources = {}, {}
  for _, source in ipairs(SOURCES) do
    local ran = reg.process.run { shell = "cd $REGENGINE_TEST_DATA/../.. && (" .. source[2] .. ") 2>/dev/null || true" }
    local all = {}
    for line in ran.stdout:gmatch(source.block or "[^\n]+") do all[#all + 1] = line end
    local count = math.min(MOST, #all)
    for i = 1, count do lines[#lines + 1] = { source = source[1], text = all[(i - 1) * #all // count + 1] } end
    sources[#sources + 1] = { name = source[1], count = count }
  end
  return lines, sources
end
