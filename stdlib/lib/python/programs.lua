-- What runs in Python or in a shell: which interpreter there is, what an index has of a package, how an environment is
-- made, and what came of it.

local values = require "lib/values"

local programs = {}

--- Tells about the interpreter that runs it: one JSON object.
programs.INTERPRETER = [==[
import importlib.util, json, sys
print(json.dumps({"path": sys.executable, "version": "%d.%d.%d" % sys.version_info[:3],
    "pip": importlib.util.find_spec("pip") is not None}))
]==]

--- What an index has of a package: NAME FROM TO PRE PAGE..., where a page is the URL of an index, with user and
--- password if it wants them, and the first one that has the package counts. FROM and TO are versions, days or "", PRE
--- is "pre" or "". Prints one JSON object: `first` and `last` of all, and `releases`, the oldest first. It exits with 3
--- if no index has the package, and with 4 if one does not answer.
programs.RELEASES = [==[
import base64, datetime, html.parser, json, re, ssl, sys, urllib.error, urllib.parse, urllib.request
try:
    from packaging.version import InvalidVersion, Version
except ImportError:
    try:
        from pip._vendor.packaging.version import InvalidVersion, Version
    except ImportError:
        sys.exit("%s has neither pip nor packaging" % sys.executable)

name, first, last, pre, pages = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4] == "pre", sys.argv[5:]
DAY = r"\d{4}-\d\d-\d\d"
ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"

class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.files = []

    def handle_starttag(self, tag, attributes):
        at = dict(attributes)
        if tag == "a" and at.get("href"):
            place, _, digest = at["href"].partition("#")
            self.files.append({"filename": urllib.parse.unquote(place.rsplit("/", 1)[-1]), "hashes": {"any": digest},
                "yanked": at.get("data-yanked", False) if "data-yanked" in at else False})

def files_of(page):
    parts = urllib.parse.urlsplit(page)
    host = parts.hostname + (":%d" % parts.port if parts.port else "")
    request = urllib.request.Request(urllib.parse.urlunsplit((parts.scheme, host, parts.path.rstrip("/") + "/" + name
        + "/", parts.query, "")), headers={"Accept": ACCEPT})
    if parts.username:
        user = urllib.parse.unquote(parts.username) + ":" + urllib.parse.unquote(parts.password or "")
        request.add_header("Authorization", "Basic " + base64.b64encode(user.encode()).decode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
        if "json" in answer.headers.get("Content-Type", ""):
            return json.loads(text)["files"]
        links = Links()
        links.feed(text)
        return links.files

def version_of(filename):
    stem = re.sub(r"\.(whl|tar\.gz|zip|tar\.bz2|tgz)$", "", filename)
    if stem == filename:
        return None
    parts = stem.split("-")
    try:
        return Version(parts[1] if filename.endswith(".whl") else stem[len(name) + 1:])
    except (InvalidVersion, IndexError):
        return None

def day_in(version):
    found = re.search(r"(?<!\d)(20\d\d)(\d\d)(\d\d)(?!\d)", str(version))
    try:
        return str(datetime.date(*map(int, found.groups()))) if found else None
    except ValueError:
        return None

def silent(page, why):
    print("%s: %s" % (urllib.parse.urlsplit(page).hostname, why), file=sys.stderr)
    sys.exit(4)

def end_of(text):
    try:
        return datetime.date.fromisoformat(text) if re.fullmatch(DAY, text) else Version(text)
    except ValueError:
        sys.exit("not a version or a day: '%s'" % text)

ends = [end_of(text) for text in (first, last) if text]
days = any(isinstance(end, datetime.date) for end in ends)
if len({type(end) for end in ends}) > 1:
    sys.exit("one end is a day and the other one a version: %s, %s" % (first, last))
if len(ends) == 2 and ends[0] > ends[1]:
    sys.exit("the first end is after the last one: %s, %s" % (first, last))
files = None
for page in pages:
    try:
        files = files_of(page)
    except urllib.error.HTTPError as error:
        if error.code not in (401, 403, 404):
            silent(page, error)
    except (OSError, ValueError) as error:
        silent(page, getattr(error, "reason", error))
    if files:
        break
if not files:
    sys.exit(3)

releases = {}
for file in files:
    version = version_of(file["filename"])
    if version is None:
        continue
    one = releases.setdefault(version, {"version": str(version), "files": [], "yanked": []})
    one["files"].append(file["filename"] + " " + " ".join(sorted((file.get("hashes") or {}).values())))
    one["yanked"].append(file.get("yanked", False))
    uploaded = file.get("upload-time")
    if uploaded:
        one["uploaded"] = min(one.get("uploaded", uploaded), uploaded)

chosen = []
for version in sorted(releases):
    one = releases[version]
    one["day"] = day_in(version) or one.get("uploaded", "")[:10] or None
    one["dated"] = day_in(version) is not None
    yanked = all(flag is not False for flag in one["yanked"])
    one["yanked"] = next((flag for flag in one["yanked"] if flag not in (False, True, "")), True) if yanked else None
    one["files"] = "\n".join(sorted(one["files"]))
    if days:
        wanted = one["day"] and (first or "0") <= one["day"] <= (last or "9")
        wanted = wanted and (pre or one["dated"] or not version.is_prerelease)
    else:
        wanted = (not first or version >= ends[0]) and (not last or version <= ends[-1] or
            version.public == ends[-1].public and not ends[-1].local)
        wanted = wanted and (pre or not version.is_prerelease or version in ends)
    if wanted:
        chosen.append(one)
if days:
    chosen.sort(key=lambda one: one["day"])
chosen = [{key: value for key, value in one.items() if value is not None} for one in chosen]
print(json.dumps({"first": str(min(releases)), "last": str(max(releases)), "releases": chosen}))
]==]

