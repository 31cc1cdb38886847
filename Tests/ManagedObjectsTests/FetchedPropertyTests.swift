import ManagedObjects
import TestSupport
import Testing

/// `$FETCHED_PROPERTY` in the predicates of fetched properties.
struct FetchedPropertyTests {
  final class Note: ManagedObject {
    @Attribute var title: String
    @Attribute var pages: Int
    @FetchedProperty(
      "pages >= $FETCHED_PROPERTY.userInfo.minimum AND SELF != $FETCH_SOURCE", sortedBy: [.init("pages")])
    var long: [Note]
    @FetchedProperty("title == $FETCHED_PROPERTY.name") var called: [Note]
    @FetchedProperty("title IN $FETCHED_PROPERTY.userInfo.words") var inWords: [Note]
    @FetchedProperty("title.length == $FETCHED_PROPERTY.name.length") var ofLength: [Note]
    @FetchedProperty("title == $FETCHED_PROPERTY.userInfo.missing.deeper") var missing: [Note]
    @FetchedProperty("title BEGINSWITH $FETCHED_PROPERTY.entity.name") var likeEntity: [Note]
    @FetchedProperty("title == FUNCTION($FETCHED_PROPERTY, 'valueForKeyPath:', 'userInfo.inner.title')")
    var inner: [Note]
    @FetchedProperty("title == $FETCHED_PROPERTY.userinfo.x") var misspelled: [Note]
    @FetchedProperty("title == $FETCHED_PROPERTY.entity.color") var misspelledEntity: [Note]
    @FetchedProperty("title == $FETCHED_PROPERTY") var compared: [Note]

    override class func describe(_ entity: inout EntityDescription) {
      for index in entity.properties.indices {
        switch entity.properties[index].name {
        case "long": entity.properties[index].userInfo["minimum"] = 3
        case "inWords": entity.properties[index].userInfo["words"] = ["a", "called"]
        case "inner": entity.properties[index].userInfo["inner"] = ["title": "called"]
        default: break
        }
      }
    }
  }

  /// Calls `body` with a saved note; the store has others, too.
  private func withNote(_ kind: StoreKind, _ body: (Note, ManagedObjectContext) throws -> Void) throws {
    let model = try ManagedObjectModel(Note.self)
    let folder = TemporaryFolder()
    let coordinator = try kind.coordinator(model, folder)
    let context = ManagedObjectContext(coordinator: coordinator)
    for (title, pages) in [("a", 1), ("called", 3), ("Notebook", 5), ("longer text", 9)] {
      let note = try context.insert(Note.self)
      note.title = title
      note.pages = pages
    }
    try context.save()
    let note = try #require(try context.fetch(Note.self).first { $0.title == "Notebook" })
    try body(note, context)
    #expect(context.misuse.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `the predicate of a fetched property reads the property's description`(_ kind: StoreKind) throws {
    try withNote(kind) { note, _ in
      #expect(note.long.map(\.title) == ["called", "longer text"])
      #expect(note.called.map(\.title) == ["called"])
      #expect(Set(note.inWords.map(\.title)) == ["a", "called"])
      #expect(note.ofLength.map(\.title) == ["Notebook"])
      #expect(note.missing.isEmpty)
      #expect(note.likeEntity.map(\.title) == ["Notebook"])
      #expect(note.inner.map(\.title) == ["called"])
    }
  }

  @Test func `a key that the description does not have is an error`() throws {
    try withNote(.memory) { note, _ in
      let error = thrownError { _ = try note.fetchedObjects(named: "misspelled") }
      #expect(error?.code == .undefinedKey && error?.key == "misspelled")
      #expect(error?.message == #"$FETCHED_PROPERTY has no key "userinfo""#)
      let ofEntity = thrownError { _ = try note.fetchedObjects(named: "misspelledEntity") }
      #expect(ofEntity?.message == #"$FETCHED_PROPERTY has no key "entity.color""#)
    }
  }

  @Test func `the description itself cannot be compared with a string`() throws {
    try withNote(.memory) { note, _ in
      let error = thrownError { _ = try note.fetchedObjects(named: "compared") }
      #expect(error?.code == .unsupportedRequest && error?.predicateError?.kind == .typeMismatch)
    }
  }
}
