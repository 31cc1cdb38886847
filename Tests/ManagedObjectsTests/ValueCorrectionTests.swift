import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("Corrections of values") struct ValueCorrectionTests {
  final class Review: ManagedObject {
    @Attribute(.maximum(5)) var stars: Int16 = 0
    @Attribute(.minimumLength(1)) var title: String?
    @Attribute var code: String?
    @Relationship var other: Review?
    var checked: [AttributeValue] = []

    override func validateValue(_ value: inout AttributeValue, forKey key: String) throws(ManagedObjectError) {
      switch (key, value) {
      case ("stars", .integer(let stars)): value = .integer(min(stars, 5))
      case ("title", .string(let title)): value = .string(title.split(separator: " ").joined(separator: " "))
      case ("code", "number"): value = 7
      case ("code", "invalid"):
        throw ManagedObjectError(.validation, "not a code", objectID: objectID, key: key, value: value)
      default: break
      }
    }

    override func validateValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {
      if key == "stars" { checked.append(value) }
    }
  }

  private let context: ManagedObjectContext

  init() throws {
    let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(Review.self))
    try coordinator.add(InMemoryStore(model: coordinator.model))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  private func review() throws -> Review {
    let review = try context.insert(Review.self)
    review.title = "good"
    try context.save()
    review.checked = []
    return review
  }

  @Test func `a save stores corrected values`() throws {
    let review = try review()
    let new = try context.insert(Review.self)
    review.stars = 9
    review.title = "  not   bad "
    new.stars = 7
    try context.save()
    #expect(review.stars == 5 && review.title == "not bad" && new.stars == 5 && !context.hasChanges)
    // The rules of the model and the other method check the corrected value.
    #expect(review.checked == [5])
    let other = ManagedObjectContext(coordinator: context.coordinator)
    let copy = try other.existingObject(Review.self, with: review.objectID)
    #expect(copy.stars == 5 && copy.title == "not bad")
  }

  @Test func `a correction can violate a rule or have the wrong type`() throws {
    let review = try review()
    review.title = "   "
    #expect(errorCode { try context.save() } == .stringTooShort)
    review.title = "x"
    review.code = "number"
    let error = thrownError { try context.save() }
    #expect(error?.code == .invalidValue && error?.key == "code" && error?.value == 7)
    review.code = "invalid"
    #expect(errorCode { try context.save() } == .validation)
    review.code = "a"
    try context.save()
  }

  @Test func `a correction is undone together with the change`() throws {
    let review = try review()
    let undoManager = ManagedObjectContext.UndoManager()
    context.undoManager = undoManager
    review.stars = 9
    try context.save()
    #expect(review.stars == 5)
    context.undo()
    #expect(review.stars == 0 && !undoManager.canUndo)
    context.redo()
    #expect(review.stars == 5)
  }

  @Test func `validate changes nothing, and correctedValue returns the correction`() throws {
    let review = try review()
    try review.validate(9, forKey: "stars")
    #expect(try review.correctedValue(9, forKey: "stars") == 5)
    #expect(try review.correctedValue("a  b", forKey: "title") == "a b")
    #expect(try review.correctedValue(.null, forKey: "other") == .null)
    #expect(errorCode { _ = try review.correctedValue(" ", forKey: "title") } == .stringTooShort)
    #expect(errorCode { try review.validate("invalid", forKey: "code") } == .validation)
    #expect(errorCode { _ = try review.correctedValue("number", forKey: "code") } == .invalidValue)
    #expect(errorCode { _ = try review.correctedValue(1, forKey: "nothing") } == .undefinedKey)
    #expect(review.stars == 0 && !context.hasChanges)
  }
}
