import Foundation
import ManagedObjects
import SQLiteStore

/// A line of a table of managed objects.
struct ObjectsWork {
  enum Kind: String {
    case insert = "insert and save"
    case fetchAll = "fetch all, read all values"
    case fetchSome = "fetch half of them by a number"
    case fetchOne = "fetch one by a text"
    case sort = "fetch all, sorted by a text"
    case walk = "walk from owners to their 10 items each"
    case onDemand = "fetch all on demand, sorted by an indexed text, and read 30"
    case fault = "read all of them one by one, as faults"
    case changeOne = "change one of all loaded objects, and save"
    case open = "open, fetch all"
    case openMany = "open a store of 50 entities"
    case memory = "memory of a loaded object, including its strings"
  }

  let kind: Kind
  let storage: Storage

  /// The table of objects in memory, and in files that are read and written as a whole.
  static let inMemory: [ObjectsWork] =
    [.insert, .fetchAll, .fetchSome, .fetchOne, .sort, .walk, .changeOne].map {
      ObjectsWork(kind: $0, storage: .memory)
    }
    + [Storage.xml, .binary].flatMap { storage in
      [Kind.insert, .open].map { ObjectsWork(kind: $0, storage: storage) }
    } + [ObjectsWork(kind: .memory, storage: .memory)]

  /// The table of SQLite stores.
  static let inSQLite: [ObjectsWork] =
    [.insert, .fetchAll, .fetchSome, .fetchOne, .sort, .onDemand, .walk, .fault, .changeOne, .openMany, .memory]
    .map { ObjectsWork(kind: $0, storage: .sqlite) }

  var name: String {
    switch storage {
    case .memory where kind == .insert: "insert and save, in memory"
    case .memory where kind == .memory: "memory of a loaded object, without its strings"
    case .sqlite where kind == .fetchOne: "fetch one by an indexed text"
    case .memory, .sqlite: kind.rawValue
    case .xml: "\(kind.rawValue), XML store"
    case .binary: "\(kind.rawValue), binary store"
    }
  }

  /// True for work on all objects, for which the table shows the time per object.
  var growsWithObjects: Bool { ![.fetchOne, .changeOne, .openMany, .memory].contains(kind) }

  /// Does the work several times in this process. Returns nil if the implementation does not support it.
  func measure(_ implementation: Implementation, count: Int) throws -> Measurement? {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("objects-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    if kind == .openMany {
      return implementation == .ours ? try Self.measureOpening(folder, entities: 50) : nil
    }
    return switch (implementation, storage) {
    case (.ours, _): try measureOurs(folder, count)
    case (.sqlAlchemy, .memory), (.sqlAlchemy, .sqlite):
      [.fault, .onDemand].contains(kind) ? nil : try measureSQLAlchemy(folder, count)
    case (.sqlite, .sqlite): try SQLiteLibrary(folder, count).measure(kind)
    case (.grdb, .sqlite): try GRDBLibrary(folder, count).measure(kind)
    default: nil
    }
  }
}

/// This library.
extension ObjectsWork {
  private func measureOurs(_ folder: URL, _ count: Int) throws -> Measurement {
    if kind == .insert {
      return try Measurement.measure {
        _ = try Storage.empty(folder)
        try storage.container(in: folder).newContext().fill(count)
        return 0
      }
    }
    let filled = try storage.container(in: folder)
    try filled.newContext().fill(count)
    if kind == .open {
      return try Measurement.measure {
        keep(try storage.container(in: folder).newContext().fetch(Item.self))
        return 0
      }
    }
    if kind == .memory { return try Self.memoryOfObjects(filled) }
    if kind == .changeOne { return try Self.changeOne(filled.newContext()) }
    if kind == .fetchOne, storage == .sqlite {
      let context = filled.newContext()
      return try Self.fetchEach(count) { title in
        keep(try context.fetch(Item.self, where: ManagedPredicate(format: "title == %@", title)))
      }
    }
    return try Measurement.measure {
      try kind.run(filled.newContext(), count)
      return 0
    }
  }

  /// The number of objects that are fetched one by one to measure the time of one fetch.
  private static let fetchCount = 1_000

