"""The objects of a store, by its model."""

import os
import re

from store_reader.database import BadText, quoted
from store_reader.forms import Fault, bits, decimal_text, float_bits, printable
from store_reader.model import (
    BOOLEAN, COMPOSITE, DATE, DECIMAL, DOUBLE, FLOAT, INTEGER_BITS, KNOWN_TYPES, STRING, URI, UUID)

GREATEST_NOTICE_COUNT = 200
# Entities of the framework itself have the numbers from here on: 16001 for history, 17001 for CloudKit.
FIRST_PRIVATE_NUMBER = 16000


class Store:
    def __init__(self, database, model):
        self.database = database
        self.model = model
        self.notices = []
        self.notice_count = 0
        self.keys = database.primary_keys()
        self.metadata = database.metadata()
        self.check_version()
        self.number_entities()
        # The columns of entities' tables, by owner and name of the property.
        self.columns = {}
        # What was read: per table, per primary key, entity, version and values by column.
        self.rows = {}
        self.indexes = {}
        self.known = {}
        roots = [entity for entity in self.present if entity.parent is None]
        for root in roots:
            self.lay_out(root)
        self.check_columns()
        for root in roots:
            self.read(root)

    def note(self, message):
        self.notice_count += 1
        if self.notice_count <= GREATEST_NOTICE_COUNT:
            self.notices.append(message)

    def check_version(self):
        names = self.metadata.get("NSStoreModelVersionHashes", {})
        missing = sorted(name for name in names if name not in self.model.by_name)
        if missing:
            raise Fault("the model is of another version: it has no entity " + ", ".join(missing))
        for entity in self.model.entities:
            if names and entity.name not in names:
                self.note("the store has no hash of the entity %s" % entity.name)

    def number_entities(self):
        """Finds the entity of each number. A row can have the name that the entity had in an earlier model."""
        self.by_number = {}
        taken = set()
        later = []
        for row in self.keys:
            number, name = row["number"], row["name"]
            if number >= FIRST_PRIVATE_NUMBER:
                continue
            in_order = self.model.entities[number - 1] if 0 < number <= len(self.model.entities) else None
            if in_order is not None and name in (in_order.name, in_order.renaming):
                self.give(number, in_order, taken)
            elif name in self.model.by_name:
                self.give(number, self.model.by_name[name], taken)
            else:
                later.append((number, name))
        for number, name in later:
            matches = [entity for entity in self.model.entities if entity.renaming == name and entity.name not in taken]
            if len(matches) != 1:
                raise Fault("Z_PRIMARYKEY has %s as entity %s, which the model has not" % (name, number))
            self.give(number, matches[0], taken)
        for row in self.keys:
            entity = self.by_number.get(row["number"])
            if entity is None:
                continue
            parent = entity.parent.number if entity.parent else 0
            if row["parent"] != parent:
                raise Fault("Z_PRIMARYKEY has Z_SUPER %s for %s, and the model %s"
                            % (row["parent"], entity.name, parent))
            if row["name"] != entity.name:
                self.note("Z_PRIMARYKEY has %s for the entity %s" % (row["name"], entity.name))
            if entity.parent is not None and row["max"] != 0:
                self.note("Z_MAX of the sub-entity %s is %s" % (entity.name, row["max"]))
        self.present = [entity for entity in self.model.entities if entity.number is not None]
        for index, entity in enumerate(self.model.entities):
            if entity.number is None:
                self.note("the entity %s has no number" % entity.name)
            elif entity.number != index + 1:
                self.note("the entity %s has the number %d, not %d" % (entity.name, entity.number, index + 1))

    def give(self, number, entity, taken):
        if entity.name in taken:
            raise Fault("Z_PRIMARYKEY has the entity %s twice" % entity.name)
        taken.add(entity.name)
        entity.number = number
        self.by_number[number] = entity

    def lay_out(self, root):
        """Finds the columns of a table. A number at the end distinguishes equal names of different entities."""
        self.database.require(root.table)
        known = self.known[root.table] = {"Z_PK", "Z_ENT", "Z_OPT"}
        counts = {}

        def column(name, what):
            base = "Z" + name.upper()
            count = counts.get(base, 0)
            counts[base] = count + 1
            result = base + (str(count) if count else "")
            if result in known:
                raise Fault("%s and another property have the column %s" % (what, result))
            self.database.require(root.table, result)
            known.add(result)
            return result

        def leaves(composite):
            """A composite attribute has a column for each leaf, by the name of the leaf alone."""
            for element in composite.elements:
                if element.type == COMPOSITE:
                    leaves(element)
                else:
                    element.column = column(element.name, element)

        for entity in sorted((e for e in self.present if e.root is root), key=lambda e: e.number):
            for property in entity.own.values():
                if not property.has_column:
                    continue
                if property.is_attribute and property.type not in KNOWN_TYPES:
                    raise Fault("%s is of the type %s" % (property, property.type))
                if property.is_attribute and property.type == COMPOSITE:
                    leaves(property)
                    continue
                name = column(property.name, property)
                self.columns[entity.name, property.name] = name
                if property.is_relationship:
                    known.add(self.class_column(property))

    def check_columns(self):
        """Looks for columns that are missing but not needed, and for those that are there without need."""
        for entity in self.present:
            for property in entity.own.values():
                if not property.is_relationship or property.is_transient:
                    continue
                columns = self.to_many_columns(property) if property.is_to_many else []
                self.known.get(self.model.entity(property.destination).table, set()).update(columns)
                classes = None if property.is_to_many else self.class_column(property)
                if classes is not None and classes not in self.database.tables[entity.table]:
                    self.note("%s has no column %s" % (entity.table, classes))
        for table, known in self.known.items():
            for name in self.database.tables[table]:
                if name not in known:
                    self.note("%s has the column %s, which no property needs" % (table, name))

    def column(self, property):
        try:
            return self.columns[property.owner.name, property.name]
        except KeyError:
            raise Fault("%s has no column, since the store does not have the entity" % property)

    def class_column(self, relationship):
        """The column with the entity of the object, which a relationship to an entity with sub-entities has."""
        destination = self.model.entity(relationship.destination)
        if not destination.children or destination.number is None:
            return None
        return "Z%d_%s" % (destination.number, self.column(relationship)[1:])

    def to_many_columns(self, relationship):
        """The columns in the other table: of the owner, then of the position if there is an order."""
        inverse = self.model.inverse(relationship)
        if inverse is None:
            name = "%d%s" % (relationship.owner.number, relationship.name.upper())
        elif inverse.is_to_many or inverse.owner.number is None:
            return []
        else:
            name = self.column(inverse)[1:]
        return ["Z" + name] + (["Z_FOK_" + name] if relationship.is_ordered else [])

    def read(self, root):
        columns = self.database.tables[root.table]
        rows = self.rows[root.table] = {}
        sql = "SELECT %s FROM %s ORDER BY Z_PK" % (", ".join(map(quoted, columns)), quoted(root.table))
        indices = [columns.index(name) for name in ("Z_PK", "Z_ENT", "Z_OPT")]
        for row in self.database.rows(sql):
            number, entity, version = (row[index] for index in indices)
            what = "row %s of %s" % (number, root.table)
            found = self.by_number.get(entity)
            if found is None or found.root is not root:
                raise Fault("%s has Z_ENT %r, which is no entity of the table" % (what, entity))
            if not isinstance(version, int):
                raise Fault("%s has Z_OPT %r" % (what, version))
            if version < 1:
                self.note("%s has Z_OPT %d" % (what, version))
            if found.is_abstract:
                self.note("%s is of the abstract entity %s" % (what, found.name))
            rows[number] = (found, version, dict(zip(columns, row)))
        highest = max(rows, default=0)
        if highest > next(row["max"] for row in self.keys if row["number"] == root.number):
            self.note("%s has the row %d, after Z_MAX" % (root.table, highest))

    # Attributes

    def attribute(self, property, value, what):
        if value is None:
            return None
        kind = property.type

        def refuse():
            raise Fault("%s is a %s in the file: %.60r" % (what, type(value).__name__, value))

        if kind in INTEGER_BITS:
            if not isinstance(value, int):
                refuse()
            limit = 1 << (INTEGER_BITS[kind] - 1)
            if not -limit <= value < limit:
                self.note("%s is %d, more than its type has room for" % (what, value))
            return str(value)
        if kind == BOOLEAN:
            if not isinstance(value, int):
                refuse()
            if value not in (0, 1):
                self.note("the truth value %s is %d" % (what, value))
            return "1" if value else "0"
        if kind in (DOUBLE, DATE, FLOAT):
            if not isinstance(value, (int, float)):
                refuse()
            return float_bits(float(value)) if kind == FLOAT else bits(float(value))
        if kind == DECIMAL:
            try:
                return decimal_text(value)
            except (ArithmeticError, ValueError, TypeError):
                refuse()
        if kind in (STRING, URI):
            if not isinstance(value, str):
                refuse()
            if isinstance(value, BadText):
                self.note("%s is not UTF-8" % what)
            return value
        if not isinstance(value, bytes):
            refuse()
        if kind == UUID:
            if len(value) != 16:
                raise Fault("%s has %d bytes" % (what, len(value)))
            digits = value.hex().upper()
            return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        if property.is_external:
            value = self.external(value, what)
        return "missing file" if value is None else value.hex()

    def composite(self, property, values, what):
        """The leaves by their names; None if no leaf has a value."""
        leaves = {}
        for element in property.elements:
            name = "%s.%s" % (what, element.name)
            if element.type == COMPOSITE:
                leaves[element.name] = self.composite(element, values, name)
            else:
                leaves[element.name] = self.attribute(element, values[element.column], name)
        if all(value is None for value in leaves.values()):
            return None
        return "{%s}" % ", ".join(
            "%s=%s" % (name, "null" if leaves[name] is None else leaves[name]) for name in sorted(leaves))

    def external(self, value, what):
        """Returns the data of a value whose first byte says if it is inline or in a file."""
        if value[:1] == b"\x01":
            return value[1:]
        name = value[1:-1].decode("ascii", "replace")
        is_name = re.fullmatch("[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", name)
        if value[:1] != b"\x02" or value[-1:] != b"\0" or not is_name:
            raise Fault("%s is neither inline data nor the name of a file: %s…" % (what, value[:40].hex()))
        folder, file = os.path.split(os.path.abspath(self.database.path))
        path = os.path.join(folder, ".%s_SUPPORT" % os.path.splitext(file)[0], "_EXTERNAL_DATA", name)
        try:
            with open(path, "rb") as stream:
                return stream.read()
        except OSError as error:
            self.note("%s is in a file that cannot be read: %s" % (what, error.strerror))
            return None

    # Relationships

    def name(self, entity, number, what):
        """The name of an object in the table of an entity, by its own entity."""
        row = self.rows.get(entity.table, {}).get(number)
        if row is None:
            self.note("%s refers to row %s of %s, which is not there" % (what, number, entity.table))
            return "%s/p%s" % (entity.name, number)
        if not row[0].is_kind(entity):
            self.note("%s refers to %s/p%s, which is no %s" % (what, row[0].name, number, entity.name))
        return "%s/p%s" % (row[0].name, number)

    def to_one(self, relationship, own, values, what):
        column = self.column(relationship)
        number = values[column]
        if number is None:
            return None
        if not isinstance(number, int):
            raise Fault("%s is %.60r, not a number" % (what, number))
        destination = self.model.entity(relationship.destination)
        result = self.name(destination, number, what)
        row = self.rows.get(destination.table, {}).get(number)
        classes = self.class_column(relationship)
        if classes in values:
            named = self.by_number.get(values[classes])
            if row is None and named is not None:
                return "%s/p%s" % (named.name, number)
            if row is not None and named is not row[0]:
                self.note("%s refers to %s, and %s has %s" % (what, result, classes, values[classes]))
        inverse = self.model.inverse(relationship)
        if row is not None and inverse is not None and not inverse.is_to_many:
            back = row[2][self.column(inverse)]
            if back != own:
                self.note("%s refers to %s, which refers to %s" % (what, result, back))
        return result

    def to_many(self, relationship, number, what):
        """The objects of a to-many relationship, in order or sorted."""
        index = self.indexes.get((relationship.owner.name, relationship.name))
        if index is None:
            index = self.indexes[relationship.owner.name, relationship.name] = self.index(relationship)
        found = index.get(number, [])
        destination = self.model.entity(relationship.destination)
        if not relationship.is_ordered:
            return sorted(self.name(destination, target, what) for _, target in found)
        positions = [position for position, _ in found]
        if any(not isinstance(position, int) for position in positions) or len(set(positions)) != len(positions):
            self.note("%s has positions that are missing or the same: %s" % (what, positions))
        found.sort(key=lambda pair: (isinstance(pair[0], int), pair[0] if isinstance(pair[0], int) else 0, pair[1]))
        return [self.name(destination, target, what) for _, target in found]

    def index(self, relationship):
        """Where the objects of a to-many relationship are: positions and numbers by the number of the owner."""
        inverse = self.model.inverse(relationship)
        destination = self.model.entity(relationship.destination)
        if destination.number is None:
            return {}
        if inverse is not None and inverse.is_to_many:
            return self.join_index(relationship, inverse)
        columns = self.to_many_columns(relationship)
        if inverse is not None:
            destination = inverse.owner
        for column in columns:
            self.database.require(destination.table, column)
        result = {}
        for number, (entity, _, values) in self.rows[destination.table].items():
            # A column of another entity of the table is NULL.
            owner = values[columns[0]]
            if owner is not None and entity.is_kind(destination):
                result.setdefault(owner, []).append((values[columns[-1]], number))
        return result

    def join_index(self, relationship, inverse):
        a, b = relationship.owner.number, inverse.owner.number
        name, back = relationship.name.upper(), inverse.name.upper()
        forward_table, backward_table = "Z_%d%s" % (a, name), "Z_%d%s" % (b, back)
        if a == b:
            tables = [table for table in {forward_table, backward_table} if table in self.database.tables]
            if len(tables) != 1:
                raise Fault("%s has %d tables" % (relationship, len(tables)))
            table = tables[0]
        else:
            table = forward_table if a < b else backward_table
        self.database.require(table)
        columns = self.database.tables[table]
        if relationship is inverse:
            return self.reflexive_index(relationship, table)
        own = self.join_column(table, columns, "Z_%d%s" % (a, back))
        other = self.join_column(table, columns, "Z_%d%s" % (b, name))
        if own == other:
            raise Fault("%s has the column %s for both sides" % (table, own))
        order = "Z_FOK_" + other[2:]
        if relationship.is_ordered:
            self.database.require(table, order)
        known = {own, other, order, "Z_FOK_" + own[2:]}
        if any(column not in known for column in columns):
            raise Fault("%s has columns that its relationship does not need: %s" % (table, ", ".join(columns)))
        position = quoted(order) if relationship.is_ordered else "NULL"
        return self.pairs("SELECT %s, %s, %s FROM %s" % (quoted(own), position, quoted(other), quoted(table)))

    def reflexive_index(self, relationship, table):
        """A relationship that is its own inverse: each row is one way, both ways count."""
        column = "Z_%d%s" % (relationship.owner.number, relationship.name.upper())
        if sorted(self.database.tables[table]) != sorted((column, "REFLEXIVE")):
            raise Fault("%s, whose relationship is its own inverse, has the columns %s"
                        % (table, ", ".join(self.database.tables[table])))
        one_way = "SELECT %s, NULL, REFLEXIVE FROM %s" % (quoted(column), quoted(table))
        other_way = "SELECT REFLEXIVE, NULL, %s FROM %s" % (quoted(column), quoted(table))
        return self.pairs(one_way + " UNION " + other_way)

    def pairs(self, sql):
        result = {}
        for owner, position, target in self.database.rows(sql):
            result.setdefault(owner, []).append((position, target))
        return result

    @staticmethod
    def join_column(table, columns, name):
        """A column of a join table; numbers at the end tell those of several tables apart."""
        if name in columns:
            return name
        found = [column for column in columns if re.fullmatch(re.escape(name) + "[0-9]+", column)]
        if len(found) != 1:
            raise Fault("%s has no column %s but %s" % (table, name, ", ".join(columns)))
        return found[0]

    # The document

    def dump(self):
        objects = {}
        counts = {entity.name: 0 for entity in self.present}
        for rows in self.rows.values():
            for number, (entity, version, values) in rows.items():
                name = "%s/p%d" % (entity.name, number)
                counts[entity.name] += 1
                attributes, relationships = {}, {}
                for key, property in entity.all.items():
                    what = "%s.%s" % (name, key)
                    if property.is_relationship and not property.is_transient:
                        if property.is_to_many:
                            relationships[key] = self.to_many(property, number, what)
                        else:
                            relationships[key] = self.to_one(property, number, values, what)
                    elif property.has_column:
                        if property.type == COMPOSITE:
                            attributes[key] = self.composite(property, values, what)
                        else:
                            attributes[key] = self.attribute(property, values[self.column(property)], what)
                objects[name] = {"version": version, "attributes": attributes, "relationships": relationships}
        if self.notice_count > len(self.notices):
            self.notices.append("and %d more" % (self.notice_count - len(self.notices)))
        return {
            "metadata": printable(self.metadata), "primaryKeys": self.keys, "counts": counts, "objects": objects,
            "notices": self.notices,
        }
