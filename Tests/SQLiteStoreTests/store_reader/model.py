"""The model of a store, out of a keyed archive."""

import plistlib

from store_reader.forms import Fault

INTEGER_BITS = {100: 16, 200: 32, 300: 64}
UNDEFINED, DECIMAL, DOUBLE, FLOAT, STRING, BOOLEAN, DATE = 0, 400, 500, 600, 700, 800, 900
BINARY, UUID, URI, TRANSFORMABLE, OBJECT_ID, COMPOSITE = 1000, 1100, 1200, 1800, 2000, 2100
KNOWN_TYPES = {
    *INTEGER_BITS, UNDEFINED, DECIMAL, DOUBLE, FLOAT, STRING, BOOLEAN, DATE, BINARY, UUID, URI, TRANSFORMABLE, OBJECT_ID,
    COMPOSITE
}
EXTERNAL_DATA_FLAG = 4


class Archive:
    """A keyed archive, walked by hand."""

    def __init__(self, data):
        tree = plistlib.loads(data)
        if not isinstance(tree, dict) or "$objects" not in tree:
            raise Fault("the model is not a keyed archive")
        self.objects = tree["$objects"]
        self.root = self.at(tree["$top"]["root"])

    def at(self, value):
        """The object that a reference leads to, or the value itself."""
        if isinstance(value, plistlib.UID):
            if value.data == 0:
                return None
            value = self.objects[value.data]
        if isinstance(value, dict) and "NS.string" in value:
            return value["NS.string"]
        return value

    def get(self, record, key, default=None):
        value = self.at(record.get(key))
        return default if value is None else value

    def classes(self, record):
        return self.at(record["$class"])["$classes"]

    def list(self, record):
        """The elements of an array or a set."""
        if isinstance(record, list):
            return [self.at(element) for element in record]
        return [self.at(element) for element in self.at(record["NS.objects"])]

    def dictionary(self, record):
        """The pairs of a dictionary, also of one whose keys are shared with others."""
        if record is None:
            return {}
        if "searchMapping" in record:
            keys = self.list(self.get(self.get(record, "searchMapping"), "keys"))
            values = self.list(self.get(record, "values"))
            if len(keys) != len(values):
                raise Fault("a dictionary of the model has %d keys and %d values" % (len(keys), len(values)))
            return dict(zip(keys, values))
        keys = [self.at(key) for key in self.at(record["NS.keys"])]
        return dict(zip(keys, self.list(record)))


class Property:
    def __init__(self, archive, name, record):
        self.name = name
        self.owner = None
        classes = archive.classes(record)
        if "_NSPropertyDescriptionProxy" in classes:
            record = archive.get(record, "NSUnderlyingProperty")
            classes = archive.classes(record)
        self.is_relationship = "NSRelationshipDescription" in classes
        self.is_attribute = "NSAttributeDescription" in classes
        self.is_fetched = "NSFetchedPropertyDescription" in classes
        self.is_transient = bool(archive.get(record, "NSIsTransient", False))
        self.elements = []
        if self.is_relationship:
            destination = archive.get(record, "NSDestinationEntity")
            inverse = archive.get(record, "NSInverseRelationship")
            self.destination = archive.get(record, "_NSDestinationEntityName")
            if self.destination is None:
                self.destination = archive.get(destination, "NSEntityName")
            self.inverse = archive.get(record, "_NSInverseRelationshipName")
            if self.inverse is None and inverse is not None:
                self.inverse = archive.get(inverse, "NSPropertyName")
            self.is_to_many = archive.get(record, "NSMaxCount", 0) != 1
            self.is_ordered = bool(archive.get(record, "NSIsOrdered", False))
        elif self.is_attribute:
            self.type = archive.get(record, "NSAttributeType", UNDEFINED)
            self.is_external = bool(archive.get(record, "NSFlagsKey", 0) & EXTERNAL_DATA_FLAG)
            elements = archive.get(record, "NSCompositeElements") if self.type == COMPOSITE else None
            self.elements = [
                Property(archive, archive.get(element, "NSPropertyName"), element)
                for element in (archive.list(elements) if elements else [])
            ]
        elif not self.is_fetched:
            raise Fault("the property %s of the model is of the class %s" % (name, classes[0]))

    @property
    def has_column(self):
        """True for what a row itself has."""
        if self.is_transient or self.is_fetched:
            return False
        return not self.is_to_many if self.is_relationship else self.type not in (UNDEFINED, OBJECT_ID)

    def own_by(self, entity):
        self.owner = entity
        for element in self.elements:
            element.own_by(entity)

    def __str__(self):
        return "%s.%s" % (self.owner.name, self.name)


class Entity:
    def __init__(self, name, super_name, is_abstract, renaming, properties):
        self.name = name
        self.super_name = super_name
        self.is_abstract = is_abstract
        self.renaming = renaming
        self.own = properties
        self.parent = None
        self.children = []
        self.all = {}
        self.number = None

    @property
    def root(self):
        entity = self
        while entity.parent is not None:
            entity = entity.parent
        return entity

    @property
    def table(self):
        return "Z" + self.root.name.upper()

    def is_kind(self, other):
        entity = self
        while entity is not None and entity is not other:
            entity = entity.parent
        return entity is not None


class Model:
    """The entities of a compiled model, each before those that inherit from it, in the order of their numbers."""

    def __init__(self, data):
        archive = Archive(data)
        self.by_name = {}
        for name, record in archive.dictionary(archive.get(archive.root, "NSEntities")).items():
            parent = archive.get(record, "NSSuperentity")
            properties = {
                key: Property(archive, key, value)
                for key, value in archive.dictionary(archive.get(record, "NSProperties")).items()
            }
            self.by_name[name] = Entity(
                name, parent and archive.get(parent, "NSEntityName"), bool(archive.get(record, "NSIsAbstract", False)),
                archive.get(record, "NSRenamingIdentifier", name), properties)
        for entity in self.by_name.values():
            if entity.super_name is not None:
                entity.parent = self.entity(entity.super_name)
                entity.parent.children.append(entity)
        self.entities = []
        for root in self.sorted(entity for entity in self.by_name.values() if entity.parent is None):
            self.add(root)
        if len(self.entities) != len(self.by_name):
            raise Fault("entities of the model inherit from each other in a circle")

    @staticmethod
    def sorted(entities):
        return sorted(entities, key=lambda entity: (entity.name.lower(), entity.name))

    def add(self, entity):
        self.entities.append(entity)
        inherited = entity.parent.all if entity.parent else {}
        # A model from a store has inherited properties a second time.
        entity.own = {name: entity.own[name] for name in sorted(entity.own) if name not in inherited}
        for property in entity.own.values():
            property.own_by(entity)
        entity.all = {**inherited, **entity.own}
        for child in self.sorted(entity.children):
            self.add(child)

    def entity(self, name):
        if name not in self.by_name:
            raise Fault("the model has no entity %s, which another one names" % name)
        return self.by_name[name]

    def inverse(self, relationship):
        """The relationship back; None if there is none."""
        if relationship.inverse is None:
            return None
        destination = self.entity(relationship.destination)
        inverse = destination.all.get(relationship.inverse)
        if inverse is None or not inverse.is_relationship:
            raise Fault("%s has no relationship %s, the inverse of %s"
                        % (destination.name, relationship.inverse, relationship))
        return inverse
