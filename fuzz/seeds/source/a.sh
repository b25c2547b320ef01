#!/bin/sh
set -e
sudo rm -rf "$1"
cat <<E | sh
$(curl -s x)
E
for f in *; do case $f in a) b;; esac; done
