import Foundation
import ManagedObjects

final class Owner: ManagedObject {
  @Attribute var name: String
  @Attribute var city: String?
  @Relationship var items: Set<Item>
}

final class Item: ManagedObject {
  @Attribute var title: String
  @Attribute var text: String?
  @Attribute var number: Int
  @Attribute var price: Double
  @Attribute var date: Date
  @Relationship(inverse: \Owner.items) var owner: Owner?
}

/// One line of the table of managed objects.
enum ObjectsWork: String, CaseIterable {
  case insert = "insert and save, in memory"
  case fetchAll = "fetch all, read three values of each"
  case fetchSome = "fetch half of them by a number"
  case fetchOne = "fetch one by a text"
  case sort = "fetch all, sorted by a text"
  case walk = "walk from owners to their 10 items each"
  case changeOne = "change one of all that are loaded, and save"
  case saveXML = "insert and save, XML store"
  case openXML = "open an XML store, fetch all"
  case saveBinary = "insert and save, binary store"
  case openBinary = "open a binary store, fetch all"
  case memory = "memory of a loaded object, over its strings"

  /// True for work on all objects, of which the time for one says something.
  var growsWithObjects: Bool { ![.fetchOne, .changeOne, .memory].contains(self) }

  private var isWithFile: Bool { [.saveXML, .openXML, .saveBinary, .openBinary].contains(self) }

  /// Does the work in this process, several times. Nil if the implementation does not do it.
  func measure(_ implementation: Implementation, count: Int) throws -> Measurement? {
    switch implementation {
    case .ours: isWithFile ? try measureFile(count) : try measureMemory(count)
    case .python: isWithFile ? nil : try measureSQLAlchemy(count)
    case .libplist, .foundation: nil
    }
  }
}

/// Here.
extension ObjectsWork {
  private static func container(_ store: PersistentStoreDescription) throws -> PersistentContainer {
    try PersistentContainer(model: ManagedObjectModel(Owner.self, Item.self), stores: [store])
  }

  /// Ten items an owner.
  private static func fill(_ context: ManagedObjectContext, _ count: Int) throws {
    var owner: Owner?
    for number in 0..<count {
      if number % 10 == 0 {
        owner = try context.insert(Owner.self)
        owner?.name = "Owner \(number / 10)"
        owner?.city = "City \(number % 97)"
      }
      let item = try context.insert(Item.self)
      item.title = "Item \(number)"
      item.text = "What there is to say about item \(number)"
      item.number = number
      item.price = Double(number) / 8
      item.date = Date(timeIntervalSinceReferenceDate: Double(number) * 977.25)
      item.owner = owner
    }
    try context.save()
  }

