#!/bin/sh
# tests/pipeline/workloads_unixbench.sh in full: twice the units take twice the time in each build, not in a few of them.
FULL=1 exec sh tests/pipeline/workloads_unixbench.sh
