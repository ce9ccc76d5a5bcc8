#!/usr/bin/env bash
# Makes the Debian package and the archive, and checks what they contain.
#
#   debian_test.sh BUILD FOLDER
set -euo pipefail
build=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cpack --config "$build/CPackConfig.cmake" -B "$folder" -G 'DEB;TGZ'
package=$(echo "$folder"/*.deb) archive=$(echo "$folder"/*.tar.gz)
dpkg-deb --info "$package" | tee "$folder/info"
grep -q '^ Depends: .*libc6' "$folder/info"
dpkg-deb -x "$package" "$folder/root"
"$(dirname "$0")/check_files.sh" "$folder/root/usr"
mkdir "$folder/archive"
tar -xzf "$archive" -C "$folder/archive" --strip-components=1
"$(dirname "$0")/check_files.sh" "$folder/archive"
LD_LIBRARY_PATH=$folder/root/usr/lib "$folder/root/usr/bin/graft" --version
