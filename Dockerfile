# One image for web and workers; see docker-compose.yml. The server that people label on is not in it.
FROM python:3.12-slim

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    EVALHUB_HOST=0.0.0.0 \
    EVALHUB_DATA_DIR=/data \
    EVALHUB_ARGILLA_MODE=off

WORKDIR /app
COPY requirements/install.txt requirements/app.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/install.txt \
    && uv pip install --system --no-cache --compile-bytecode --require-hashes -r requirements/app.txt

COPY . .
RUN uv pip install --system --no-cache --no-deps --no-build-isolation -e . \
    && python -m compileall -q apps evalhub \
    && useradd --system --create-home evalhub \
    && install -d -o evalhub /data

USER evalhub
VOLUME /data
EXPOSE 8000
HEALTHCHECK --start-period=60s CMD ["python", "-c", \
    "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health', timeout=5)"]
CMD ["evalhub", "web"]
