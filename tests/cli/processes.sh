#!/bin/sh
# Runs of several processes, and reports that become one.
#
#     processes.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
#
# CASE is a function below.
set -eu
case_name=$1
source_directory=$2
build=$3
clerk=$build/bin/clerk
. "$source_directory/tests/cli/checks.sh"
unset OCL_ICD_VENDORS CLERK_CHECKS CLERK_CONTENTS CLERK_SCHEDULE OMPI_COMM_WORLD_RANK 2>/dev/null || true
CLERK_CACHE=$work/cache
export CLERK_CACHE
ln -s "$build/tests/mistaken" "$build/tests/verdicts" .

never_says() {
    if grep -qF -- "$2" "$1"; then fail "'$1' says '$2': $(cat "$1")"; fi
}

# count N WORDS FILE: the words stand there so often
count() {
    found=$(grep -cF -- "$2" "$3" || true)
    [ "$found" -eq "$1" ] || fail "'$3' says '$2' $found times: $(cat "$3")"
}

run() {
    wanted_status=$1
    shift
    status "$wanted_status" "$clerk" run --device reference "$@"
}

# Five processes of each of two programs that are wrong at once, and one that is right.
findings_of_processes() {
    cat >launcher.sh <<'LAUNCHER'
for i in 1 2 3 4 5; do
    ./mistaken build size &
    ./mistaken build local &
done
./mistaken build none
wait
exit "$1"
LAUNCHER
    run 0 -- ./mistaken build none # compiles
    run 99 --findings found --report r.json --report r.sarif --report r.xml --report r.html -- sh launcher.sh 0
    count 2 "error: [kernel-argument]" err
    says err "seen:   5 times, in ./mistaken build size (5 processes)"
    says err "seen:   5 times, in ./mistaken build local (5 processes)"
    says err "clerk: 2 errors"
    says err "clerk: 11 processes called OpenCL: "
    says err "./mistaken build none"
    # No line of one process is within that of another.
    count 10 '"finding":1' found
    [ "$(grep -c '^{"finding":1.*"id":[0-9]*}]}$' found)" -eq 10 ] || fail "lines are torn: $(cat found)"
    for file in r.json r.sarif r.xml r.html; do
        says $file "./mistaken build size"
        says $file "./mistaken build local"
        never_says $file "./mistaken build none"
    done
    for form in github gcc; do
        run 99 --format $form -- sh launcher.sh 0
        says err "seen in: ./mistaken build size (5 processes)"
    done
    # The launcher's own status is its word.
    run 5 --report r.json -- sh launcher.sh 5
    count 2 '"finding":1' r.json
}

# Of one process that clerk itself has started there is nothing to tell.
one_process_is_not_named() {
    run 99 --report r.json --report r.sarif -- ./mistaken build size
    never_says err "seen:"
    never_says err "called OpenCL"
    never_says r.sarif "mistaken build"
    says r.json '"processes":[{"command":"./mistaken build size"}]'
    run 99 -- sh -c './mistaken build size; true'
    says err "seen:   in ./mistaken build size"
    says err "clerk: 1 process called OpenCL: ./mistaken build size"
    run 99 -- env OMPI_COMM_WORLD_RANK=2 sh -c './mistaken build size; true'
    says err "seen:   in ./mistaken build size, rank 2"
}

traces_of_processes() {
    run 99 -o t.db -- sh -c './mistaken build size; ./mistaken build local'
    says err "seen:   in ./mistaken build size in t.db"
    says err "seen:   in ./mistaken build local in t.2.db"
    says err "calls recorded in t.db, of ./mistaken build size"
    says err "calls recorded in t.2.db, of ./mistaken build local"
    status 0 "$clerk" show t.2.db findings
    says out "[kernel-argument]"
    never_says out "seen:"
}

# What was not checked is told of the process that it is true of, whichever ended last.
gaps_of_processes() {
    run 0 -- sh -c './verdicts refused; ./verdicts kill; ./verdicts; true'
    says err "1 build for the reference device failed: the kernels of such a program were not checked (./verdicts refused)"
    says err "./verdicts kill did not end by itself"
    count 1 "did not end by itself" err
}

reports_become_one() {
    run 99 --report a.json -- ./mistaken build size
    run 99 --report b.json -- ./mistaken build local
    run 0 --report c.json -- ./mistaken build none
    silent c.json
    status 1 "$clerk" report a.json b.json c.json --report all.json --report all.sarif
    says out "seen:   in ./mistaken build size"
    says out "seen:   in ./mistaken build local"
    says out "clerk: 2 errors"
    count 2 '"finding":1' all.json
    says all.sarif "seen in: ./mistaken build local"
    status 0 "$clerk" report c.json
    says out "clerk: no findings"
    # Equal findings are one; what is made of several may be made one with others.
    status 1 "$clerk" report a.json all.json
    says out "seen:   2 times, in ./mistaken build size"
    says out "clerk: 2 errors"
    # What the parts left out, or knew, or did not check, the whole does too.
    echo '{"not_shown":3,"rule":"race-local"}' >>c.json
    status 1 "$clerk" report c.json
    says out "... and 3 more of [race-local] not shown"
    run 0 --baseline a.json --report known.json -- ./mistaken build size
    status 0 "$clerk" report known.json --report known.sarif
    says out "clerk: no findings (1 known)"
    says known.sarif '"baselineState":"unchanged"'
    status 1 "$clerk" report known.json a.json
    says out "clerk: 1 error"
    never_says out "known"
    status 0 "$clerk" report a.json --baseline known.json
    echo '{"unchecked":"half was seen","severity":"error"}' >gap.json
    status 2 "$clerk" report gap.json
    says out "clerk: half was seen"
    # Nothing is lost in silence.
    (cat a.json && head -c 40 b.json) >torn.json
    status 1 "$clerk" report torn.json
    says out "line 2 of 'torn.json' is not in the report"
    status 2 "$clerk" report torn.json --fail-on never
    sed 's/"kernel-argument"/"of-next-year"/' a.json >new.json
    (cat gap.json new.json) >newer.json
    status 2 "$clerk" report newer.json
    says out "has no rule 'of-next-year'"
    status 2 "$clerk" report a.json all.sarif
    says err "'all.sarif' is not a report in the form JSON"
    status 2 "$clerk" report a.json none.json
    says err "none.json"
    status 2 "$clerk" report
}

"$case_name"
