import Foundation
import KeyedArchiving
import TestSupport
import Testing

@testable import ManagedObjects

/// Value transformers of attributes.
struct AttributeTransformerTests {
  struct Color: Hashable { var red, green, blue: UInt8 }

  struct ColorError: Error, Equatable { let count: Int }

  enum ColorToDataTransformer: AttributeTransformer {
    static func transformedValue(_ color: Color) throws -> Data {
      // A color that cannot be stored.
      if color.red == 13 { throw ColorError(count: 13) }
      return Data([color.red, color.green, color.blue])
    }

    static func reverseTransformedValue(_ data: Data) throws -> Color {
      guard data.count == 3 else { throw ColorError(count: data.count) }
      return Color(red: data[data.startIndex], green: data[data.startIndex + 1], blue: data[data.startIndex + 2])
    }
  }

  /// Stores data with all bits inverted.
  enum SecretTransformer: AttributeTransformer {
    static let transformerName = "Secret"
    static func transformedValue(_ data: Data) -> Data { Data(data.map { ~$0 }) }
    static func reverseTransformedValue(_ data: Data) -> Data { Data(data.map { ~$0 }) }
  }

  enum ReversedTextTransformer: AttributeTransformer {
    static func transformedValue(_ text: String) -> Data { Data(text.utf8.reversed()) }
    static func reverseTransformedValue(_ data: Data) throws -> String {
      guard let text = String(validating: Array(data.reversed()), as: UTF8.self) else { throw ColorError(count: 0) }
      return text
    }
  }

  enum OtherTextTransformer: AttributeTransformer {
    static let transformerName = "ReversedTextTransformer"
    static func transformedValue(_ text: String) -> Data { Data(text.utf8) }
    static func reverseTransformedValue(_ data: Data) -> String { "" }
  }

  enum ReservedTransformer: AttributeTransformer {
    static let transformerName = "NSSecureUnarchiveFromData"
    static func transformedValue(_ text: String) -> Data { Data(text.utf8) }
    static func reverseTransformedValue(_ data: Data) -> String { "" }
  }

  class Shape: SecureCoding, AttributeCoding {
    let size: Int
    init(size: Int) { self.size = size }
    class var archivedClass: ArchivedClass { ArchivedClass("Shape") }
    func encode(with coder: KeyedArchiver) throws { try coder.encode(size, forKey: "size") }
    required init(coder: KeyedUnarchiver) throws { size = try coder.decode(Int.self, forKey: "size") }
  }

  final class Circle: Shape {
    override class var archivedClass: ArchivedClass { ArchivedClass("Circle", superclass: super.archivedClass) }
  }

  final class Square: Shape {
    override class var archivedClass: ArchivedClass { ArchivedClass("Square", superclass: super.archivedClass) }
  }

  enum ShapeTransformer: SecureUnarchiveFromDataTransformer {
    typealias Value = Shape
    static var allowedTopLevelClasses: [any SecureCoding.Type] { [Shape.self, Circle.self] }
  }

  enum ColorsTransformer: SecureUnarchiveFromDataTransformer { typealias Value = [String: Date] }

  final class Note: ManagedObject {
    @Attribute var title = ""
    @Attribute(.transformed(by: ColorToDataTransformer.self)) var color: Color?
    @Attribute(.transformed(by: ColorToDataTransformer.self)) var background = Color(red: 1, green: 2, blue: 3)
    @Attribute(.transformed(by: SecretTransformer.self)) var secret = Data()
    @Attribute(.transformed(by: ReversedTextTransformer.self), .renamed(from: "memo")) var text: String?
    @Attribute(.transformed(by: ColorsTransformer.self)) var dates: [String: Date] = [:]
    @Attribute(.transformed(by: ShapeTransformer.self)) var figure: Shape?
    @Attribute var plain: [String] = []
  }

  private static let red = Color(red: 255, green: 0, blue: 0)

  private func context(_ model: ManagedObjectModel) throws -> ManagedObjectContext {
    ManagedObjectContext(coordinator: try StoreKind.memory.coordinator(model, TemporaryFolder()))
  }

  private func messages(_ body: () throws -> Void) -> [String] {
    do { try body() } catch ManagedObjectModelError.invalid(let defects) {
      return defects.map(\.description)
    } catch {
      return ["\(error)"]
    }
    return []
  }