-- Reads back what was installed, in awk, which starts ten times as fast as Python: its files are the list of
-- "NAME VERSION HASH" of each package, and the METADATA of all that is there. It says which package is another one than
-- asked for and exits with 1, or writes the file $ENVIRONMENT/program: what these packages were built from, where they
-- say so, as nightlies of one commit do.
local CHECK <const> = [==[
function normal(name) { name = tolower(name); gsub(/[-_.]+/, "-", name); return name }
# "1.01-RC.1" and "1.1rc1" are one version: its numbers and words are the same.
function words(version,    word, all) {
  for (version = tolower(version); match(version, /[0-9]+|[a-z]+/); version = substr(version, RSTART + RLENGTH)) {
    word = substr(version, RSTART, RLENGTH)
    while (word ~ /^0[0-9]/) word = substr(word, 2)
    if (word == "alpha") word = "a"
    if (word == "beta") word = "b"
    if (word ~ /^(c|pre|preview)$/) word = "rc"
    if (word != "v") all = all " " word
  }
  return all
}
function same(got, version,    g, v) {
  split(got "+", g, "+"); split(version "+", v, "+")
  return words(g[1]) == words(v[1]) && (v[2] == "" || words(g[2]) == words(v[2]))
}
function commit(name, file,    line) {
  gsub(/-/, "_", name)
  for (file = place "/" name "/" file; (getline line < file) > 0; )
    if (line ~ /^[A-Za-z0-9_]*(git|commit|sha|hash)/ && match(line, /^[^=]*= *["\047][0-9a-f]+["\047]/)) {
      gsub(/^[^=]*= *["\047]|["\047].*/, "", line)
      if (length(line) == 40) return line
    }
}
FILENAME == ARGV[1] { asked[++n] = $1; version[n] = $2; hash[n] = $3; next }
FNR == 1 { is_head = 1; name = "" }
{ sub(/\r$/, "") }
$0 == "" { is_head = 0 }
is_head && /^Name:/ { name = normal($2) }
is_head && /^Version:/ { its = $2 }
is_head && name != "" && its != "" { found[name] = its; its = "" }
END {
  place = ARGV[2]; sub(/\/[^\/]*\/[^\/]*$/, "", place)
  for (i = 1; i <= n; i++) {
    if (!same(found[asked[i]], version[i])) {
      print "asked for " asked[i] " " version[i] ", got " (found[asked[i]] == "" ? "none" : found[asked[i]])
      exit 1
    }
    from = commit(asked[i], "version.py")
    if (from == "") from = commit(asked[i], "_version.py")
    print asked[i], from == "" ? version[i] " " hash[i] : from > (ENVIRON["ENVIRONMENT"] "/program")
  }
}
]==]

-- What uv and pip say where the network fails, which passes. An answer of 4xx does not.
local OUTAGES <const> = { "Failed to fetch", "error sending request", "Request failed after", "NewConnectionError",
  "Temporary failure in name resolution", "ReadTimeoutError", "server error (5" }
local REFUSAL <const> = "client error (4"

