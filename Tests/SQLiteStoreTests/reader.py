#!/usr/bin/env python3
"""Reads Core Data's SQLite stores without the code under test, and prints what it finds as JSON.

  reader.py STORE [--mom FILE.mom]   the objects, by the model in the store or in a file
  reader.py STORE --raw              the rows of all tables as they are
  reader.py STORE --schema           tables, indexes and triggers
  reader.py --requests               reads lists of such arguments, each a line of JSON, and answers each of them:
                                     the lengths of the output and of the error in 12 digits each, then both

`--immutable` leaves a write-ahead log and all locks alone, so that nothing is made beside the store.

Every value of an attribute is a text or null. Each type has one form:

  integers, truth values   decimal
  double, date             the 64 bits as 16 hexadecimal digits; a date is seconds since 2001
  float                    the 32 bits as 8 hexadecimal digits
  decimal                  the shortest decimal text: no exponent, no zeros at the end of a fraction, no "-0". A REAL
                           stands for the shortest text that gives the same double
  string, URI              as it is
  binary, transformable    lower-case hexadecimal digits; of external data, those of its file
  UUID                     upper case
  composite                {name=text, …} of its leaves in the order of their names, null without a value

What a reader cannot do without ends the program with a message. What is merely odd is in the list `notices`.
"""

import argparse
import contextlib
import json
import plistlib
import sqlite3
import sys
import traceback
import zlib

sys.dont_write_bytecode = True

from store_reader.database import Database, raw, schema
from store_reader.forms import Fault
from store_reader.model import Model
from store_reader.objects import Store


def answer(arguments):
    """The output for a list of arguments, and the error, one of which is empty."""
    parser = argparse.ArgumentParser(description="Reads a Core Data SQLite store.")
    parser.add_argument("store")
    parser.add_argument("--mom", help="a compiled model, for a store that has none")
    parser.add_argument("--immutable", action="store_true", help="reads the file alone, without its log")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--raw", action="store_true", help="prints the rows of all tables")
    kind.add_argument("--schema", action="store_true", help="prints tables, indexes and triggers")
    options = parser.parse_args(arguments)
    try:
        database = Database(options.store, options.immutable)
        with contextlib.closing(database.connection):
            if options.raw:
                document = raw(database)
            elif options.schema:
                document = schema(database)
            else:
                if options.mom:
                    with open(options.mom, "rb") as stream:
                        data = stream.read()
                else:
                    data = database.model_data()
                if data is None:
                    raise Fault("the store has no model of its own; give one with --mom, or ask for --raw")
                document = Store(database, Model(data)).dump()
    except (Fault, sqlite3.Error, zlib.error, plistlib.InvalidFileException, OSError) as error:
        return b"", "%s: %s" % (options.store, error)
    return json.dumps(document, ensure_ascii=False).encode("utf-8"), ""


def answer_requests():
    for line in sys.stdin.buffer:
        try:
            output, error = answer(json.loads(line))
        except Exception:
            output, error = b"", traceback.format_exc()
        error = error.encode("utf-8", "replace")
        sys.stdout.buffer.write(b"%012d%012d" % (len(output), len(error)) + output + error)
        sys.stdout.buffer.flush()


def main():
    if sys.argv[1:] == ["--requests"]:
        return answer_requests()
    output, error = answer(sys.argv[1:])
    if error:
        sys.exit(error)
    sys.stdout.buffer.write(output)


if __name__ == "__main__":
    main()