  @Test(arguments: StoreKind.allCases)
  func `values of properties are stored in the form that their transformers make`(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let coordinator = try kind.coordinator(ManagedObjectModel(Note.self), folder)
    let context = ManagedObjectContext(coordinator: coordinator)
    let note = try context.insert(Note.self)
    #expect(note.color == nil && note.background == Color(red: 1, green: 2, blue: 3))
    #expect(note.secret == Data() && note.text == nil && note.dates == [:] && note.plain == [])
    note.color = Self.red
    note.secret = Data([1, 2])
    note.text = "abc"
    note.dates = ["a": Date(timeIntervalSinceReferenceDate: 1)]
    note.figure = Circle(size: 7)
    note.plain = ["x"]
    try context.save()
    let other = ManagedObjectContext(coordinator: coordinator)
    let read = try #require(try other.fetch(Note.self).first)
    #expect(read.color == Self.red && read.background == Color(red: 1, green: 2, blue: 3))
    #expect(read.secret == Data([1, 2]))
    #expect(read.text == "abc" && read.dates == ["a": Date(timeIntervalSinceReferenceDate: 1)] && read.plain == ["x"])
    #expect((read.figure as? Circle)?.size == 7)
    #expect(read["color"] == .attribute(.data(Data([255, 0, 0]))))
    #expect(read["secret"] == .attribute(.data(Data([254, 253]))))
    #expect(read["text"] == .attribute(.data(Data("cba".utf8))))
    read.color = Self.red
    #expect(!read.hasChanges)
    read.color = nil
    read.background.green = 9
    try other.save()
    try context.refreshAllObjects()
    #expect(note.color == nil && note.background == Color(red: 1, green: 9, blue: 3))
    #expect(context.misuse.isEmpty && other.misuse.isEmpty)
  }

  @Test func `a model made of classes has the names of the transformers`() throws {
    let model = try ManagedObjectModel(Note.self)
    let entity = try #require(model["Note"])
    let color = try #require(entity.attribute(named: "color")).definition
    #expect(color.type == .transformable && color.valueTransformerName == "ColorToDataTransformer" && color.isOptional)
    let background = try #require(entity.attribute(named: "background")).definition
    #expect(background.defaultValue == .data(Data([1, 2, 3])) && !background.isOptional)
    let text = try #require(entity.attribute(named: "text")).definition
    #expect(text.type == .transformable && text.renamingIdentifier == "memo")
    #expect(entity.attribute(named: "plain")?.definition.valueTransformerName == nil)
    // The compiled model has the names, and its version hashes do not depend on them.
    let compiled = try ManagedObjectModel(compiled: model.compiledData())
    for attribute in entity.attributes {
      #expect(compiled["Note"]?.attribute(named: attribute.name)?.definition == attribute.definition)
    }
    #expect(compiled.entityVersionHashesByName == model.entityVersionHashesByName)
  }

  @Test func `key paths to transformed properties lead to their attributes`() throws {
    let context = try context(ManagedObjectModel(Note.self))
    let note = try context.insert(Note.self)
    note.color = Self.red
    #expect(try note.decodedValue(of: \.color) == Self.red)
    #expect(try note.decodedValue(of: \.background) == Color(red: 1, green: 2, blue: 3))
    #expect(try note.decodedValue(of: \.text) == nil)
  }

  @Test func `undo restores a transformed value`() throws {
    let context = try context(ManagedObjectModel(Note.self))
    let undoManager = ManagedObjectContext.UndoManager()
    context.undoManager = undoManager
    let note = try context.insert(Note.self)
    note.color = Self.red
    try context.save()
    context.processPendingChanges()
    note.color = nil
    context.undo()
    #expect(note.color == Self.red)
  }

  // Values that cannot be converted.

