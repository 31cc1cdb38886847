import FoundationEssentials
import ManagedObjects

/// A note as a managed object.
final class StoredNote: ManagedObject {
  // The class has a name of its own, since `Note` is the value. The file has the name of the entity.
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

  /// Takes over a value. Only what differs becomes a change.
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

/// A word that any number of notes have in common.
final class Tag: ManagedObject {
  @Attribute(.unique) var name: String
  @Relationship var notes: Set<StoredNote>

  /// The tag of a name, which is made if it is not there yet.
  static func named(_ name: String, in context: ManagedObjectContext) throws -> Tag {
    if let tag = try context.fetch(Tag.self, where: #Predicate { $0.name == name }).first { return tag }
    let tag = try context.insert(Tag.self)
    tag.name = name
    return tag
  }

  /// A tag that no note has is removed with the save that makes it so.
  override func willSave() {
    if notes.isEmpty, !isDeleted { try? managedObjectContext?.delete(self) }
  }
}
