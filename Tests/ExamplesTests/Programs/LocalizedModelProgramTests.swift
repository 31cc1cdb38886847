import Foundation
import ManagedObjects
import ProgramFolders
import TestSupport
import Testing

private final class Event: ManagedObject {
  @Attribute(.minimum(1, warning: "at least one seat is needed")) var seats = 1
  @Attribute var start: Date
}

@Suite("A program that shows errors in the language of its user") struct LocalizedModelProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)

  init() throws {
    for (language, text) in [
      (
        "de",
        """
        "Entity/Event" = "Veranstaltung"; "Property/seats/Entity/Event" = "Plätze"; "Property/start" = "Beginn";
        "ErrorString/at least one seat is needed" = "mindestens einer"; "ErrorString/1570" = "fehlt";
        """
      ),
      ("en", "\"Entity/Event\" = \"Event\"; \"Property/seats\" = \"Seats\"; \"ErrorString/1570\" = \"is missing\";"),
    ] {
      let file = folder.url.appending(path: "\(language).lproj/EventsModel.strings")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    try VersionedModel(models: ["Events": ManagedObjectModel(Event.self)], currentName: "Events")
      .writeCompiled(to: folder.url.appending(path: "Events.momd"))
  }

  @Test(arguments: [
    (["de_AT"], ["Veranstaltung, Plätze: mindestens einer", "Veranstaltung, Beginn: fehlt"], "Plätze"),
    (["fr", "en"], ["Event, Seats: at least one seat is needed", "Event, start: is missing"], "Seats"),
  ])
  func `the errors of a save are described with the strings of the model`(
    _ languages: [String], _ lines: [String], _ seats: String
  ) throws {
    let bundle = try ResourceBundle(url: folder.url, languages: languages)
    let model = try ManagedObjectModel(named: "Events", in: bundle).joined(with: [Event.self])
    let strings = try ModelLocalization(forModelNamed: "Events", in: bundle)
    let context = try PersistentContainer(model: model, stores: [.inMemory]).newContext()
    let event = try context.insert(Event.self)
    event.seats = 0
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.description(in: strings).split(separator: "\n").sorted() == lines.map { Substring($0) }.sorted())
    #expect(strings.name(ofProperty: "seats", in: event.entity) == seats)
  }
}