  private func measureFile(_ count: Int) throws -> Measurement {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("objects-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("store")
    let store: PersistentStoreDescription = self == .saveXML || self == .openXML ? .xml(file) : .binary(file)
    if self == .saveXML || self == .saveBinary {
      return try Measurement.measure {
        try? FileManager.default.removeItem(at: file)
        try Self.fill(try Self.container(store).newContext(), count)
        return try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
      }
    }
    try Self.fill(try Self.container(store).newContext(), count)
    return try Measurement.measure {
      keep(try Self.container(store).newContext().fetch(Item.self))
      return 0
    }
  }

  private func measureMemory(_ count: Int) throws -> Measurement {
    if self == .insert {
      return try Measurement.measure {
        try Self.fill(try Self.container(.inMemory).newContext(), count)
        return 0
      }
    }
    let container = try Self.container(.inMemory)
    try Self.fill(container.newContext(), count)
    if self == .memory { return try Self.memoryOfObjects(container) }
    if self == .changeOne { return try Self.changeOne(container.newContext()) }
    let (middle, text) = (count / 2, "Item \(count / 2)")
    return try Measurement.measure {
      let context = container.newContext()
      switch self {
      case .fetchAll:
        var sum = 0.0
        for item in try context.fetch(Item.self) { sum += item.price + Double(item.number + item.title.utf8.count) }
        keep(sum)
      case .fetchSome:
        keep(try context.fetch(Item.self, where: ManagedPredicate(format: "number >= %d", middle)))
      case .fetchOne: keep(try context.fetch(Item.self, where: ManagedPredicate(format: "title == %@", text)))
      case .sort: keep(try context.fetch(Item.self, sortedBy: [.init("text", isAscending: false)]))
      case .walk:
        var sum = 0
        for owner in try context.fetch(Owner.self) { for item in owner.items { sum += item.number } }
        keep(sum)
      default: break
      }
      return 0
    }
  }

  private static func changeOne(_ context: ManagedObjectContext) throws -> Measurement {
    let items = try context.fetch(Item.self)
    for item in items { _ = item.number }
    var number = 0
    return try Measurement.measure {
      number += 1
      items[number % items.count].price = Double(number) + 0.25
      try context.save()
      return 0
    }
  }

  /// The memory that loaded objects take, each. Their rows are the store's.
  private static func memoryOfObjects(_ container: PersistentContainer) throws -> Measurement {
    func load(_ context: ManagedObjectContext) throws -> [Item] {
      let items = try context.fetch(Item.self)
      for item in items { _ = item.number }
      return items
    }
    // The first ones take the room that making the store has left.
    let contexts = (0..<10).map { _ in container.newContext() }
    var loaded = [try load(contexts[0]), try load(contexts[1])]
    let before = residentMemory(peak: false)
    for context in contexts.dropFirst(2) { loaded.append(try load(context)) }
    let each = (residentMemory(peak: false) - before) / (8 * loaded[0].count)
    withExtendedLifetime((contexts, loaded)) {}
    return Measurement(seconds: 0, peakMemory: 0, outputLength: each)
  }
}

/// SQLAlchemy's objects, on an SQLite database in memory.
extension ObjectsWork {
  private func measureSQLAlchemy(_ count: Int) throws -> Measurement? {
    let body =
      switch self {
      case .insert: "fill(sessionmaker(new_engine(), expire_on_commit=False)())"
      case .fetchAll:
        "total = sum(item.price + item.number + len(item.title) for item in new().scalars(select(Item)))"
      case .fetchSome: "found = new().scalars(select(Item).where(Item.number >= count // 2)).all()"
      case .fetchOne: "found = new().scalars(select(Item).where(Item.title == f'Item {count // 2}')).all()"
      case .sort: "found = new().scalars(select(Item).order_by(Item.text.desc())).all()"
      case .walk:
        "total = sum(item.number for owner in new().scalars(select(Owner).options(selectinload(Owner.items)))"
          + " for item in owner.items)"
      case .changeOne: "number += 1; items[number % count].price = number + 0.25; session.commit()"
      default: "pass"
      }
    let setup = """
      import ctypes, datetime, gc
      from typing import List, Optional
      from sqlalchemy import ForeignKey, create_engine, select
      from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship, selectinload, sessionmaker
      class Base(DeclarativeBase): pass
      class Owner(Base):
        __tablename__ = 'owner'
        id: Mapped[int] = mapped_column(primary_key=True)
        name: Mapped[str]
        city: Mapped[Optional[str]]
        items: Mapped[List['Item']] = relationship(back_populates='owner')
      class Item(Base):
        __tablename__ = 'item'
        id: Mapped[int] = mapped_column(primary_key=True)
        title: Mapped[str]
        text: Mapped[Optional[str]]
        number: Mapped[int]
        price: Mapped[float]
        date: Mapped[datetime.datetime]
        owner_id: Mapped[Optional[int]] = mapped_column(ForeignKey('owner.id'))
        owner: Mapped[Optional[Owner]] = relationship(back_populates='items')
      count = \(count)
      def new_engine():
        engine = create_engine('sqlite://')
        Base.metadata.create_all(engine)
        return engine
      def fill(session):
        for number in range(count):
          if number % 10 == 0:
            owner = Owner(name=f'Owner {number // 10}', city=f'City {number % 97}')
            session.add(owner)
          session.add(Item(title=f'Item {number}', text=f'What there is to say about item {number}', number=number,
            price=number / 8, date=datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=number), owner=owner))
        session.commit()
      engine = new_engine()
      new = sessionmaker(engine, expire_on_commit=False)
      number = 0
      if \(self == .insert ? "False" : "True"): fill(new())
      gc.collect()
      ctypes.CDLL(None).malloc_trim(0)
      """
    let preparation = """
      session = new()
      items = session.scalars(select(Item)).all()
      length = (memory('VmRSS:') - before) // count
      """
    return try Measurement.inPython(
      body, setup: setup, preparation: self == .changeOne || self == .memory ? preparation : "")
  }
}