  @Test func `a stored value that a transformer cannot read is kept and reported once with its cause`() throws {
    let model = try ManagedObjectModel(Note.self)
    let coordinator = try StoreKind.memory.coordinator(model, TemporaryFolder())
    let writer = ManagedObjectContext(coordinator: coordinator)
    let bad = try writer.insert(Note.self)
    try bad.setValue(.data(Data([1])), forKey: "color")
    try bad.setValue(.data(Data([1, 2, 3, 4])), forKey: "background")
    try writer.save()
    let context = ManagedObjectContext(coordinator: coordinator)
    let note = try #require(try context.fetch(Note.self).first)
    #expect(note.color == nil && note.color == nil)
    #expect(note.background == Color(red: 1, green: 2, blue: 3))
    #expect(context.misuse.map(\.key) == ["color", "background"])
    let error = try #require(context.misuse.first)
    #expect(error.code == .coderReadCorrupt && error.objectID == note.objectID && error.value == .data(Data([1])))
    #expect(error.underlyingError as? ColorError == ColorError(count: 1))
    let thrown = thrownError { _ = try note.decodedValue(of: \.color) }
    #expect(thrown?.code == .coderReadCorrupt && thrown?.underlyingError as? ColorError == ColorError(count: 1))
    note.title = "changed"
    try context.save()
    #expect(note["color"] == .attribute(.data(Data([1]))))
    note.color = Self.red
    try context.save()
    #expect(try note.decodedValue(of: \.color) == Self.red)
  }

  @Test func `a value that a transformer cannot store is refused with its cause`() throws {
    let context = try context(ManagedObjectModel(Note.self))
    let note = try context.insert(Note.self)
    note.color = Self.red
    note.color = Color(red: 13, green: 0, blue: 0)
    #expect(note.color == Self.red)
    let error = thrownError { try context.save() }
    #expect(error?.code == .invalidValue && error?.key == "color" && error?.objectID == note.objectID)
    #expect(error?.underlyingError as? ColorError == ColorError(count: 13))
    note.color = nil
    #expect(throws: Never.self) { try context.save() }
  }

  @Test func `a secure transformer creates only objects of its allowed classes`() throws {
    let context = try context(ManagedObjectModel(Note.self))
    let note = try context.insert(Note.self)
    note.figure = Square(size: 2)
    #expect(note.figure == nil)
    let error = thrownError { _ = try note.decodedValue(of: \.figure) }
    #expect(error?.code == .coderReadCorrupt && error?.underlyingError is KeyedArchiveError)
    note.figure = Shape(size: 3)
    #expect(note.figure?.size == 3)
  }

  // Models from files.

  /// A model in which attributes of an entity have transformers, as it is read from a file.
  private func fileModel(_ names: [String?]) throws -> ManagedObjectModel {
    var entity = EntityDescription("Note", [.attribute("title", .string)])
    for (index, name) in names.enumerated() {
      var attribute = AttributeDescription(["color", "text"][index], .transformable)
      attribute.valueTransformerName = name
      entity.properties.append(.attribute(attribute))
    }
    return try ManagedObjectModel(compiled: ManagedObjectModel(entities: [entity]).compiledData())
  }

  @Test(arguments: StoreKind.allCases)
  func `objects without a class have transformed values by key`(_ kind: StoreKind) throws {
    let model = try fileModel(["ColorToDataTransformer", "NSSecureUnarchiveFromData"])
      .registering(ColorToDataTransformer.self)
    let folder = TemporaryFolder()
    let context = ManagedObjectContext(coordinator: try kind.coordinator(model, folder))
    let note = try context.insert("Note")
    #expect(try note.transformedValue(Color.self, forKey: "color") == nil)
    try note.setTransformedValue(Self.red, forKey: "color")
    try note.setTransformedValue(["a", "b"], forKey: "text")
    try context.save()
    try context.refreshAllObjects()
    #expect(note["color"] == .attribute(.data(Data([255, 0, 0]))))
    #expect(try note.transformedValue(Color.self, forKey: "color") == Self.red)
    #expect(try note.transformedValue([String].self, forKey: "text") == ["a", "b"])
    try note.setTransformedValue(Color?.none, forKey: "color")
    #expect(note["color"] == .null)
  }

