import FoundationEssentials
import ManagedObjects

/// A note as a managed object.
final class StoredNote: ManagedObject {
  // The class is not called `Note` because that is the value type. The entity is called `Note`, as in the file.
  override class var entityName: String { "Note" }

  @Attribute(.unique) var key: String
  @Attribute(.indexed) var added: Date
  @Attribute var title: String
  @Attribute var author = ""
  @Attribute var text = ""
  @Attribute var changed: Date
  @Attribute var isPublished = false
  @Relationship(inverse: \Tag.notes) var tags: [Tag]

  override func awakeFromInsert() { added = .now }

  /// The note as a value.
  var note: Note {
    Note(
      title: title, author: author, text: text, changed: changed, isPublished: isPublished, tags: tags.map(\.name))
  }

  /// Sets all properties from a value. Equal values do not count as changes.
  func set(_ note: Note) throws {
    title = note.title
    author = note.author
    text = note.text
    changed = note.changed
    isPublished = note.isPublished
    guard let context = managedObjectContext else { return }
    tags = try note.tags.map { try Tag.named($0, in: context) }
  }
}

/// A tag, which any number of notes can have.
final class Tag: ManagedObject {
  @Attribute(.unique) var name: String
  @Relationship var notes: Set<StoredNote>

  /// Returns the tag with a name. Inserts it if it does not exist.
  static func named(_ name: String, in context: ManagedObjectContext) throws -> Tag {
    if let tag = try context.fetch(Tag.self, where: #Predicate { $0.name == name }).first { return tag }
    let tag = try context.insert(Tag.self)
    tag.name = name
    return tag
  }

  /// Deletes a tag that no note uses any more, in the same save.
  override func willSave() {
    if notes.isEmpty, !isDeleted { try? managedObjectContext?.delete(self) }
  }
}