  /// Measures the average time of fetching one object.
  static func fetchEach(_ count: Int, _ fetch: (_ title: String) throws -> Void) throws -> Measurement {
    let titles = (0..<fetchCount).map { "Item \($0 * 7_919 % count)" }
    var measurement = try Measurement.measure {
      for title in titles { try fetch(title) }
      return 0
    }
    measurement.seconds /= Double(fetchCount)
    return measurement
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

  /// Measures the memory of each loaded object. Objects of a store in memory share its rows.
  private static func memoryOfObjects(_ container: PersistentContainer) throws -> Measurement {
    func load(_ context: ManagedObjectContext) throws -> [Item] {
      let items = try context.fetch(Item.self)
      for item in items { _ = item.number }
      return items
    }
    let before = memoryInUse()
    let contexts = (0..<8).map { _ in container.newContext() }
    let loaded = try contexts.map(load)
    let each = (memoryInUse() - before) / loaded.reduce(0) { $0 + $1.count }
    withExtendedLifetime((contexts, loaded)) {}
    return Measurement(seconds: 0, peakMemory: 0, outputLength: each)
  }

  private static func measureOpening(_ folder: URL, entities: Int) throws -> Measurement {
    let definitions = (0..<entities).map { number in
      EntityDescription(
        "Entity\(number)",
        [
          .attribute("title", .string), .attribute("number", .integer64), .attribute("date", .date),
          .relationship("next", to: "Entity\((number + 1) % entities)", inverse: "former"),
          .relationship(
            "former", to: "Entity\((number + entities - 1) % entities)", inverse: "next", isToMany: true),
        ])
    }
    let model = try ManagedObjectModel(entities: definitions)
    let file = Storage.sqlite.file(in: folder)
    _ = try SQLiteStore(file, model: model)
    return try Measurement.measure {
      keep(try SQLiteStore(file, model: model))
      return 0
    }
  }
}

extension ObjectsWork.Kind {
  /// Does work that only reads.
  fileprivate func run(_ context: ManagedObjectContext, _ count: Int) throws {
    switch self {
    case .fetchAll:
      var sum = 0.0
      for item in try context.fetch(Item.self) {
        sum += item.price + Double(item.number + item.title.utf8.count + (item.text?.utf8.count ?? 0))
        sum += item.date.timeIntervalSinceReferenceDate
      }
      keep(sum)
    case .fetchSome:
      keep(try context.fetch(Item.self, where: ManagedPredicate(format: "number >= %d", count / 2)))
    case .fetchOne:
      keep(try context.fetch(Item.self, where: ManagedPredicate(format: "title == %@", "Item \(count / 2)")))
    case .sort: keep(try context.fetch(Item.self, sortedBy: [.init("text", isAscending: false)]))
    case .onDemand:
      let items = try context.fetchLazily(Item.self, sortedBy: [.init("title")])
      var sum = 0
      for item in items[(count / 2)..<(count / 2 + 30)] { sum += item.number }
      keep(sum)
    case .walk:
      var request = FetchRequest("Owner")
      request.relationshipKeyPathsForPrefetching = ["items"]
      var sum = 0
      for case let owner as Owner in try context.fetch(request) { for item in owner.items { sum += item.number } }
      keep(sum)
    case .fault:
      var request = FetchRequest("Item")
      request.includesPropertyValues = false
      var sum = 0
      for case let item as Item in try context.fetch(request) { sum += item.number }
      keep(sum)
    case .insert, .changeOne, .open, .openMany, .memory: break
    }
  }
}

/// SQLAlchemy's objects, in an SQLite database in memory or in a file.
extension ObjectsWork {
  private func measureSQLAlchemy(_ folder: URL, _ count: Int) throws -> Measurement? {
    let body =
      switch kind {
      case .insert: "fill(sessionmaker(new_engine(), expire_on_commit=False)())"
      case .fetchAll:
        "total = sum(item.price + item.number + len(item.title) + len(item.text) + item.date.second"
          + " for item in new().scalars(select(Item)))"
      case .fetchSome: "found = new().scalars(select(Item).where(Item.number >= count // 2)).all()"
      case .fetchOne where storage == .sqlite:
        "found = [session.scalars(select(Item).where(Item.title == f'Item {index * 7919 % count}')).all()"
          + " for session in [new()] for index in range(\(Self.fetchCount))]"
      case .fetchOne: "found = new().scalars(select(Item).where(Item.title == f'Item {count // 2}')).all()"
      case .sort: "found = new().scalars(select(Item).order_by(Item.text.desc())).all()"
      case .walk:
        "total = sum(item.number for owner in new().scalars(select(Owner).options(selectinload(Owner.items)))"
          + " for item in owner.items)"
      case .changeOne: "number += 1; items[number % count].price = number + 0.25; session.commit()"
      case .fault, .onDemand, .open, .openMany, .memory: "pass"
      }
    let setup = """
      import ctypes, datetime, gc, os
      from typing import List, Optional
      from sqlalchemy import ForeignKey, create_engine, event, select
      from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship, selectinload, sessionmaker
      file = \(storage == .sqlite ? "'\(folder.path)/alchemy'" : "''")
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
        title: Mapped[str] = mapped_column(index=file != '')
        text: Mapped[Optional[str]]
        number: Mapped[int]
        price: Mapped[float]
        date: Mapped[datetime.datetime]
        owner_id: Mapped[Optional[int]] = mapped_column(ForeignKey('owner.id'), index=True)
        owner: Mapped[Optional[Owner]] = relationship(back_populates='items')
      count = \(count)
      def new_engine():
        if file:
          for suffix in ['', '-wal', '-shm']:
            if os.path.exists(file + suffix): os.remove(file + suffix)
        engine = create_engine('sqlite://' + ('/' + file if file else ''))
        @event.listens_for(engine, 'connect')
        def prepare(connection, record):
          if file: connection.execute('PRAGMA journal_mode = WAL')
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
      if \(kind == .insert ? "False" : "True"): fill(new())
      gc.collect()
      ctypes.CDLL(None).malloc_trim(0)
      """
    let preparation = """
      session = new()
      items = session.scalars(select(Item)).all()
      length = (memory('VmRSS:') - before) // count
      """
    var measurement = try Measurement.inPython(
      body, setup: setup, preparation: kind == .changeOne || kind == .memory ? preparation : "")
    if kind == .fetchOne, storage == .sqlite { measurement?.seconds /= Double(Self.fetchCount) }
    return measurement
  }
}