  @Test func `errors of values by key say what was expected and found`() throws {
    let model = try fileModel(["ColorToDataTransformer", nil]).registering(ColorToDataTransformer.self)
    let context = try context(model)
    let note = try context.insert("Note")
    try note.setTransformedValue(Self.red, forKey: "color")
    try note.setTransformedValue([1, 2], forKey: "text")
    let cases: [(code: ManagedObjectError.Code, text: String, body: () throws -> Void)] = [
      (
        .invalidValue, #"the value transformer "ColorToDataTransformer" has values of type Color, not String"#,
        { _ = try note.transformedValue(String.self, forKey: "color") }
      ),
      (
        .invalidValue, #"the value transformer "ColorToDataTransformer" has values of type Color, not String"#,
        { try note.setTransformedValue("red", forKey: "color") }
      ),
      (
        .invalidValue, "the attribute has no value transformer, and Color does not conform to SecureCoding",
        { _ = try note.transformedValue(Color.self, forKey: "text") }
      ),
      (
        .invalidValue, "the attribute has no value transformer, and Color does not conform to SecureCoding",
        { try note.setTransformedValue(Self.red, forKey: "text") }
      ),
      (
        .coderReadCorrupt, "expected an archive of Array<String>",
        { _ = try note.transformedValue([String].self, forKey: "text") }
      ),
      (
        .invalidValue, "expected a transformable attribute, found one of type String",
        { _ = try note.transformedValue(String.self, forKey: "title") }
      ),
      (.undefinedKey, "the entity", { _ = try note.transformedValue(String.self, forKey: "nothing") }),
      (
        .invalidValue, #"the value transformer "ColorToDataTransformer" cannot store the value"#,
        { try note.setTransformedValue(Color(red: 13, green: 0, blue: 0), forKey: "color") }
      ),
    ]
    for (code, text, body) in cases {
      let error = thrownError(body)
      #expect(error?.code == code && error?.message.hasPrefix(text) == true, "\(error?.message ?? "")")
      #expect(error?.objectID == note.objectID && error?.key != nil, "\(text)")
    }
    #expect(try note.transformedValue(Color.self, forKey: "color") == Self.red)
  }

  @Test func `a model with a transformer that is not registered opens and has data as values`() throws {
    let model = try fileModel(["UnknownTransformer", nil])
    let context = try context(model)
    let note = try context.insert("Note")
    try note.setValue(.data(Data([7])), forKey: "color")
    try context.save()
    #expect(note["color"] == .attribute(.data(Data([7]))))
    let error = thrownError { _ = try note.transformedValue(Color.self, forKey: "color") }
    #expect(error?.code == .undefinedKey && error?.key == "color")
    #expect(error?.message == #"the value transformer "UnknownTransformer" is not registered with the model"#)
  }

  enum Joined {
    final class Note: ManagedObject {
      @Attribute var color: Color?
      @Attribute var text: String?
    }
  }

  enum JoinedByOption {
    final class Note: ManagedObject {
      @Attribute(.transformed(by: ColorToDataTransformer.self)) var color: Color?
      @Attribute(.transformed(by: ReversedTextTransformer.self)) var text: String?
    }
  }

  @Test func `classes joined with a model use its transformers`() throws {
    let model = try fileModel(["ColorToDataTransformer", "ReversedTextTransformer"])
    let registered = try model.registering(ColorToDataTransformer.self, ReversedTextTransformer.self)
    let context = try context(registered.joined(with: [Joined.Note.self]))
    let note = try context.insert(Joined.Note.self)
    note.color = Self.red
    note.text = "abc"
    #expect(note.color == Self.red && note.text == "abc")
    #expect(note["text"] == .attribute(.data(Data("cba".utf8))))
    let byOption = try self.context(model.joined(with: [JoinedByOption.Note.self]))
    let other = try byOption.insert(JoinedByOption.Note.self)
    other.text = "abc"
    #expect(other.text == "abc" && other["text"] == .attribute(.data(Data("cba".utf8))))
    #expect(try other.transformedValue(String.self, forKey: "text") == "abc")
    #expect(context.misuse.isEmpty && byOption.misuse.isEmpty)
  }