--- The shell program that makes $ENVIRONMENT, unless it is complete, from the lock of its name: PYTHON UV, where UV is
--- "" with pip. The marker comes last, and who is killed before it leaves a folder that is made again. It exits with
--- OUTAGE where the index does not answer.
programs.OUTAGE = 75
programs.MAKE = [==[
set -e
python=$1 uv=$2 lock=${ENVIRONMENT%/*}/locks/${ENVIRONMENT##*/}
made() { [ -e "$ENVIRONMENT/complete" ] && [ -x "$ENVIRONMENT/bin/python" ]; }
with_uv() {
  "$uv" venv -q --no-project --python "$python" "$ENVIRONMENT" &&
    "$uv" pip sync -q --only-binary :all: --allow-empty-requirements --python "$ENVIRONMENT" "$lock.txt"
}
with_pip() {
  "$python" -I -m venv --without-pip "$ENVIRONMENT" &&
    "$python" -I -m pip --python "$ENVIRONMENT" install -q --no-deps --disable-pip-version-check -r "$lock.txt"
}
# A wheel may have another version than its name says.
failed() {
  said() { printf '%s\n' "$log"; }
  name=$(said | sed -n "s/.*Failed to install: .*(\([^=]*\)==.*/\1/p
    s/.*Requested \([^= ]*\)==.*inconsistent.*/\1/p")
  versions=$(said | sed -n "s/.*Wheel version does not match filename[^0-9]*\([^ ]*\) != \([^ )]*\).*/\2, got \1/p
    s/.*expected '\([^']*\)', but metadata has '\([^']*\)'.*/\1, got \2/p")
  if [ -n "$versions" ]; then echo "asked for $name $versions" >&2; else said >&2; fi
  if ! said | grep -qF "]==] .. REFUSAL .. [==[" &&
      said | grep -qF "]==] .. table.concat(OUTAGES, "\n") .. [==["; then
    exit ]==] .. programs.OUTAGE .. [==[

  fi
  exit 1
}
exec 9>"$ENVIRONMENT.lock"
flock 9
if ! made; then
  [ ! -e "$ENVIRONMENT" ] || rm -rf "$ENVIRONMENT"
  if [ -n "$uv" ]; then with=with_uv; else with=with_pip; fi
  log=$($with 2>&1) || failed
  set -- "$ENVIRONMENT"/lib/python3*/site-packages/*.dist-info/METADATA
  [ -e "$1" ] || shift
  : >"$ENVIRONMENT/program"
  awk ']==] .. CHECK .. [==[' "$lock.packages" "$@" >&2
fi
: >"$ENVIRONMENT/complete"
]==]

--- What comes before a command in $ENVIRONMENT: nobody removes it meanwhile, and no other Python takes its place.
programs.ENTER = 'exec 9<"$ENVIRONMENT.lock"; flock -s 9; [ -x "$ENVIRONMENT/bin/python" ] || '
  .. '{ echo "the environment was removed while it was in use" >&2; exit 125; }; '
  .. 'PATH="$ENVIRONMENT/bin:$PATH"; export PATH; '

--- Prints the lock that uv resolves: FOLDER PREFER COMMAND..., where PREFER is a lock whose versions are kept where
--- they fit. uv wants both in one file, which has the name of this process until its end.
programs.PREFER = [==[
file=$1/locks/pylock.new-$$.toml
cp "$2" "$file"
shift 2
status=0
"$@" -o "$file" >/dev/null && cat "$file" || status=1
rm -f "$file"
exit "$status"
]==]

--- Removes all environments of FOLDER but the KEEP that were used last, and those that are not complete; what another
--- process makes just now stays.
programs.PRUNE = [==[
cd "$FOLDER" 2>/dev/null || exit 0
remove() {
  ( flock -n 9 && rm -f "$1/complete" && rm -rf "$1" ) 9>"$1.lock" || :
}
for one in */; do
  one=${one%/}
  case $one in locks | '*') continue ;; esac
  [ -e "$one/complete" ] || remove "$one"
done
for one in locks/pylock.new-*.toml; do
  pid=${one##*-}
  grep -qsF pylock.new- "/proc/${pid%.toml}/cmdline" || rm -f "$one"  # empty, too, where nobody awaited its end
done
ls -t -- */complete 2>/dev/null | tail -n "+$((KEEP + 1))" |
  while IFS= read -r mark; do remove "${mark%/complete}"; done
]==]

--- Whether a failure is one of the network.
function programs.is_outage(text)
  return not text:find(REFUSAL, 1, true)
    and values.find(OUTAGES, function(sign) return text:find(sign, 1, true) end) ~= nil
end

-- The causes that uv names, each in one line.
local function causes_of(text)
  local causes = {}
  for line in text:gmatch "[^\n]*" do
    local cause = line:match "^%s*cause: (.*)"
    if cause then
      causes[#causes + 1] = cause
    elseif #causes > 0 then
      if not line:find "%S" then break end
      causes[#causes] = causes[#causes] .. " " .. line:match "^%s*(.*)"
    end
  end
  return causes
end

--- Why uv or pip refused, in one line.
function programs.reason(text)
  -- On a day uv leaves out wheels that have none.
  local undated = values.matches(text, "warning: `([%w_.]+)%-[^`]*` is missing an upload date")
  if #undated > 0 then
    local names = values.sorted_names(values.set(values.map(undated, values.plain_name)))
    return "the index has no upload times for " .. table.concat(names, ", ")
  end
  local causes, error_line = causes_of(text), ""
  local first, last = causes[1], causes[#causes]
  if first then return (first == last or last:find " for url ") and last or first .. ": " .. last end
  for line in text:gmatch "[^\r\n]+" do
    if line:find "^%s*ERROR: " or not error_line:find "^%s*ERROR: " then error_line = line end
  end
  return (error_line:gsub("^%s*[Ee][Rr][Rr][Oo][Rr]: ", ""))
end

return programs
