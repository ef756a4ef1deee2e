# The service and its jobs, for docker-compose.yml. The database is a container of its own: no Neo4j in here.
FROM python:3.11-slim

WORKDIR /app
COPY requirements.txt ./
RUN pip install --no-cache-dir --require-hashes --requirement requirements.txt
COPY . .
RUN pip install --no-cache-dir --no-build-isolation --no-deps --editable . \
    && useradd --create-home runtime-graph \
    && install --directory --owner runtime-graph --mode 0700 /data

USER runtime-graph
# Within the container the service has to answer the container's own address; who may reach it is decided by
# the ports that are published, and those are bound to loopback.
ENV RUNTIME_GRAPH_DATA_FOLDER=/data \
    RUNTIME_GRAPH_HOST=0.0.0.0
VOLUME /data
EXPOSE 8480
ENTRYPOINT ["runtime-graph"]
CMD ["serve"]
