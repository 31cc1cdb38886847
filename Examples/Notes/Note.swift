import FoundationEssentials
import KeyedArchiving
import PropertyLists

/// A note.
struct Note: Equatable {
  var title: String
  var author: String
  var text: String
  var changed: Date
  var isPublished: Bool
  var tags: [String]
}

/// Conversion to an object of a keyed archive.
extension Note: SecureCoding {
  static let archivedClass = ArchivedClass("Note")

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(title, forKey: "title")
    try coder.encode(author, forKey: "author")
    try coder.encode(text, forKey: "text")
    try coder.encode(changed, forKey: "changed")
    try coder.encode(isPublished, forKey: "published")
    try coder.encode(tags, forKey: "tags")
  }

  init(coder: KeyedUnarchiver) throws {
    title = try coder.decode(String.self, forKey: "title")
    author = try coder.decode(String.self, forKey: "author")
    text = try coder.decode(String.self, forKey: "text")
    changed = try coder.decode(Date.self, forKey: "changed")
    isPublished = try coder.decode(Bool.self, forKey: "published")
    tags = try coder.decode([String].self, forKey: "tags")
  }
}

/// Conversion to a dictionary of a property list.
extension Note {
  var propertyList: PropertyList {
    [
      "title": .string(title), "author": .string(author), "text": .string(text), "changed": .date(changed),
      "published": .boolean(isPublished), "tags": .array(tags.map { .string($0) }),
    ]
  }

  /// Creates a note from its dictionary. Returns nil if the value is not the dictionary of a note.
  init?(_ propertyList: PropertyList) {
    guard let title = propertyList["title"]?.string, let author = propertyList["author"]?.string,
      let text = propertyList["text"]?.string, let changed = propertyList["changed"]?.date,
      let isPublished = propertyList["published"]?.boolean, let tags = propertyList["tags"]?.array
    else { return nil }
    let texts = tags.compactMap(\.string)
    guard texts.count == tags.count else { return nil }
    self.init(
      title: title, author: author, text: text, changed: changed, isPublished: isPublished, tags: texts)
  }
}
