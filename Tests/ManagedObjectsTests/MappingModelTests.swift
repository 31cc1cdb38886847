import Foundation
import KeyedArchiving
import ManagedObjects
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("Compiled mapping models") struct MappingModelTests {
  static let source = ManagedExpression.variable("source")
  static let manager = ManagedExpression.variable("manager")

  private static func value(_ key: String) throws -> ManagedExpression {
    .keyPath(try #require(PredicateKeyPath(key)), of: source)
  }

  /// Returns a mapping model that uses every property.
  static func library() throws -> MappingModel {
    var books = EntityMapping("BookToBook", .transform, from: "Book", to: "Book")
    books.sourceEntityVersionHash = Data(repeating: 1, count: 32)
    books.destinationEntityVersionHash = Data(repeating: 2, count: 32)
    books.sourceExpression = .fetch(
      request: .method(
        "fetchRequestForSourceEntityNamed:predicateString:", of: manager,
        arguments: [.value(.string("Book")), .value(.string("TRUEPREDICATE"))]),
      context: .keyPath(try #require(PredicateKeyPath("sourceContext")), of: manager), countOnly: false)
    var title = PropertyMapping("title", valueExpression: try value("author.name"))
    title.userInfo = ["kept": ["a", 1, true]]
    title.transforms = [.value(.string("upper")), .value(.integer(3))]
    let pages = PropertyMapping("pages", valueExpression: try ManagedExpression(format: "$source.pages + 1"))
    books.attributeMappings = [title, pages, PropertyMapping("shelf")]
    books.relationshipMappings = [
      PropertyMapping(
        "author",
        valueExpression: .method(
          "destinationInstancesForEntityMappingNamed:sourceInstances:", of: manager,
          arguments: [.value(.string("PersonToAuthor")), try value("author")]))
    ]
    books.migrationPolicyClassName = "Library.BookPolicy"
    books.userInfo = ["note": "first"]
    return MappingModel([
      books, EntityMapping("PersonToAuthor", .custom, from: "Person", to: "Author"),
      EntityMapping("Shelf", .add, to: "Shelf"), EntityMapping("Box", .remove, from: "Box"),
      EntityMapping("Same", .copy, from: "Same", to: "Same"), EntityMapping("Open", .undefined),
    ])
  }

  @Test func `a mapping model survives writing and reading`() throws {
    let library = try Self.library()
    let data = try library.compiledData()
    let copy = try MappingModel(compiled: data)
    #expect(copy == library && copy["Shelf"]?.mappingType == .add && copy["None"] == nil)
    #expect(try ArchiveGraph.differences(data, copy.compiledData()) == [])
    #expect(try MappingModel(compiled: MappingModel().compiledData()) == MappingModel())

    let folder = TemporaryFolder()
    let url = folder.url.appending(path: "1to2.cdm")
    try data.write(to: url)
    #expect(try MappingModel(contentsOf: url) == library)
    #expect(throws: ManagedObjectModelError.self) { try MappingModel(contentsOf: folder.url) }
  }

  @Test func `mapping types have the raw values used in files`() {
    #expect(EntityMapping.MappingType.allCases.map(\.rawValue) == Array(0...5))
    #expect(EntityMapping.MappingType.allCases == [.undefined, .custom, .add, .remove, .copy, .transform])
  }

  @Test func `archives have the classes and keys of Core Data`() throws {
    var classes: [String: Set<String>] = [:]
    for object in try KeyedArchive(Self.library().compiledData()).objects {
      guard let name = object.className else { continue }
      classes[name, default: []].formUnion(try object.fields.map(\.key))
    }
    #expect(classes["NSMappingModel"] == ["NSEntityMappings", "NSEntityMappingsByName"])
    #expect(
      classes["NSEntityMapping"] == [
        "NSMappingName", "NSMappingType", "NSSourceEntityName", "NSSourceEntityVersionHash", "NSDestinationEntityName",
        "NSDestinationEntityVersionHash", "NSSourceExpression", "NSAttributeMappings", "NSRelationshipMappings",
        "NSEntityMigrationPolicyClassName", "NSUserInfo",
      ])
    #expect(
      classes["NSPropertyMapping"] == [
        "NSDestinationPropertyName", "NSValueExpression", "NSUserInfo", "NSPropertyTransforms",
      ])
  }

  @Test(arguments: ["NSMappingModel", "NSEntityMapping", "NSPropertyMapping"])
  func `unknown keys are preserved`(_ name: String) throws {
    var sketch = try ArchiveSketch(Self.library().compiledData())
    let object = try #require(sketch.indices(of: name).first)
    sketch[object]["CDMCompilerXcodeVersion"] = 150_400
    sketch[object]["CDMCompilerToolVersion"] = 2.5
    sketch[object]["NSWord"] = sketch.add("word")
    sketch[object]["NSNothing"] = .uid(.init(0))
    let thing = try sketch.addObject("NSStrangeThing", ["NSPart": sketch.add("part")])
    sketch[object]["NSThing"] = thing
    let data = try sketch.data()
    let model = try MappingModel(compiled: data)
    let entity = try #require(model.entityMappings.first)
    let others =
      switch name {
      case "NSMappingModel": model.otherArchivedValues
      case "NSEntityMapping": entity.otherArchivedValues
      default: try #require(entity.attributeMappings.first).otherArchivedValues
      }
    #expect(Set(others.keys) == ["CDMCompilerXcodeVersion", "CDMCompilerToolVersion", "NSWord", "NSThing"])
    #expect(others["CDMCompilerXcodeVersion"] == .value(.integer(150_400)))
    #expect(others["CDMCompilerToolVersion"] == .value(.double(2.5)))
    #expect(others["NSWord"] == .value(.string("word")))
    guard case .opaque(let strange)? = others["NSThing"] else {
      Issue.record("no object")
      return
    }
    #expect(strange.className == "NSStrangeThing")
    #expect(try strange.value(forKey: "NSPart") == .string("part"))
    #expect(try ArchiveGraph.differences(data, model.compiledData()) == [])
  }

  @Test func `transforms of unknown classes are preserved`() throws {
    var sketch = try ArchiveSketch(Self.library().compiledData())
    let property = try #require(sketch.indices(of: "NSPropertyMapping").first)
    let transform = try sketch.addObject("NSPropertyTransform", ["NSName": sketch.add("title")])
    sketch[property]["NSPropertyTransforms"] = try sketch.addObject("NSArray", ["NS.objects": .array([transform])])
    let data = try sketch.data()
    let model = try MappingModel(compiled: data)
    let transforms = model.entityMappings[0].attributeMappings[0].transforms
    guard transforms.count == 1, case .opaque(let kept) = transforms[0] else {
      Issue.record("\(transforms)")
      return
    }
    #expect(kept.className == "NSPropertyTransform")
    #expect(try ArchiveGraph.differences(data, model.compiledData()) == [])
  }

  /// Changes to a valid archive, and a part of the resulting error message.
  static let defects: [(change: @Sendable (inout ArchiveSketch) throws -> Void, message: String)] = [
    ({ $0[$0.indices(of: "NSEntityMapping")[0]]["NSMappingType"] = 9 }, "9 is not a mapping type"),
    ({ $0[$0.indices(of: "NSEntityMapping")[0]]["NSMappingName"] = nil }, "NSMappingName"),
    ({ $0[$0.indices(of: "NSPropertyMapping")[0]]["NSDestinationPropertyName"] = nil }, "NSDestinationPropertyName"),
    ({ $0[$0.indices(of: "NSEntityMapping")[0]]["NSSourceEntityVersionHash"] = 3 }, "NSSourceEntityVersionHash"),
    (
      // The list is missing a mapping of the table.
      { sketch in
        let mappings = try sketch.index(of: "NSEntityMappings", in: sketch.indices(of: "NSMappingModel")[0])
        sketch[mappings]["NS.objects"] = try .array(Array(#require(sketch[mappings]["NS.objects"]?.array).dropLast()))
      }, "NSEntityMappingsByName"
    ),
    (
      // The table contains a mapping under another name.
      { sketch in
        let model = sketch.indices(of: "NSMappingModel")[0]
        sketch[model]["NSEntityMappings"] = nil
        let mapping = sketch.indices(of: "NSEntityMapping")[0]
        sketch[mapping]["NSMappingName"] = sketch.add("Other")
      }, "another name"
    ),
    (
      // Expressions of unknown objects cannot be kept.
      { sketch in
        let expression = try #require(sketch.indices(of: "NSVariableExpression").first)
        let property = sketch.indices(of: "NSPropertyMapping")[0]
        sketch[property]["NSThing"] = try sketch.addObject(
          "NSStrangeThing", ["NSValue": .uid(.init(UInt32(expression)))])
      }, "NSVariableExpression"
    ),
    ({ $0[$0.indices(of: "NSMappingModel")[0]]["NSEntityMappings"] = $0.add("text") }, "a string"),
    ({ $0[$0.indices(of: "NSEntityMapping")[0]]["$0"] = $0.add("text") }, "a value without a key"),
  ]

  @Test(arguments: defects.indices) func `an error describes the defect of a mapping model`(_ index: Int) throws {
    var sketch = try ArchiveSketch(Self.library().compiledData())
    try Self.defects[index].change(&sketch)
    let data = try sketch.data()
    let error = #expect(throws: ManagedObjectModelError.self) { try MappingModel(compiled: data) }
    #expect(error?.description.contains(Self.defects[index].message) == true, "\(error?.description ?? "no error")")
  }

  @Test func `data that is not a mapping model is an error`() throws {
    #expect(throws: ManagedObjectModelError.self) { try MappingModel(compiled: Data()) }
    let text = try KeyedArchiver.archivedData(withRootObject: "text")
    let error = #expect(throws: ManagedObjectModelError.self) { try MappingModel(compiled: text) }
    #expect(error?.description == "root: expected NSMappingModel, found a string (object 1)")
    let model = try Fixtures.data(CompiledModelTests.notes)
    #expect(throws: ManagedObjectModelError.self) { try MappingModel(compiled: model) }
  }

  @Test func `duplicate mapping names and reserved keys are not written`() throws {
    let twice = MappingModel([EntityMapping("A", .add, to: "A"), EntityMapping("A", .remove, from: "A")])
    let error = #expect(throws: ManagedObjectModelError.self) { try twice.compiledData() }
    #expect(error?.description == "two entity mappings have the name \"A\"")
    var taken = MappingModel()
    taken.otherArchivedValues = ["NSEntityMappings": .null]
    #expect(throws: ManagedObjectModelError.self) { try taken.compiledData() }
  }

  @Test func `damaged bytes never trap`() throws {
    let original = [UInt8](try Self.library().compiledData())
    var random = SeededGenerator(seed: 21)
    var opened = 0
    let count = LongForm.size(all: 1_000_000, 3000, or: 400)
    for _ in 0..<count {
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.damage(using: &random) }
      if check(Data(bytes)) { opened += 1 }
    }
    #expect(opened > 0 && opened < count)
  }

  @Test func `wrong references never trap`() throws {
    let original = try ArchiveSketch(Self.library().compiledData())
    var random = SeededGenerator(seed: 22)
    var opened = 0
    let count = LongForm.size(all: 1_000_000, 3000, or: 60)
    for _ in 0..<count {
      var sketch = original
      let index = Int.random(in: 1..<sketch.objects.count, using: &random)
      guard case .dictionary(let entries) = sketch.objects[index], !entries.isEmpty else { continue }
      let key = entries.keys[Int.random(in: 0..<entries.count, using: &random)]
      switch Int.random(in: 0..<5, using: &random) {
      case 0: sketch[index][key] = nil
      case 1: sketch[index][key] = .integer(.init(Int.random(in: -3...9000, using: &random)))
      case 2: sketch[index]["NSOther"] = sketch[index][key]
      default: sketch[index][key] = .uid(.init(UInt32.random(in: 0..<UInt32(sketch.objects.count + 2), using: &random)))
      }
      if check(try sketch.data()) { opened += 1 }
    }
    #expect(opened > 0 && opened < count)
  }

  /// Returns true if the data are a mapping model. Checks that it can be written and read again.
  private func check(_ data: Data) -> Bool {
    let model: MappingModel
    do throws(ManagedObjectModelError) { model = try MappingModel(compiled: data) } catch {
      if error.description.isEmpty { Issue.record("an error that says nothing: \(data)") }
      return false
    }
    guard let copy = try? model.compiledData() else { return true }
    #expect((try? MappingModel(compiled: copy))?.entityMappings.map(\.name) == model.entityMappings.map(\.name))
    return true
  }
}

/// An archive whose objects can be changed.
struct ArchiveSketch {
  private var archive: PropertyList
  var objects: [PropertyList]

  init(_ data: Data) throws {
    archive = try PropertyList(data)
    objects = try #require(archive["$objects"]?.array)
  }

  /// The entries of an object.
  subscript(index: Int) -> OrderedDictionary<String, PropertyList> {
    get { objects[index].dictionary ?? [:] }
    set { objects[index] = .dictionary(newValue) }
  }

  /// Returns the indexes of the objects of a class.
  func indices(of name: String) -> [Int] {
    objects.indices.filter { index in
      guard case .uid(let uid)? = objects[index].dictionary?["$class"] else { return false }
      return objects[Int(uid.value)]["$classname"]?.string == name
    }
  }

  /// Returns the index of the object to which a key of another object refers.
  func index(of key: String, in object: Int) throws -> Int {
    guard case .uid(let uid)? = self[object][key] else { throw KeyedArchiveError(.valueNotFound, key) }
    return Int(uid.value)
  }

  /// Adds an object, and returns a reference to it.
  mutating func add(_ object: PropertyList) -> PropertyList {
    objects.append(object)
    return .uid(.init(UInt32(objects.count - 1)))
  }

  /// Adds an object and its class, and returns a reference to the object.
  mutating func addObject(_ name: String, _ entries: OrderedDictionary<String, PropertyList>) throws -> PropertyList {
    var entries = entries
    entries["$class"] = add(["$classname": .string(name), "$classes": [.string(name), "NSObject"]])
    return add(.dictionary(entries))
  }

  func data() throws -> Data {
    var archive = archive
    archive.dictionary?["$objects"] = .array(objects)
    return try archive.data(format: .binary)
  }
}
