"""Processes of child agents, and the containers that hold all that each of them starts.

orders        a launch, checked                    init          our starter and keeper (a program)
birth         from launch to running child         child         one running child
ladder        the way down                         containers    cgroup, pidns, descent
leader        exit by pidfd                        streams       three pipes without a task
orphans       inherited children                   proc          /proc, proven signals
groups sites  what this machine offers             environment   what a child may see
"""

from subsessiond.adapters.processes.child import Process
from subsessiond.adapters.processes.environment import child_environment, find_program
from subsessiond.adapters.processes.linux import LinuxProcesses
from subsessiond.adapters.processes.portable import PortableProcesses
from subsessiond.adapters.processes.sites import available_containers

__all__ = [
    "LinuxProcesses",
    "PortableProcesses",
    "Process",
    "available_containers",
    "child_environment",
    "find_program",
]
