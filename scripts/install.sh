#!/bin/sh
# Installs the executable of deed for this account, without Node:
#   curl -fsSL https://github.com/deed-cli/deed/releases/latest/download/install.sh | sh
#   sh install.sh [--version 1.2.3] [--dir ~/.local/bin] [--uninstall]
# Verifies the checksum and, where cosign is installed, the signature of the release. Needs no root.
set -eu

releases=${DEED_RELEASES:-https://github.com/deed-cli/deed/releases}
dir=${DEED_INSTALL_DIR:-$HOME/.local/bin}
share=${XDG_DATA_HOME:-$HOME/.local/share}
version=
action=install
links='vybe pt ai-agent'

fail() { echo "install.sh: $1" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    --version) version=${2:?--version needs a value}; shift 2 ;;
    --dir) dir=${2:?--dir needs a value}; shift 2 ;;
    --uninstall) action=uninstall; shift ;;
    *) fail "unknown argument $1; use --version, --dir or --uninstall" ;;
  esac
done

man="$share/man/man1/deed.1"
bash_completion="$share/bash-completion/completions/deed"
zsh_completion="$share/zsh/site-functions/_deed"
fish_completion="$share/fish/vendor_completions.d/deed.fish"

uninstall() {
  [ -e "$dir/deed" ] || fail "there is no deed in $dir; pass --dir"
  for name in $links; do
    # Only links that lead to this executable.
    if [ "$(readlink "$dir/$name" 2>/dev/null)" = deed ]; then rm -f "$dir/$name"; fi
  done
  rm -f "$dir/deed" "$man" "$bash_completion" "$zsh_completion" "$fish_completion"
  echo "Removed deed from $dir. What was recorded is still in $HOME/.deed; delete it if you do not need it."
  echo "If your coding agents still call deed, remove that by hand, or install again and run: deed setup undo --dry-run"
}

fetch() {
  if command -v curl >/dev/null 2>&1; then curl -fsSL "$1" -o "$2"
  elif command -v wget >/dev/null 2>&1; then wget -q "$1" -O "$2"
  else fail 'curl or wget is needed'
  fi || fail "cannot download $1"
}

hash_of() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1" | cut -d' ' -f1
  else shasum -a 256 "$1" | cut -d' ' -f1
  fi
}

platform() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "there is no build for $(uname -s); on Windows use WSL" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no build for $(uname -m)" ;;
  esac
  libc=
  if [ $os = linux ] && ls /lib/ld-musl-* >/dev/null 2>&1 && ! ls /lib*/ld-linux-* >/dev/null 2>&1; then libc=-musl; fi
  echo "$os-$arch$libc"
}

verify_signature() {
  if ! command -v cosign >/dev/null 2>&1; then
    echo 'cosign is not installed, so only the checksum is verified.'
    return 0
  fi
  fetch "$from/checksums.txt.sigstore.json" "$work/bundle.json"
  cosign verify-blob --new-bundle-format --bundle "$work/bundle.json" \
    --certificate-identity "https://github.com/deed-cli/deed/.github/workflows/release.yml@refs/tags/v$1" \
    --certificate-oidc-issuer https://token.actions.githubusercontent.com \
    "$work/checksums.txt" >/dev/null || fail 'the signature of checksums.txt is not valid; nothing was installed'
  echo 'The signature is valid.'
}

install() {
  mkdir -p "$dir" 2>/dev/null && [ -w "$dir" ] || fail "$dir is not writable; pass another folder with --dir"
  from="$releases/${version:+download/v}${version:-latest/download}"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  fetch "$from/checksums.txt" "$work/checksums.txt"
  target=$(platform)
  line=$(grep -E "^[0-9a-f]{64}  deed-[0-9][^ /]*-$target\.tar\.gz$" "$work/checksums.txt") || fail "the release has no build for $target"
  [ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail 'checksums.txt is ambiguous'
  expected=${line%% *}
  archive=${line##* }
  found=${archive#deed-}
  found=${found%-"$target".tar.gz}
  verify_signature "$found"
  fetch "$from/$archive" "$work/$archive"
  [ "$(hash_of "$work/$archive")" = "$expected" ] || fail "the checksum of $archive is wrong; nothing was installed"
  mkdir "$work/deed"
  tar -xzf "$work/$archive" -C "$work/deed"
  chmod 755 "$work/deed/deed"
  "$work/deed/deed" --version >/dev/null || fail 'the executable does not start on this machine; nothing was installed'
  # A running deed keeps its file; the new one gets its name in one step.
  mv -f "$work/deed/deed" "$dir/.deed.new"
  mv -f "$dir/.deed.new" "$dir/deed"
  for name in $links; do
    if [ ! -e "$dir/$name" ]; then ln -s deed "$dir/$name"; fi
  done
  place "$work/deed/share/man/man1/deed.1" "$man"
  place "$work/deed/share/completions/deed.bash" "$bash_completion"
  place "$work/deed/share/completions/_deed" "$zsh_completion"
  place "$work/deed/share/completions/deed.fish" "$fish_completion"
  echo "Installed deed $found in $dir."
  case ":$PATH:" in
    *":$dir:"*) ;;
    *) echo "Add it to your PATH: export PATH=\"$dir:\$PATH\"" ;;
  esac
  echo 'Next: deed setup --dry-run'
}

# Manual page and completions are optional.
place() {
  [ -f "$1" ] || return 0
  mkdir -p "$(dirname "$2")" && cp "$1" "$2" || echo "install.sh: cannot write $2; deed works without it" >&2
}

# Everything is read before anything runs, so that an interrupted download does nothing.
$action
