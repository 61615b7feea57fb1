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

# Launches that are left out run as they are, and are told; those that are not are checked.
launches_are_left_out() {
    ln -s "$build/tests/launches" .
    run 99 -- ./launches unwritten
    run 99 --kernels count -- ./launches unwritten
    says err "[uninitialised-branch]"
    says err "clerk: 1 of 2 launches was not checked: --kernels leaves out 1"
    run 0 --kernels '^(coun|fill)$' -- ./launches unwritten
    says err "clerk: no findings"
    says err "clerk: 1 of 2 launches was not checked: --kernels leaves out 1"
    # What a launch that is left out writes is written.
    run 0 --kernels count -- ./launches written
    says err "clerk: no findings"
    run 99 --kernels follow -- ./launches freed
    says err "[access-freed]"
    run 99 --kernels follow -- ./launches kept
    says err "[access-stale]"
    # Of fill and three times count.
    run 99 -- ./launches again
    says err "seen:   3 times"
    never_says err "not checked"
    run 99 --sample 1/2 -- ./launches again
    says err "seen:   2 times"
    says err "clerk: 1 of 4 launches was not checked: --sample leaves out 1"
    run 99 --launches 3 -- ./launches again
    never_says err "seen:"
    says err "clerk: 3 of 4 launches were not checked: --launches leaves out 3"
    run 0 --launches 1 -- ./launches again
    run 99 --kernels count --sample 1/3 --launches 1-3 -- ./launches again
    never_says err "seen:"
    says err "--kernels leaves out 1, --launches leaves out 1, --sample leaves out 1"
    run 99 --time-limit 1000 -- ./launches again
    never_says err "not checked"
    run 99 --report r.json --report r.sarif --sample 1/2 -- ./launches again
    says r.json '{"unchecked":"1 of 4 launches was not checked'
    says r.sarif "1 of 4 launches was not checked"
    for wrong in "--kernels (" "--sample 1/0" "--sample 2/3" "--launches 4-2" "--time-limit x"; do
        run 2 $wrong -- ./launches again
        says err "${wrong##* }"
    done
    # The same of a recording.
    run 99 -o t.db -- ./launches again
    status 1 "$clerk" replay t.db --sample 1/2
    says out "clerk: 1 of 4 launches was not checked: --sample leaves out 1"
    status 0 "$clerk" replay t.db --kernels fill
    says out "clerk: 3 of 4 launches were not checked: --kernels leaves out 3"
    status 2 "$clerk" replay t.db --kernels '('
}

# The same of checked copies on a driver's device, where nobody knows what a launch that is left out has written: all that
# it could.
probes_are_left_out() {
    [ -n "$(find /etc/OpenCL/vendors -name '*.icd' 2>/dev/null)" ] || exit 77
    ln -s "$build/tests/launches" .
    HOME=$work
    export HOME
    while read -r options && read -r told; do
        status "${told%%,*}" "$clerk" run --probes $options -- ./launches again
        says err "clerk: probes: ${told#*,}"
    done <<'OPTIONS'
--kernels coun
0,1 of 2 kernels, 3 of 4 launches checked (fill: --kernels leaves it out
--sample 1/2
99,1 of 2 kernels, 3 of 4 launches checked (count: --sample leaves launches out
--launches 1
0,1 of 2 kernels, 1 of 4 launches checked (count: --launches leaves launches out
OPTIONS
}

"$case_name"
