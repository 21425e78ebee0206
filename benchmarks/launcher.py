"""Start a command, and print its peak memory in bytes.

Linux counts what a process held before it became another program: started by a large one, a small
one would look as large. So whoever asks starts this, by `python -I -S`, which is smaller than
anything that it starts; it imports next to nothing.
"""

import os
import sys


def main() -> None:
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    unit = 1 if sys.platform == "darwin" else 1024
    print(usage.ru_maxrss * unit)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
