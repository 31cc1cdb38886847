import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SystemFiles
import ToolSupport

/// A change of a property on the command line: `KEY=VALUE`, `KEY+=VALUE` or `KEY-=VALUE`.
struct Assignment: ExpressibleByArgument {
  let key: String
  let operation: Operation
  let text: String

  enum Operation: String {
    case set = "="
    case add = "+="
    case remove = "-="
  }

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
    var key = argument[..<equals]
    text = String(argument[argument.index(after: equals)...])
    switch key.last {
    case "+": operation = .add
    case "-": operation = .remove
    default: operation = .set
    }
    if operation != .set { key.removeLast() }
    guard !key.isEmpty else { return nil }
    self.key = String(key)
  }

  /// The help text about assignments.
  static let help = """
    Values are text: true, 42, 1.5, 2026-01-31T12:00:00Z. Data is base64 text, or @FILE for the contents of FILE. A \
    composite attribute takes JSON, such as {"city": "Oslo"}; author.city=Oslo sets one of its elements. A \
    relationship takes object IDs separated by commas; KEY= without IDs clears it. In a to-many relationship, += adds \
    objects, and -= removes them.
    """

  /// Applies the change to an object.
  func apply(to object: ManagedObject, in opened: OpenStore) throws {
    switch object.entity.property(named: key) {
    case .attribute(let attribute):
      try object.setValue(value(of: attribute.definition), forKey: key)
    case .relationship(let relationship): try apply(to: object, relationship, in: opened)
    case nil:
      guard let element = try object.entity.element(at: key) else {
        throw ValidationError(Self.unknown(key, object.entity))
      }
      try object.setValue(value(of: element), forKeyPath: key)
    }
  }

  static func unknown(_ key: String, _ entity: ManagedObjectModel.Entity) -> String {
    let names = entity.properties.map(\.name)
    let hint = MistypedVerb.nearest(to: key, in: names).map { "did you mean \($0.printable())?" }
    return "\(entity.name.printable()) has no \(key.quoted); "
      + (hint ?? "it has \(names.map { $0.printable() }.joined(separator: ", ")).")
  }

  private func apply(
    to object: ManagedObject, _ relationship: ManagedObjectModel.Entity.Relationship, in opened: OpenStore
  ) throws {
    guard let context = object.managedObjectContext else { return }
    let named = try text.split(separator: ",").map { name in
      ManagedObject.Value.object(try opened.object(opened.key(name.trimmingWhitespace), in: context))
    }
    guard relationship.definition.isToMany else {
      if operation != .set || named.count > 1 {
        throw ValidationError("\(key.printable()) is a to-one relationship: use \(key.printable())=ID.")
      }
      return try object.setValue(named.first ?? .null, forKey: key)
    }
    var objects: [ManagedObject.Value] = []
    if operation != .set {
      switch try object.value(forKey: key) {
      case .array(let elements), .set(let elements): objects = elements
      default: break
      }
    }
    switch operation {
    case .set: objects = named
    case .add: objects += named.filter { !objects.contains($0) }
    case .remove: objects.removeAll { named.contains($0) }
    }
    try object.setValue(relationship.definition.isOrdered ? .array(objects) : .set(objects), forKey: key)
  }

  /// Converts the text to a value of an attribute. A composite value is a JSON object; empty text is null.
  private func value(of attribute: AttributeDescription) throws -> AttributeValue {
    if operation != .set {
      throw ValidationError(
        "\(key.printable()) is an attribute; \(operation.rawValue) works only for to-many relationships.")
    }
    let text = try ProgramArguments.text(text)
    let type = attribute.type
    if [.binary, .transformable].contains(type), text.hasPrefix("@") {
      let path = String(self.text.dropFirst())
      let file = try PropertyListError.converting(FileSystem.readRegularFile(path, limit: ParsingLimits().inputSize))
      guard let file else { throw ManagedObjectError(.noSuchFile, "the file \(path.printable()) does not exist") }
      return .data(file.data)
    }
    if type == .composite {
      if text.isEmpty { return .null }
      return try ImportedValues(timeZone: nil, listSeparator: nil).value(ofText: text, of: attribute)
    }
    if let value = type.value(ofText: text) { return value }
    throw ManagedObjectError(.invalidValue, "\(key.printable()): expected \(type.name), found \(text.quoted)")
  }
}
