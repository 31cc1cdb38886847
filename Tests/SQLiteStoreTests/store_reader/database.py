"""The file of a store: its tables, and those that every store has."""

import os
import plistlib
import re
import sqlite3
import urllib.parse
import zlib

from store_reader.forms import Fault, bits

GREATEST_MODEL_SIZE = 256 << 20


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class BadText(str):
    """A text that was not UTF-8."""


def text(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return BadText(data.decode("utf-8", "replace"))


class Database:
    def __init__(self, path, immutable):
        if not os.path.isfile(path):
            raise Fault("%s is not a file" % path)
        uri = "file:" + urllib.parse.quote(os.path.abspath(path)) + "?mode=ro" + ("&immutable=1" if immutable else "")
        self.path = path
        self.connection = sqlite3.connect(uri, uri=True)
        self.connection.text_factory = text
        self.tables = {}
        for name, sql in self.rows("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid"):
            if not re.match(r"CREATE\s+TABLE\b", sql or "", re.IGNORECASE):
                raise Fault("%s is not a plain table" % name)
            self.tables[name] = [row[1] for row in self.rows("PRAGMA table_info(%s)" % quoted(name))]

    def rows(self, sql):
        return self.connection.execute(sql)

    def require(self, table, column=None):
        if table not in self.tables:
            raise Fault("there is no table %s" % table)
        if column is not None and column not in self.tables[table]:
            raise Fault("the table %s has no column %s" % (table, column))

    def one(self, table, columns):
        """The one row of a table."""
        self.require(table)
        rows = self.rows("SELECT %s FROM %s" % (", ".join(map(quoted, columns)), quoted(table))).fetchmany(2)
        if len(rows) != 1:
            raise Fault("the table %s has not one row" % table)
        return rows[0]

    def metadata(self):
        version, identifier, data = self.one("Z_METADATA", ["Z_VERSION", "Z_UUID", "Z_PLIST"])
        if version != 1:
            raise Fault("the version in Z_METADATA is %r" % version)
        values = plistlib.loads(data) if data is not None else {}
        values["NSStoreUUID"] = identifier
        return values

    def model_data(self):
        if "Z_MODELCACHE" not in self.tables:
            return None
        data, = self.one("Z_MODELCACHE", ["Z_CONTENT"])
        if data is None:
            return None
        stream = zlib.decompressobj(-15)
        model = stream.decompress(data, GREATEST_MODEL_SIZE)
        if not stream.eof or stream.unused_data:
            raise Fault("the model of the store is too large, cut off, or followed by something")
        return model

    def primary_keys(self):
        self.require("Z_PRIMARYKEY")
        rows = self.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT").fetchall()
        return [dict(zip(("number", "name", "parent", "max"), row)) for row in rows]


def raw_value(value):
    if isinstance(value, float):
        return {"real": bits(value)}
    if isinstance(value, bytes):
        return {"data": value.hex()}
    return value


def raw(database):
    """The rows of each table by their keys."""
    tables = {}
    for table, columns in database.tables.items():
        info = database.rows("PRAGMA table_info(%s)" % quoted(table)).fetchall()
        keys = [row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]] or ["rowid"]
        names = ", ".join(map(quoted, columns))
        key_names = ", ".join(map(quoted, keys))
        rows = {}
        for row in database.rows("SELECT %s, %s FROM %s ORDER BY %s" % (key_names, names, quoted(table), key_names)):
            key = ",".join(str(value) for value in row[:len(keys)])
            rows[key] = dict(zip(columns, map(raw_value, row[len(keys):])))
        tables[table] = {"columns": columns, "rows": rows}
    return {"tables": tables}


def schema(database):
    def pragma(name):
        return database.rows("PRAGMA " + name).fetchone()[0]

    sql = {(kind, name): text for kind, name, text in database.rows("SELECT type, name, sql FROM sqlite_master")}
    tables, indexes = {}, {}
    for table in database.tables:
        columns = [
            {"name": row[1], "type": row[2], "notNull": bool(row[3]), "default": row[4], "key": row[5]}
            for row in database.rows("PRAGMA table_info(%s)" % quoted(table))
        ]
        tables[table] = {"columns": columns, "sql": sql["table", table]}
        for _, name, unique, origin, partial in database.rows("PRAGMA index_list(%s)" % quoted(table)).fetchall():
            parts = database.rows("PRAGMA index_xinfo(%s)" % quoted(name)).fetchall()
            indexes[name] = {
                "table": table, "unique": bool(unique), "origin": origin, "partial": bool(partial),
                "columns": [
                    {"name": row[2], "descending": bool(row[3]), "collation": row[4]} for row in parts if row[5]
                ],
                "sql": sql.get(("index", name)),
            }
    triggers = {}
    for name, table, text in database.rows("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"):
        triggers[name] = {"table": table, "sql": text}
    metadata = database.metadata()
    return {
        "file": {
            "pageSize": pragma("page_size"), "autoVacuum": pragma("auto_vacuum"), "encoding": pragma("encoding"),
            "userVersion": pragma("user_version"), "applicationID": pragma("application_id"),
        },
        "tables": tables, "indexes": dict(sorted(indexes.items())), "triggers": dict(sorted(triggers.items())),
        "primaryKeys": database.primary_keys(), "metadataKeys": sorted(metadata),
        "hashes": {name: hash.hex() for name, hash in metadata.get("NSStoreModelVersionHashes", {}).items()},
    }
