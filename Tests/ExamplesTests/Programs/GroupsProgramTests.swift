import Foundation
import ManagedObjects
import TestSupport
import Testing

private final class Person: ManagedObject {
  @Attribute var name: String
  @Relationship(inverse: \Group.members) var groups: Set<Group>
  @Relationship(inverse: \Address.person, deleteRule: .cascade) var address: Address?
  @Relationship(inverse: \Loan.person, deleteRule: .deny) var loans: Set<Loan>
}

private final class Address: ManagedObject {
  @Attribute var city: String
  @Relationship var person: Person?
}

private final class Group: ManagedObject {
  @Attribute var name: String
  @Relationship var members: [Person]
}

private final class Loan: ManagedObject {
  @Attribute var title: String
  @Relationship var person: Person?
}

@Suite("A program that connects persons, groups and loans") struct GroupsProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private func context(_ kind: ProgramStore) throws -> ManagedObjectContext {
    try PersistentContainer(
      model: ManagedObjectModel(Person.self, Address.self, Group.self, Loan.self),
      stores: [kind.description(folder.url.appending(path: "groups"))]
    ).newContext()
  }

  private func add(_ names: [String], to context: ManagedObjectContext) throws -> [Person] {
    try names.map { name in
      let person = try context.insert(Person.self)
      person.name = name
      return person
    }
  }

  @Test(arguments: ProgramStore.allCases)
  func `both sides of a relationship change together`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let persons = try add(["Ada", "Emmy"], to: context)
    let group = try context.insert(Group.self)
    group.name = "Authors"
    group.members = [persons[1], persons[0]]
    #expect(persons.allSatisfy { $0.groups == [group] })
    persons[0].remove(group, from: \.groups)
    #expect(group.members == [persons[1]])
    try context.save()
    try context.refresh(group, mergeChanges: false)
    #expect(group.members.map(\.name) == ["Emmy"])
  }

  @Test(arguments: ProgramStore.allCases)
  func `the order of members is edited by position, and kept`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let group = try context.insert(Group.self)
    group.name = "Authors"
    let members = try group.mutableOrderedSet(\.members)
    members.append(contentsOf: try add(["Ada", "Emmy", "Kurt"], to: context))
    members.move(from: 2, to: 0)
    members.swapAt(1, 2)
    #expect(members.map(\.name) == ["Kurt", "Emmy", "Ada"])
    try context.save()
    let other = ManagedObjectContext(coordinator: context.coordinator)
    let stored = try other.existingObject(Group.self, with: group.objectID)
    #expect(stored.members.map(\.name) == ["Kurt", "Emmy", "Ada"])
  }

  @Test(arguments: ProgramStore.allCases)
  func `delete rules nullify, cascade and deny`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let ada = try add(["Ada"], to: context)[0]
    ada.address = try context.insert(Address.self)
    ada.address?.city = "London"
    let group = try context.insert(Group.self)
    group.name = "Authors"
    group.members = [ada]
    let loan = try context.insert(Loan.self)
    (loan.title, loan.person) = ("Solaris", ada)
    try context.save()

    try context.delete(ada)
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .deleteDenied && error?.key == "loans")
    context.rollback()
    try context.delete(loan)
    try context.delete(ada)
    try context.save()
    #expect(group.members.isEmpty)
    #expect(try context.count(Address.self) == 0)
    #expect(try context.count(Group.self) == 1)
  }

  @Test(arguments: ProgramStore.allCases)
  func `values are set by name and by key path`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let ada = try context.insert("Person")
    try ada.setValues(["name": "Ada"])
    ada["address"] = .object(try context.insert("Address"))
    try ada.setValue("London", forKeyPath: "address.city")
    #expect(try ada.value(forKeyPath: "address.city") == "London")
    #expect(throws: ManagedObjectError.self) { try ada.setValue("x", forKey: "surname") }
    try context.save()
    #expect(context.misuse.isEmpty)
  }
}
