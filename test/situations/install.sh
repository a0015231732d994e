#!/bin/sh
# Installs the optional programs of the triage situations: Debian packages system-wide (root only), npm and pip packages into
# .cache/situations. What cannot be installed is named at the end; the situations that need it are skipped and reported.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${SITUATIONS_CACHE:-$root/.cache/situations}
mkdir -p "$cache"
missing=''

APT='nano emacs-nox vim tmux screen dtach redis-server sqlite3 mariadb-server postgresql memcached mosquitto beanstalkd etcd-server
nats-server nginx-light caddy lighttpd socat netcat-openbsd stunnel4 rsync curl wget aria2 lftp rclone openssh-server openssh-client
borgbackup restic pv zstd ffmpeg chromium xvfb x11-apps xterm mousepad feh zathura zathura-pdf-poppler dbus dbus-x11 pulseaudio
gnupg gpg-agent cron at supervisor tini conmon gdb strace ltrace valgrind tcpdump entr inotify-tools clangd gopls tig mc htop
less bc lsof iproute2 busybox ruby gcc g++ make parallel chromium-driver'
NPM='typescript@5.9.3 typescript-language-server@5.1.3 pyright@1.1.414 bash-language-server@5.8.1 yaml-language-server@2.0.0
vscode-langservers-extracted@4.10.0 dockerfile-language-server-nodejs@0.15.0 @modelcontextprotocol/server-everything@2026.8.31
@modelcontextprotocol/server-memory@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31
@modelcontextprotocol/server-sequential-thinking@2026.8.31 @upstash/context7-mcp@4.1.1 vitest@5.1.0 vite@8.3.8 jest@30.5.2 mocha@12.0.3
webpack@5.112.2 webpack-cli@7.3.1 nodemon@3.1.14 esbuild@0.28.2 rollup@4.68.2 chokidar-cli@3.0.0 onchange@7.1.0 sass@1.108.1
http-server@14.1.1 live-server@1.2.2 json-server@0.17.4 serve@14.2.6 pm2@7.0.4 concurrently@10.0.7 tsx@4.23.15 svelte-language-server@0.18.4
supergateway@4.0.0 @playwright/mcp@0.0.83'
PIP='jupyterlab notebook ipython python-lsp-server jedi-language-server mcp-server-time mcp-server-fetch mcp-server-git pytest
pytest-xdist pytest-watcher uvicorn flask celery gunicorn watchdog'

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  # Servers must not start by themselves after the installation.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' > $policy && chmod 755 $policy
    trap 'rm -f $policy' EXIT
  fi
  apt-get update -qq || echo 'The list of Debian packages is not current.' >&2
  # One package that does not exist must not prevent the others.
  found=''
  for one in $APT; do
    if apt-cache show "$one" >/dev/null 2>&1; then found="$found $one"; else missing="$missing $one(apt)"; fi
  done
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $found >"$cache/apt.log" 2>&1 ||
    missing="$missing apt-get(see $cache/apt.log)"
else
  missing="$missing Debian-packages(needs root and apt-get)"
fi

[ -e "$cache/package.json" ] || echo '{"private":true}' > "$cache/package.json"
# shellcheck disable=SC2086
(cd "$cache" && npm install --no-audit --no-fund --silent $NPM >npm.log 2>&1) || missing="$missing npm-packages(see $cache/npm.log)"

[ -e "$cache/venv" ] || python3 -m venv "$cache/venv"
for one in $PIP; do
  "$cache/venv/bin/pip" install -q --disable-pip-version-check "$one" >>"$cache/pip.log" 2>&1 || missing="$missing $one(pip)"
done

if [ -n "$missing" ]; then
  echo "Not installed:$missing"
  echo 'The situations that need these programs are skipped; main.ts names them.'
  exit 1
fi
echo "Installed in $cache."
