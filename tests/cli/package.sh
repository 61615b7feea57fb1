#!/bin/sh
# clerk installed: nothing of the build tree or the source is used.
#
#     package.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
set -eu
case_name=$1
here=$2/tests/cli
source=$2
build=$3
. "$here/checks.sh"
CLERK_CACHE=$work/cache
HOME=$work
export CLERK_CACHE HOME

command -v clinfo >/dev/null || skip "clinfo is not installed (Debian: clinfo)"
needs_no_sanitizer clinfo

# works_from PREFIX COMMAND...: clerk of that prefix, below the directory `root`, runs programs by way of COMMAND
works_from() {
    prefix=$1
    shift
    # The module finds the program of its prefix.
    if [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        status 0 "$@" env -u CLERK PYTHONDONTWRITEBYTECODE=1 "PYTHONPATH=${PYTHON_PACKAGES-$prefix/lib/python3/dist-packages}" \
            /usr/bin/python3 -c 'import clerk; print(clerk.program.find())'
        says out "$prefix/bin/clerk"
    fi
    status 0 "$@" "$prefix/bin/clerk" run --device reference -- clinfo --list
    says out "clerk reference device"
    says err "clerk: no findings"
    status 1 "$@" "$prefix/bin/clerk" kernel "$prefix/share/clerk/examples/reduce.cl" --build -DGROUP_SIZE=64 -g 64 -l 64 \
        -a 'buf:uint[64]=1' -a 'buf:uint[1]'
    says out "race-local"
    [ -s "$root$prefix/share/man/man1/clerk.1.gz" ] || fail "there is no manual page"
    for verb in $(sed -n 's/^VERB(\(.*\))$/\1/p' "$source/viewer-cli/verbs.def"); do
        [ -s "$root$prefix/share/man/man1/clerk-$verb.1.gz" ] || fail "there is no manual page of $verb"
    done
}

installed_somewhere() {
    status 0 cmake --install "$build" --prefix "$work/prefix"
    root=
    works_from "$work/prefix"
    if grep -rIlF "$build" prefix >named; then fail "these files name the build tree: $(cat named)"; fi
}

# What was installed, and what was built, works where it was moved to: the place that it came from is gone.
moved_elsewhere() {
    status 0 cmake --install "$build" --prefix "$work/before"
    mv before after
    root=
    works_from "$work/after"
    mkdir tree
    cp -r "$build/bin" "$build/lib" "$build/share" tree/
    sed -i 's/^/moved/' tree/share/clerk/vendors/clerk.icd
    status 0 "$work/tree/bin/clerk" run --device reference -o t.db -- clinfo --list
    says out "clerk reference device"
    status 0 "$work/tree/bin/clerk" replay t.db
}

# The package, installed on top of a copy of this system that is thrown away.
package_installed() {
    [ "$(id -u)" -eq 0 ] || skip "only root can make a root of its own"
    for tool in cpack dpkg-deb dpkg-shlibdeps file unshare; do
        command -v $tool >/dev/null || skip "$tool is not installed (Debian: cmake dpkg-dev file util-linux)"
    done
    unshare --mount sh -c 'mount -t tmpfs tmpfs /mnt && mkdir /mnt/upper /mnt/work /mnt/root &&
        mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root' 2>/dev/null ||
        skip "this system lets nobody mount an overlay"
    unshare --mount sh "$here/package.sh" package_inside "$source" "$build"
}

package_inside() {
    root=/mnt/root
    mount -t tmpfs tmpfs /mnt
    mkdir /mnt/upper /mnt/work $root
    mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work $root
    status 0 cpack --config "$build/CPackConfig.cmake" -B "$work/package"
    cp package/clerk*.deb $root/
    if dpkg-deb --field package/clerk-layer_*.deb Depends | grep -q -e clang -e llvm; then fail "the layer alone wants a compiler"; fi
    ! command -v lintian >/dev/null || status 0 lintian --fail-on error --allow-root package/*.deb
    for directory in /proc /dev /sys; do
        mount --rbind $directory $root$directory
    done
    # Where this test runs from is not there.
    mount -t tmpfs tmpfs "$root$source"
    [ "${build#"$source"/}" != "$build" ] || mount -t tmpfs tmpfs "$root$build"
    status 0 chroot $root sh -c "dpkg --install /clerk*.deb"
    PYTHON_PACKAGES= # Debian's python3 looks there by itself
    works_from /usr chroot $root env -C /tmp
    [ ! -x /usr/bin/py3compile ] || [ -d $root/usr/lib/python3/dist-packages/clerk/__pycache__ ] || fail "the module is not compiled"
    # The device is in every program's list once its user links it there, and not before.
    status 0 chroot $root clinfo --list
    if grep -q "clerk reference device" out; then fail "the device is offered without being asked for"; fi
    chroot $root mkdir -p /etc/OpenCL/vendors
    chroot $root ln -s /usr/share/clerk/vendors/clerk.icd /etc/OpenCL/vendors/
    status 0 chroot $root clinfo --list
    says out "clerk reference device"
    status 0 chroot $root dpkg --purge clerk clerk-layer
    [ -z "$(find $root/usr -name '*clerk*')" ] || fail "the package leaves $(find $root/usr -name '*clerk*')"
}

# A Debian 12 that has nothing but apt: whether the package names all that it needs. Takes minutes, and a mirror of Debian.
package_on_clean_debian() {
    [ -n "${CLERK_CLEAN_DEBIAN:-}" ] || skip "it fetches a Debian; CLERK_CLEAN_DEBIAN=1 asks for it"
    [ "$(id -u)" -eq 0 ] || skip "only root can make a root of its own"
    command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed (Debian: mmdebstrap)"
    status 0 cpack --config "$build/CPackConfig.cmake" -B "$work/package"
    cat >inside <<'INSIDE'
set -eux
cd /tmp
apt-get install -y --no-install-recommends /clerk*.deb
clerk doctor | tail -1
apt-get install -y --no-install-recommends clinfo gcc libc6-dev opencl-c-headers ocl-icd-opencl-dev
clerk run -- clinfo
clerk run --device reference -- clinfo --list | grep 'clerk reference device'
cp -r /usr/share/clerk/examples .
gcc -g -DCL_TARGET_OPENCL_VERSION=120 -o reduce examples/reduce.c -lOpenCL
clerk run --device reference -o reduce.db -- ./reduce examples/reduce.cl || [ $? -eq 99 ]
clerk show reduce.db
clerk export reduce.db --format html -o reduce.html
clerk replay reduce.db || [ $? -eq 1 ]
echo "the package works"
INSIDE
    status 0 mmdebstrap --variant=apt --customize-hook='cp package/clerk*.deb "$1"' \
        --customize-hook='cp inside "$1"' --customize-hook='chroot "$1" sh /inside' bookworm /dev/null
    cat out err >said
    says said "everything that clerk needs is here"
    says said "sum_groups (examples/reduce.c:84)"
    says said "the package works"
}

$case_name
