#!/bin/sh
# tests/pipeline/native_pairs.sh in full: also runs on two simulated machines by the program alone, held against each other.
FULL=1 exec sh tests/pipeline/native_pairs.sh
