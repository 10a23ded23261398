#!/usr/bin/env bash
# Looks at a report page in Chromium, as a reader would: tests/browser.sh [PAGE]... Without a page it takes the one with a figure of each
# kind that the integration tests write. A page must work from a file, ask the network for nothing, and fit a narrow screen.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- target/tmp/figures.html

skip() { echo "skipped: $1"; exit 0; }

browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 || true
    browser=$(command -v chromium || true)
fi
[ -n "$browser" ] || skip "there is no Chromium, and it cannot be installed"
command -v npm >/dev/null || skip "there is no npm to install playwright-core with"
for page in "$@"; do
    [ -f "$page" ] || { echo "$page: there is no such page; cargo test --release writes the usual one"; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm install --silent --no-audit --no-fund --prefix . playwright-core >/dev/null 2>&1) || skip "npm cannot install playwright-core"
cp tests/browser.mjs "$work"
for page in "$@"; do
    echo "$page"
    node "$work/browser.mjs" "$browser" "$(realpath "$page")" "$(mktemp -d -p "$work")"
done
