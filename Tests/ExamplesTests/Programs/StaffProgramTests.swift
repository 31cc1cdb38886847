import Foundation
import ManagedObjects
import TestSupport
import Testing

/// An employee, whose values have rules.
private final class Employee: ManagedObject {
  @Attribute(.minimumLength(2, warning: "is too short for a name"), .maximumLength(20)) var name: String
  @Attribute(.minimum(18, warning: "is too young to work"), .maximum(99)) var age = 18
  @Attribute(.pattern("[^@ ]+@[^@ ]+", warning: "is not an e-mail address")) var email: String?
  @Attribute var hired: Date?
  @Attribute var left: Date?
  @Relationship(inverse: \Office.employees) var office: Office?

  /// Removes white space around a name, and checks that it is not only white space.
  override func validateValue(_ value: inout AttributeValue, forKey key: String) throws(ManagedObjectError) {
    guard key == "name", case .string(let text) = value else { return }
    value = .string(text.trimmingCharacters(in: .whitespaces))
  }

  override func validateForInsert() throws(ManagedObjectError) {
    try super.validateForInsert()
    try checkDates()
  }

  override func validateForUpdate() throws(ManagedObjectError) {
    try super.validateForUpdate()
    try checkDates()
  }

  override func validateForDelete() throws(ManagedObjectError) {
    try super.validateForDelete()
    if left == nil, hired != nil { throw ManagedObjectError(.validation, "still works here", objectID: objectID) }
  }

  private func checkDates() throws(ManagedObjectError) {
    guard let hired, let left, left < hired else { return }
    throw ManagedObjectError(.dateTooSoon, "leaves before the first day", objectID: objectID, key: "left")
  }
}

private final class Office: ManagedObject {
  @Attribute var city: String
  @Relationship var employees: Set<Employee>
}

@Suite("A program that checks and undoes changes of its staff") struct StaffProgramTests {
  private let context: ManagedObjectContext

  init() throws {
    let container = try PersistentContainer(model: ManagedObjectModel(Employee.self, Office.self), stores: [.inMemory])
    context = container.newContext()
  }

  private func add(_ name: String, _ age: Int = 30) throws -> Employee {
    let employee = try context.insert(Employee.self)
    (employee.name, employee.age) = (name, age)
    return employee
  }

  @Test func `a form checks each field as its user types, with the warning of the model`() throws {
    let employee = try add("Ada")
    for (key, value, warning) in [
      ("name", "A", "is too short for a name"), ("age", 17, "is too young to work"),
      ("email", "ada", "is not an e-mail address"),
    ] as [(String, ManagedObject.Value, String)] {
      let error = #expect(throws: ManagedObjectError.self) { try employee.validate(value, forKey: key) }
      #expect(error?.message == warning && error?.key == key && error?.objectID == employee.objectID)
    }
    try employee.validate("ada@example.org", forKey: "email")
    #expect(try employee.correctedValue("  Ada ", forKey: "name") == "Ada")
    // Nothing was set.
    #expect(employee.name == "Ada" && employee.email == nil)
  }

  @Test func `a save reports all defects of all objects, and keeps the changes`() throws {
    let young = try add("B", 17)
    let other = try add("Carl", 100)
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .multipleErrors)
    #expect(Set(error?.details.map(\.code) ?? []) == [.validation, .numberTooLarge])
    #expect(error?.details.filter { $0.objectID == young.objectID }.map(\.key) == ["name", "age"])
    (young.name, young.age, other.age) = ("Bob", 18, 99)
    try context.save()
    #expect(try context.count(Employee.self) == 2)
  }

  @Test func `rules about several properties are checked when objects are inserted, updated and deleted`() throws {
    let employee = try add("Ada")
    (employee.hired, employee.left) = (.distantFuture, .distantPast)
    let inserting = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(inserting?.code == .dateTooSoon && inserting?.key == "left")
    employee.hired = .distantPast
    try context.save()
    employee.hired = .distantFuture
    #expect(throws: ManagedObjectError.self) { try context.save() }
    (employee.hired, employee.left) = (.distantPast, nil)
    try context.save()
    try context.delete(employee)
    let deleting = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(deleting?.code == .validation && deleting?.message == "still works here")
    context.rollback()
    #expect(try context.count(Employee.self) == 1)
  }

  @Test func `each step of the user is undone and redone, with its name`() throws {
    let undoManager = ManagedObjectContext.UndoManager()
    context.undoManager = undoManager
    let employee = try add("Ada")
    let office = try context.insert(Office.self)
    office.city = "London"
    undoManager.setActionName("Hire")
    context.processPendingChanges()
    employee.office = office
    undoManager.setActionName("Move")
    context.processPendingChanges()

    context.undo()
    #expect(employee.office == nil && office.employees.isEmpty && undoManager.redoActionName == "Move")
    context.redo()
    #expect(office.employees == [employee] && undoManager.undoActionName == "Move" && !undoManager.canRedo)
    context.undo()
    context.undo()
    #expect(!context.hasChanges && !undoManager.canUndo)
    context.redo()
    #expect(context.insertedObjects.count == 2)
  }

  @Test func `changes of a group are undone together, and others are not recorded`() throws {
    let undoManager = ManagedObjectContext.UndoManager()
    context.undoManager = undoManager
    let employee = try add("Ada", 30)
    try context.save()
    undoManager.removeAllActions()

    undoManager.beginUndoGrouping()
    employee.age = 31
    context.processPendingChanges()
    employee.name = "Augusta"
    context.processPendingChanges()
    undoManager.endUndoGrouping()
    context.undo()
    #expect(employee.age == 30 && employee.name == "Ada" && !undoManager.canUndo)
    context.redo()
    #expect(employee.age == 31 && employee.name == "Augusta")

    undoManager.removeAllActions()
    undoManager.disableUndoRegistration()
    employee.age = 40
    undoManager.enableUndoRegistration()
    context.processPendingChanges()
    #expect(!undoManager.canUndo && employee.age == 40)
  }

  @Test func `a deletion that was saved can be undone`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    let employee = try add("Ada")
    try context.save()
    try context.delete(employee)
    try context.save()
    #expect(try context.count(Employee.self) == 0)
    context.undo()
    try context.save()
    #expect(try context.fetch(Employee.self).map(\.name) == ["Ada"])
  }

  @Test func `rollback discards all changes since the last save`() throws {
    let employee = try add("Ada")
    try context.save()
    employee.age = 40
    _ = try add("Bob")
    context.rollback()
    #expect(employee.age == 30 && !context.hasChanges)
    #expect(try context.fetch(Employee.self) == [employee])
  }
}
