# The suite alone, for `rubiks-gym solve` and `rubiks-gym play`, run by a user without rights:
#   make image                                  # the page, then docker build -t rubiks-gym . (or make image BUILDER=buildah)
#   docker run --rm rubiks-gym solve --random 3
#   docker run --rm --network host rubiks-gym play --no-open     # it listens to its own machine alone
ARG PYTHON=python:3.13-slim

FROM ${PYTHON} AS build
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE CHANGELOG.md CITATION.cff ./
COPY rubiks_gym rubiks_gym
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM ${PYTHON}
COPY constraints.txt /tmp/constraints.txt
COPY --from=build /wheels /tmp/wheels
RUN pip install --no-cache-dir --constraint /tmp/constraints.txt "$(ls /tmp/wheels/*.whl)[play]" \
    && rm -r /tmp/wheels /tmp/constraints.txt \
    && useradd --create-home --uid 1000 cuber
USER cuber
WORKDIR /home/cuber
# Exact tables and compiled kernels are kept here: mount a volume to keep them from one container to the next.
ENV RUBIKS_GYM_CACHE=/home/cuber/.cache/rubiks_gym NUMBA_CACHE_DIR=/home/cuber/.cache/numba
ENTRYPOINT ["rubiks-gym"]
CMD ["--help"]
