#!/bin/sh
# tests/pipeline/workloads_kernels.sh in full: twice the units take twice the time in each build, not in a few of them; more units for the models.
FULL=1 exec sh tests/pipeline/workloads_kernels.sh
