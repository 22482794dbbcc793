#!/bin/sh
# A wrapper chain as package launchers make it: `chain.sh shell FILE` starts a launcher, which
# starts a worker. The shell leaves on TERM, the launcher dies of it, the worker ignores it and goes
# on writing to FILE.
case $1 in
shell)
    trap 'exit 0' TERM
    sh "$0" launcher "$2" &
    wait
    ;;
launcher)
    sh "$0" worker "$2"
    ;;
worker)
    trap '' TERM
    while :; do
        echo "$$" >>"$2"
        sleep 0.05
    done
    ;;
esac
