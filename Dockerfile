# Clew's server in a container: docker build -t clew . && docker run -p 8377:8377 -v clew:/data -e CLEW_SERVE_TOKEN clew
FROM python:3.12-slim
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY docs docs
COPY src src
COPY requirements/run.txt requirements/run.txt
RUN pip install --no-cache-dir --require-hashes --no-deps -r requirements/run.txt \
    && pip install --no-cache-dir --no-deps . \
    && useradd --create-home --uid 10001 clew \
    && install -d -o clew /data \
    && rm -rf /source
USER clew
WORKDIR /data
ENV CLEW_HOME=/data CLEW_SERVE_HOST=0.0.0.0
VOLUME /data
EXPOSE 8377
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8377/clew/health', timeout=3)"]
ENTRYPOINT ["clew"]
CMD ["serve"]
