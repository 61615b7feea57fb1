#!/bin/sh
# clerk as a debugger for editors: sh dap.sh CASE SOURCE BUILD. Most need node and packages of npm, which are
# installed below BUILD; where these are not to be had they are skipped.
case_name=$1
source=$2
build=$3
modules=$build/tests/npm

skip() {
    echo "skipped: $1"
    exit 77
}

# What package.json names, once.
install_packages() {
    command -v node > /dev/null && command -v npm > /dev/null || skip "node and npm are not installed"
    mkdir -p "$modules" || exit 1
    if ! cmp -s "$source/tests/dap/package.json" "$modules/installed.json"; then
        cp "$source/tests/dap/package.json" "$modules/package.json" || exit 1
        (cd "$modules" && npm install --ignore-scripts --no-audit --no-fund --no-package-lock > npm.log 2>&1) ||
            skip "npm could not install the packages: $(tail -n 1 "$modules/npm.log")"
        cp "$modules/package.json" "$modules/installed.json"
    fi
    export NODE_PATH="$modules/node_modules"
}

# Launch, breakpoints, stepping, variables: over the client that VS Code's adapters are tested with.
protocol() {
    node "$source/tests/dap/dap_test.js" "$build/bin/clerk" "$modules"
}

# The extension for VS Code can be packaged, and has what it names.
extension_is_packaged() {
    directory=$build/tests/vscode
    rm -rf "$directory"
    mkdir -p "$directory" && cp -r "$source/viewer-cli/vscode/." "$source/LICENSE" "$directory" || exit 1
    (cd "$directory" && node "$modules/node_modules/@vscode/vsce/vsce" package --out clerk.vsix --allow-missing-repository) || exit 1
    node "$source/tests/dap/extension_test.js" "$directory"
}

# An editor that is not VS Code.
emacs_debugs() {
    emacs=$(command -v emacs) || skip "there is no emacs"
    "$emacs" --batch --eval "(progn (package-initialize) (require 'dap-mode))" > /dev/null 2>&1 ||
        skip "emacs has no dap-mode (Debian: elpa-dap-mode)"
    folder=$build/tests/emacs
    rm -rf "$folder"
    mkdir -p "$folder" && cp "$source/tests/dap/scale.cl" "$folder" || exit 1
    HOME=$folder "$emacs" --batch -l "$source/tests/dap/emacs.el" "$build/bin/clerk" "$folder/scale.cl" "$folder"
}

[ "$case_name" = emacs_debugs ] || install_packages
$case_name
