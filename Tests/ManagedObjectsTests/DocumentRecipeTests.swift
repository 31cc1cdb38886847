import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

/// Documents, as in *Documents in files*: the program edits a working copy of the document's file, in the same folder.
@Suite("Documents in files") struct DocumentRecipeTests {
  private typealias Note = FollowingSamples.Note

  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "letters") }
  private var workingFile: URL { folder.url.appending(path: "letters.working") }

  /// A document in a file.
  private final class Document<Store: FileBackedStore> {
    let context: ManagedObjectContext
    private let coordinator: PersistentStoreCoordinator
    private let workingFile: URL
    private(set) var file: URL
    /// The state of the working copy that is also in the file; nil if they may differ.
    private var savedState: String?

    /// Opens a document, or continues with the working copy that a process left behind.
    init(_ file: URL, _ workingFile: URL, _ model: ManagedObjectModel) throws {
      (self.file, self.workingFile) = (file, workingFile)
      let isRecovered = FileManager.default.fileExists(atPath: workingFile.path)
      if !isRecovered { try Store.copyStore(at: file, to: workingFile) }
      coordinator = PersistentStoreCoordinator(model: model)
      try coordinator.add(Store.openStore(at: workingFile, model: model, configuration: nil))
      context = ManagedObjectContext(coordinator: coordinator)
      context.undoManager = ManagedObjectContext.UndoManager()
      if !isRecovered { savedState = coordinator.stores[0].changeToken }
    }

    var hasUnsavedChanges: Bool { context.hasChanges || coordinator.stores[0].changeToken != savedState }

    /// Saves the changes in the working copy only.
    func autosave() throws { try context.save() }

    func save() throws {
      try context.save()
      try Store.replaceStore(at: file, withStoreAt: workingFile)
      savedState = coordinator.stores[0].changeToken
    }

    func saveAs(_ newFile: URL) throws {
      let old = file
      file = newFile
      do { try save() } catch {
        file = old
        throw error
      }
    }

    func saveCopy(to copy: URL) throws {
      try context.save()
      try Store.copyStore(at: workingFile, to: copy)
    }

    /// Saves a copy in a file of another kind.
    func export<Other: FileBackedStore>(to copy: URL, as type: Other.Type) throws {
      try context.save()
      let store = coordinator.stores[0]
      try type.createStore(at: copy, model: coordinator.model, configuration: nil) {
        other throws(ManagedObjectError) in try other.insertObjects(of: store)
      }
    }

    /// Discards all changes since the last save.
    func revert() throws {
      context.reset()
      coordinator.remove(coordinator.stores[0])
      try Store.replaceStore(at: workingFile, withStoreAt: file)
      try coordinator.add(Store.openStore(at: workingFile, model: coordinator.model, configuration: nil))
      savedState = coordinator.stores[0].changeToken
    }

    /// Closes the document, and discards the changes that were not saved.
    func close() throws {
      context.reset()
      coordinator.remove(coordinator.stores[0])
      try Store.destroyStore(at: workingFile)
    }
  }

  private let model: ManagedObjectModel

  init() throws { model = try FollowingSamples.model() }

  /// Creates a document with one note.
  private func make(_ type: (some FileBackedStore).Type) throws {
    try type.createStore(at: file, model: model, configuration: nil) { _ in }
    let context = ManagedObjectContext(coordinator: try coordinator(file, type))
    try context.insert(Note.self).title = "A"
    try context.save()
  }

  private func coordinator(_ file: URL, _ type: (some FileBackedStore).Type) throws -> PersistentStoreCoordinator {
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(type.openStore(at: file, model: model, configuration: nil))
    return coordinator
  }

  /// Returns the titles in a file.
  private func stored(_ file: URL, _ type: (some FileBackedStore).Type) throws -> [String] {
    try FollowingSamples.titles(ManagedObjectContext(coordinator: coordinator(file, type)))
  }

  @Test(arguments: [StoreKind.xml, .binary, .sqlite])
  func `a document is edited, saved, saved in another file and reverted`(kind: StoreKind) throws {
    switch kind {
    case .xml: try edit(XMLStore.self, exporting: SQLiteStore.self)
    case .binary: try edit(BinaryStore.self, exporting: XMLStore.self)
    default: try edit(SQLiteStore.self, exporting: BinaryStore.self)
    }
  }

  private func edit<Store: FileBackedStore, Other: FileBackedStore>(
    _ type: Store.Type, exporting other: Other.Type
  ) throws {
    try make(type)
    let document = try Document<Store>(file, workingFile, model)
    let context = document.context
    let note = try #require(try context.fetch(Note.self).first)
    #expect(note.title == "A" && !document.hasUnsavedChanges)

    // Edits and undo. Autosaving leaves the file as it is.
    note.title = "B"
    context.processPendingChanges()
    #expect(document.hasUnsavedChanges)
    context.undo()
    #expect(note.title == "A" && !document.hasUnsavedChanges)
    context.redo()
    try document.autosave()
    #expect(!context.hasChanges && document.hasUnsavedChanges)
    #expect(try stored(file, type) == ["A"])

    // Saves. Undo continues after a save.
    try document.save()
    #expect(try !document.hasUnsavedChanges && stored(file, type) == ["B"])
    context.undo()
    #expect(note.title == "A" && document.hasUnsavedChanges)
    context.redo()
    try context.insert(Note.self).title = "C"

    // Copies.
    let (copy, exported) = (folder.url.appending(path: "copy"), folder.url.appending(path: "exported"))
    try document.saveCopy(to: copy)
    try document.export(to: exported, as: other)
    #expect(try stored(copy, type) == ["B", "C"] && stored(exported, other) == ["B", "C"])
    #expect(try document.hasUnsavedChanges && stored(file, type) == ["B"])

    // Another file. The document goes on with it, with the same objects.
    let newFile = folder.url.appending(path: "new")
    try document.saveAs(newFile)
    #expect(document.file == newFile && !document.hasUnsavedChanges)
    note.title = "D"
    try document.save()
    #expect(try stored(newFile, type) == ["C", "D"] && stored(file, type) == ["B"])

    // Reverting discards unsaved and autosaved changes.
    note.title = "E"
    try document.autosave()
    note.title = "F"
    try document.revert()
    #expect(!document.hasUnsavedChanges && note.managedObjectContext == nil && context.undoManager?.canUndo == false)
    #expect(try FollowingSamples.titles(context) == ["C", "D"])
    try context.insert(Note.self).title = "G"
    try document.save()
    #expect(try stored(newFile, type) == ["C", "D", "G"])

    // Closing without a save.
    try context.insert(Note.self).title = "H"
    try document.close()
    #expect(try stored(newFile, type) == ["C", "D", "G"])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.contains("working") }, "\(names)")
  }

  @Test(arguments: [StoreKind.xml, .binary, .sqlite])
  func `autosaved changes of a process that ended are recovered`(kind: StoreKind) throws {
    switch kind {
    case .xml: try recover(XMLStore.self)
    case .binary: try recover(BinaryStore.self)
    default: try recover(SQLiteStore.self)
    }
  }

  private func recover<Store: FileBackedStore>(_ type: Store.Type) throws {
    try make(type)
    var document: Document<Store>? = try Document(file, workingFile, model)
    try document?.context.insert(Note.self).title = "B"
    try document?.autosave()
    try document?.context.insert(Note.self).title = "lost"
    document = nil
    let recovered = try Document<Store>(file, workingFile, model)
    #expect(try FollowingSamples.titles(recovered.context) == ["A", "B"] && recovered.hasUnsavedChanges)
    #expect(try stored(file, type) == ["A"])
    try recovered.save()
    #expect(try stored(file, type) == ["A", "B"] && !recovered.hasUnsavedChanges)
  }

  @Test(arguments: [StoreKind.xml, .binary, .sqlite])
  func `a document that cannot be saved in another file keeps its file`(kind: StoreKind) throws {
    switch kind {
    case .xml: try failToSave(XMLStore.self)
    case .binary: try failToSave(BinaryStore.self)
    default: try failToSave(SQLiteStore.self)
    }
  }

  private func failToSave<Store: FileBackedStore>(_ type: Store.Type) throws {
    try make(type)
    let document = try Document<Store>(file, workingFile, model)
    try document.context.insert(Note.self).title = "B"
    let folder = folder.url.appending(path: "folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    #expect(throws: ManagedObjectError.self) { try document.saveAs(folder) }
    #expect(try document.file == file && document.hasUnsavedChanges && stored(file, type) == ["A"])
    try document.save()
    #expect(try stored(file, type) == ["A", "B"])
  }
}
