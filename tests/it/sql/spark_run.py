"""Runs scripts in one session of Spark: JSON lines in, a JSON line for each out.

Plans are interpreted, since compiling each costs more than running it over a few rows; every eighth script runs as
Spark does by itself. Every second one runs without ANSI mode, which changes what overflows and casts do.
"""

import json
import os
import sys
import tempfile

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


def session(folder):
    """One worker, and a warehouse that goes with it."""
    settings = {
        # What lives for minutes is compiled quickly rather than well.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.memory": "2g",
        "spark.log.level": "OFF",
        # On a busy machine it has to wait for itself.
        "spark.network.timeout": "1h",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": os.path.join(folder, "warehouse"),
        "spark.local.dir": folder,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[1]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def run(spark, script, interpreted, ansi):
    """What becomes of a script: `equal`, or why it stops."""
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    spark.conf.set("spark.sql.codegen.wholeStage", not interpreted)
    spark.conf.set("spark.sql.adaptive.enabled", not interpreted)
    try:
        rows = spark.sql(script).collect()
    except (PySparkException, Py4JError) as error:
        return str(error).split("\n\nJVM stacktrace")[0]
    return rows[0][0] if rows else "no answer"


def main():
    """Answers each line."""
    with tempfile.TemporaryDirectory() as folder:
        spark = session(folder)
        for number, line in enumerate(sys.stdin):
            case = json.loads(line)
            became = run(spark, case["script"], number % 8 != 0, number % 2 == 0)
            print(json.dumps({"name": case["name"], "became": became}), flush=True)
        spark.stop()


main()
