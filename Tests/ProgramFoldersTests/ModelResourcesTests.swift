import Foundation
import ObjectModels
import ProgramFolders
import TestSupport
import Testing

@Suite("Models in resources") struct ModelResourcesTests {
  private let files = ResourceFolder()

  private func bundle(_ path: String = "", _ languages: [String] = ["en"]) throws -> ResourceBundle {
    try ResourceBundle(url: files.url.appending(path: path), languages: languages)
  }

  private func model(_ names: String...) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: names.map { EntityDescription($0, [.attribute("title", .string)]) })
  }

  private func versions(_ entity: String) throws -> VersionedModel {
    VersionedModel(models: ["V1": try model(entity)], currentName: "V1")
  }

  @Test func `a model is found by its name, compiled before source`() throws {
    try model("A").sourceData().write(to: directory("Notes.xcdatamodel").appending(path: "contents"))
    #expect(try ManagedObjectModel(named: "Notes", in: bundle()) == model("A"))
    try versions("B").writeSource(to: files.url.appending(path: "Notes.xcdatamodeld"))
    #expect(try ManagedObjectModel(named: "Notes", in: bundle()) == model("B"))
    try model("C").compiledData().write(to: files.url.appending(path: "Notes.mom"))
    #expect(try ManagedObjectModel(named: "Notes", in: bundle()) == model("C"))
    try versions("D").writeCompiled(to: files.url.appending(path: "Notes.momd"))
    #expect(try ManagedObjectModel(named: "Notes", in: bundle()) == model("D"))
  }

  private func directory(_ name: String) throws -> URL {
    try files.add(name + "/")
    return files.url.appending(path: name)
  }

  @Test func `the error for a missing model lists where it was searched`() throws {
    try files.add("de.lproj/", "Other.momd/")
    let error = #expect(throws: ManagedObjectModelError.self) {
      try ManagedObjectModel(named: "Notes", in: bundle("", ["de"]))
    }
    let folders = [files.url.path, files.path("de.lproj")].joined(separator: ", ")
    #expect(
      error?.description == "\"Notes.{momd,mom,xcdatamodeld,xcdatamodel}\" was not found in \(folders)")
    #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(named: "../Notes", in: bundle()) }
    // A model that is there but cannot be read is not skipped.
    let damaged = #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(named: "Other", in: bundle()) }
    #expect(damaged?.description.hasPrefix("there is no model in") == true)
  }

  @Test func `the models of several bundles are merged`() throws {
    try versions("A").writeCompiled(to: directory("one").appending(path: "Notes.momd"))
    // The source of a compiled model is not read again.
    try versions("X").writeSource(to: files.url.appending(path: "one/Notes.xcdatamodeld"))
    try model("B").compiledData().write(to: directory("two").appending(path: "Contacts.mom"))
    try versions("C").writeSource(to: files.url.appending(path: "two/Events.xcdatamodeld"))
    let merged = try ManagedObjectModel.mergedModel(from: [bundle("one"), bundle("two")])
    #expect(try merged == model("A", "B", "C"))
    try files.add("three/")
    let error = #expect(throws: ManagedObjectModelError.self) {
      try ManagedObjectModel.mergedModel(from: [bundle("three")])
    }
    #expect(error?.description.hasSuffix(" was not found in \(files.path("three"))") == true)
    try model("A", "B").compiledData().write(to: files.url.appending(path: "three/Z.mom"))
    try model("A").compiledData().write(to: files.url.appending(path: "three/Y.mom"))
    #expect(try ManagedObjectModel.mergedModel(from: [bundle("three")]) == model("A", "B"))
  }

  @Test func `the strings of a model are in the file with its name and Model`() throws {
    try versions("A").writeCompiled(to: files.url.appending(path: "Notes.momd"))
    try versions("B").writeCompiled(to: files.url.appending(path: "JimsModel.momd"))
    try files.write("en.lproj/NotesModel.strings", #""Entity/A" = "Note"; "Property/title" = "Title";"#)
    try files.write("de.lproj/NotesModel.strings", #""Entity/A" = "Notiz";"#)
    try files.write("de.lproj/JimsModelModel.strings", #""Entity/B" = "Termin"; "Entity/A" = "Other";"#)
    let german = try bundle("", ["de"])
    let notes = try ModelLocalization(forModelNamed: "Notes", in: german)
    #expect(notes.entries == ["Entity/A": "Notiz", "Property/title": "Title"])
    #expect(try ModelLocalization(forModelNamed: "JimsModel", in: german).entries["Entity/B"] == "Termin")
    #expect(try ModelLocalization(forModelNamed: "None", in: german).entries == [:])
    let all = try ModelLocalization(forModelsIn: [german])
    #expect(all.entries["Entity/B"] == "Termin" && all.entries["Property/title"] == "Title")
  }
}