  @Test func `joining reports transformers that are missing or different`() throws {
    func joining(_ names: [String?], _ type: ManagedObject.Type, _ register: Bool = true) -> [String] {
      messages {
        let model = try fileModel(names)
        let registered = try model.registering(ColorToDataTransformer.self, ReversedTextTransformer.self)
        _ = try (register ? registered : model).joined(with: [type])
      }
    }
    #expect(
      joining(["ColorToDataTransformer", "ReversedTextTransformer"], Joined.Note.self, false) == [
        #"Note.color: the value transformer "ColorToDataTransformer" is not registered with the model"#,
        #"Note.text: the value transformer "ReversedTextTransformer" is not registered with the model"#,
      ])
    #expect(
      joining(["ReversedTextTransformer", "ColorToDataTransformer"], Joined.Note.self) == [
        #"Note.color: the value transformer "ReversedTextTransformer" has values of type String, not Color"#,
        #"Note.text: the value transformer "ColorToDataTransformer" has values of type Color, not String"#,
      ])
    #expect(
      joining([nil, "NSSecureUnarchiveFromData"], Joined.Note.self) == [
        "Note.color: values of type Color need a value transformer: use the option .transformed(by:)",
        "Note.text: its type is String in the class, and Transformable in the model",
      ])
    #expect(
      joining([nil, "Other"], JoinedByOption.Note.self) == [
        #"Note.color: its value transformer is "ColorToDataTransformer" in the class, and not set in the model"#,
        #"Note.text: its value transformer is "ReversedTextTransformer" in the class, and "Other" in the model"#,
      ])
    #expect(
      messages {
        _ = try fileModel(["ColorToDataTransformer", "ReversedTextTransformer"]).registering(OtherTextTransformer.self)
          .joined(with: [JoinedByOption.Note.self])
      } == [
        "Note.text: the value transformers OtherTextTransformer and ReversedTextTransformer have the name "
          + #""ReversedTextTransformer""#
      ])
  }

  // Registering and defects.

  @Test func `a registered transformer stays with models made of the model`() throws {
    let model = try fileModel(["ColorToDataTransformer", nil]).registering(ColorToDataTransformer.self)
    let template = try model.settingFetchRequestTemplate(FetchRequest("Note"), forName: "all")
    let merged = try ManagedObjectModel.merging([template, ManagedObjectModel(entities: [EntityDescription("Other")])])
    let registered = try merged.registering(SecretTransformer.self, ColorToDataTransformer.self)
    for model in [model, template, merged, registered] {
      let note = try context(model).insert("Note")
      #expect(throws: Never.self) { try note.setTransformedValue(Self.red, forKey: "color") }
    }
    #expect(model == (try fileModel(["ColorToDataTransformer", nil])))
  }

  @Test func `two transformers cannot have one name`() throws {
    let model = try fileModel([nil, "ReversedTextTransformer"])
    #expect(
      messages { _ = try model.registering(ReversedTextTransformer.self, OtherTextTransformer.self) } == [
        "the value transformers ReversedTextTransformer and OtherTextTransformer have the name "
          + #""ReversedTextTransformer""#
      ])
    #expect(
      messages {
        _ = try model.registering(ReversedTextTransformer.self).merging(model.registering(OtherTextTransformer.self))
      } == [#"the models have different value transformers named "ReversedTextTransformer""#])
    #expect(
      messages { _ = try model.registering(ReservedTransformer.self) } == [
        #"the value transformer ReservedTransformer cannot have the name "NSSecureUnarchiveFromData", which is "#
          + "reserved"
      ])
  }

  final class Wrong: ManagedObject {
    @Attribute var color: Color?
    @Attribute(.transformed(by: ReversedTextTransformer.self)) var text: String?
    @Attribute(.transformed(by: OtherTextTransformer.self)) var other: String?
    @Attribute(.transformed(by: ReversedTextTransformer.self), .minimumLength(3)) var long: String?
    @Attribute(.transformed(by: ColorToDataTransformer.self)) var bad: Color? = Color(red: 13, green: 0, blue: 0)
    @Attribute(.externalStorage, .transformed(by: SecretTransformer.self)) var secret: Data?
  }

  @Test func `a model made of classes reports the defects of transformed properties`() {
    #expect(
      messages { _ = try ManagedObjectModel(Wrong.self) } == [
        "Wrong.color: values of type Color need a value transformer: use the option .transformed(by:)",
        "Wrong.other: the value transformers ReversedTextTransformer and OtherTextTransformer have the name "
          + #""ReversedTextTransformer""#,
        "Wrong.long: the values of an attribute with a value transformer cannot have limits or predicates",
        "Wrong.bad: the default value is not valid: the value transformer \"ColorToDataTransformer\" cannot store the "
          + "value: ColorError(count: 13)", "Wrong.secret: only binary data can be stored in external files",
      ])
  }
}

extension AttributeTransformerTests.Color: TransformedAttributeValue, AttributeConvertible {
  static let missingValue = Self(red: 0, green: 0, blue: 0)
}
