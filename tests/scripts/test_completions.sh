#!/bin/sh
# The completions do in each shell what they promise, and the man page has no warnings. The build makes both.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$engine")
completions=$build/completions
missing=
have() { command -v "$1" >/dev/null || { missing="$missing $1"; false; }; }

mkdir work
cd work
touch mine.lua other.txt
mkdir sub

# offers SHELL LINE WANTED UNWANTED: fails unless the shell offers the one for the end of the line, and not the other.
offers() {
  candidates "$1" "$2" >../out 2>../err || fail "$1: '$2' failed"
  cd ..
  said "$3"
  [ -z "${4:-}" ] || not_said "$4"
  cd work
}

# Every shell is asked the same.
asked() {
  offers "$1" "regengine bis" bisect nightly
  offers "$1" "regengine doc" doctor
  offers "$1" "regengine mi" mine.lua
  offers "$1" "regengine o" open other.txt
  offers "$1" "regengine --stu" --stubs --store
  offers "$1" "regengine --memory 3G agg" aggregate
  offers "$1" "regengine bisect --fir" --first-parent
  offers "$1" "regengine bisect --first-parent --no-i" --no-init
  offers "$1" "regengine bisect.lua --runtime p" podman docker
  offers "$1" "regengine bisect --runtime=p" podman docker
  offers "$1" "regengine suite --order r" random abba
  offers "$1" "regengine gc --" --remove
  offers "$1" "regengine help nig" nightly
  offers "$1" "regengine bisect --repo s" sub other.txt
  offers "$1" "regengine nightly --image re" registry.example/jax:nightly
  offers "$1" "regengine nightly --image registry.example/jax:n" nightly
  offers "$1" "regengine report -o ot" other.txt
}

mkdir ../tools
executable ../tools/docker <<'END'
echo registry.example/jax:nightly
echo '<none>:<none>'
END
ln -s docker ../tools/podman
PATH=$folder/tools:$PATH

if have bash; then
  # As readline calls it: the words of the line, split at "=" and ":" as well. Where nothing is offered, it offers files.
  cat >../complete.bash <<'END'
source "$1"
compopt() { [[ $2 != dirnames ]] || mapfile -t COMPREPLY < <(compgen -d -- "$value"); }
COMP_LINE=$2 COMP_POINT=${#2}
read -ra COMP_WORDS <<<"$(sed -E 's/([=:])/ \1 /g' <<<"$2")"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_regengine
((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "$value")
printf '%s\n' "${COMPREPLY[@]}"
END
  candidates() { "$1" "$folder/complete.$1" "$completions/regengine.$1" "$2"; }
  asked bash
  if have python3; then
    # A folder of somebody else's may have any names.
    mkdir ../evil
    for name in 'a;touch REACHED;.lua' 'b$(touch REACHED).lua' 'c`touch REACHED`.md'; do : >"../evil/$name"; done
    mkdir '../evil/d;touch REACHED;'
    for begin in 'a' ./a './b' './c' './d'; do
      python3 "$source_root/tests/scripts/completed_file.py" "$completions/regengine.bash" ../evil "$begin" >../out
      [ "$(wc -l <../out)" = 1 ] && [ ! -e ../evil/REACHED ] || fail "bash: a file's name ran as a command: $begin"
    done
    grep -qxF './d;touch REACHED;/' ../out || fail "bash: the folder is not completed"
  fi
  echo "bash: completes"
fi

if have fish; then
  fish --no-config -n "$completions/regengine.fish" || fail "fish cannot read its completion"
  cat >../complete.fish <<'END'
source $argv[1]
complete -C $argv[2] | cut -f 1
END
  candidates() { fish --no-config "$folder/complete.fish" "$completions/regengine.fish" "$2"; }
  asked fish
  echo "fish: completes"
fi

if have zsh; then
  zsh -n "$completions/_regengine" || fail "zsh cannot read its completion"
  # A shell in a terminal of its own, to which the line and Tab are typed, and Ctrl-A to put echo before it.
  cat >../complete.zsh <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1='> '; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D; setopt nobeep; LISTMAX=1000"
zpty -w z "echo sh\"ell is ready\""
zpty -r z seen '*shell is ready*'
zpty -w -n z "$2"$'\t\x01'"echo answer: "$'\n'
zpty -w z "echo li\"ne is done\""
zpty -r z seen '*line is done*'
print -r -- ${${seen##*answer: }%%$'\r'*}
zpty -d z
END
  candidates() { zsh -f "$folder/complete.zsh" "$completions" "$2"; }
  asked zsh
  echo "zsh: completes"
fi

cd ..
if have groff; then
  groff -man -Tutf8 -ww -z "$build/regengine.1" 2>err || fail "groff cannot read the man page"
  [ ! -s err ] || fail "the man page has warnings"
  groff -man -Tutf8 -P-cbou "$build/regengine.1" >out
  said "--first-parent" "regengine bisect --repo"
  echo "man page: no warnings"
fi
[ -z "$missing" ] || skip "not installed:$missing"
