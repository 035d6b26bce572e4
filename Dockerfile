FROM python:3.11-slim AS build
WORKDIR /source
RUN python -m venv /clew
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN /clew/bin/pip install --no-cache-dir ".[serve,llm]"

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 clew \
    && install -d -o clew -g clew /data
COPY --from=build /clew /clew
ENV PATH="/clew/bin:$PATH" \
    CLEW_STORE=/data/kb.clew
USER clew
WORKDIR /home/clew
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
ENTRYPOINT ["clew"]
CMD ["serve", "--host", "0.0.0.0"]
