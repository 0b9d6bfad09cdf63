"""Real servers for tests: PostgreSQL on loopback with a data folder of its own, Spark with two workers."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PASSWORD = "not/a:secret@all"  # noqa: S105 - of a server that lives for a test; odd characters on purpose


def postgres_folder() -> Path | None:
    """Return where PostgreSQL's programs are, or None."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((f for f in folders if (f / "initdb").exists() and (f / "pg_ctl").exists()), None)


class Postgres:
    """A PostgreSQL server; root hands it to the user postgres, who alone may run it."""

    def __init__(self, root: Path) -> None:
        programs = postgres_folder()
        assert programs is not None
        self._programs = programs
        root.mkdir(parents=True, exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-", dir=root))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        secret = self._folder / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            for folder in (self._folder, *self._folder.parents):
                if folder == self._folder:
                    shutil.chown(folder, "postgres")
            shutil.chown(secret, "postgres")
        self._data = self._folder / "data"
        self._connections: list[Any] = []
        self._run(
            "initdb",
            "-D",
            str(self._data),
            "-U",
            "reader",
            "--pwfile",
            str(secret),
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
        )
        self.start()

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        options: dict[str, Any] = {"user": "postgres", "cwd": "/"} if os.geteuid() == 0 else {}
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stdout[-2000:]} {done.stderr[-2000:]}")

    def start(self) -> None:
        """Start the server and wait until it answers."""
        log = str(self._folder / "log")
        settings = ("listen_addresses=127.0.0.1", f"unix_socket_directories={self._folder}", "fsync=off")
        options = f"-p {self.port} " + " ".join(f"-c {setting}" for setting in settings)
        self._run("pg_ctl", "-D", str(self._data), "-l", log, "-o", options, "-w", "start")

    def stop(self) -> None:
        """Stop it at once: connections are cut."""
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop")

    def remove(self) -> None:
        """Stop it and remove its folder."""
        try:
            for connection in self._connections:
                connection.disconnect()
            self.stop()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def connect(self, database: str = "postgres") -> Any:
        """Return a connection of Ibis, which is closed with the server."""
        import ibis

        self._connections.append(
            ibis.postgres.connect(
                host="127.0.0.1", port=self.port, user="reader", password=PASSWORD, database=database
            )
        )
        return self._connections[-1]

    def load(self, name: str, table: Any, database: str = "postgres") -> None:
        """Copy an Arrow table into a database, which is made if it is not there."""
        import psycopg
        from psycopg import sql

        where = {"host": "127.0.0.1", "port": self.port, "user": "reader", "password": PASSWORD}
        if database != "postgres":
            with psycopg.connect(**where, dbname="postgres", autocommit=True) as connection:
                known = connection.execute(
                    "SELECT 1 FROM pg_database WHERE datname = %s", (database,)
                ).fetchone()
                if known is None:
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
        types = {
            "int64": "bigint",
            "int32": "integer",
            "int8": "smallint",
            "double": "double precision",
            "float": "real",
            "bool": "boolean",
            "string": "text",
            "date32[day]": "date",
        }
        columns = [
            sql.SQL("{} {}").format(sql.Identifier(field.name), sql.SQL(types[str(field.type)]))
            for field in table.schema
        ]
        with psycopg.connect(**where, dbname=database) as connection, connection.cursor() as cursor:
            target = sql.Identifier(name)
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(target))
            cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(target, sql.SQL(", ").join(columns)))
            with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(target)) as copy:
                for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    copy.write_row(row)


def spark_session() -> Any:
    """Return a session with two workers, each a process of its own."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("graphoid tests")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "1g")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )


def executors() -> list[int]:
    """Return the processes of Spark's workers that this process has started."""
    import psutil

    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it may end while we look
            if "CoarseGrainedExecutorBackend" in " ".join(process.cmdline()):
                found.append(process.pid)
    return found


def wait_for(condition: Any, seconds: float = 30.0) -> bool:
    """Wait until something holds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.1)
    return False
