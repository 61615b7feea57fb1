#!/bin/sh
# The table of rules in docs/MEMORY_MODEL.md: each rule's tests are those that say "covers: RULE". A rule
# without a test says why, after a dash.
#
#     rules.sh ROOT [--update]      --update writes the column of tests instead of comparing it
set -eu
LC_ALL=C
export LC_ALL
root=$1
mode=${2:-check}
page=$root/docs/MEMORY_MODEL.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "RULE NAME" for each rule that a test covers.
cd "$root/tests"
grep -rH '// covers: ' litmus kernels rules --include='*.litmus' --include='*.cl' --include='*.spvasm' --include='*.c' |
    sed -e 's/\.[a-z]*:.*covers: /: /' -e 's/^litmus\///' -e 's/^kernels\///' |
    awk -F': ' '{ n = split($2, rules, " "); for (i = 1; i <= n; i++) print rules[i], $1 }' |
    sort -u > "$work/covered"

awk -v covered="$work/covered" '
    BEGIN {
        while ((getline line < covered) > 0) {
            split(line, part, " ")
            tests[part[1]] = tests[part[1]] (tests[part[1]] == "" ? "" : ", ") part[2]
        }
    }
    /^\| [A-Z][0-9]+ \|/ {
        split($0, cell, "|")
        rule = cell[2]
        gsub(/ /, "", rule)
        known[rule] = 1
        if (cell[4] ~ /^ — /) {
            if (tests[rule] != "") {
                print "rule " rule " has tests, and the page says why it has none" > "/dev/stderr"
                bad = 1
            }
            print
        } else {
            if (tests[rule] == "") {
                print "rule " rule " has no test, and the page does not say why" > "/dev/stderr"
                bad = 1
            }
            print "|" cell[2] "|" cell[3] "| " tests[rule] " |"
        }
        next
    }
    { print }
    END {
        for (rule in tests) {
            if (!(rule in known)) {
                print "rule " rule " is covered by " tests[rule] ", and is not on the page" > "/dev/stderr"
                bad = 1
            }
        }
        exit bad
    }' "$page" > "$work/page"

if [ "$mode" = --update ]; then
    cp "$work/page" "$page"
    exit
fi
diff -u "$page" "$work/page" || { echo "docs/MEMORY_MODEL.md: run tests/litmus/rules.sh with --update"; exit 1; }
