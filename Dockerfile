# Checked by reading only: no test builds this image. What its first stage does is one script,
# scripts/install, which the tests of the installed wheel run too.
#
#   docker build -t subsessiond .
#   docker run --rm --init -v subsessiond-state:/home/subsession subsessiond

FROM python:3.11-slim-bookworm AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY scripts/install scripts/install
COPY scripts/locks scripts/locks
COPY subsessiond subsessiond
COPY clients/subsession clients/subsession
# Why /opt/subsessiond: an environment names its own path, so both stages hold it at the same one.
RUN scripts/install /opt/subsessiond

FROM python:3.11-slim-bookworm
# git for the workspaces, util-linux for `unshare`, procps for whoever looks inside.
RUN apt-get update -qq \
 && apt-get install -qq -y --no-install-recommends git procps util-linux \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 subsession \
 && install -d -o subsession -m 0700 /run/user/1000
COPY --from=build /opt/subsessiond /opt/subsessiond
ENV PATH=/opt/subsessiond/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    XDG_RUNTIME_DIR=/run/user/1000
USER subsession
WORKDIR /home/subsession
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["subsession", "status"]
# Docker's own stop signal reaches the daemon as process 1, which drains before it leaves.
STOPSIGNAL SIGTERM
CMD ["subsessiond", "serve"]
