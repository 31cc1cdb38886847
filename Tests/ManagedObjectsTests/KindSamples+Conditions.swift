import FoundationEssentials
import ManagedObjects

extension KindSamples {
  /// Returns a condition in text form.
  mutating func text() throws -> Condition {
    let (name, other) = (pick(Self.names), pick(Self.names))
    guard let entity = Self.model[name], let second = Self.model[other] else { throw CancellationError() }
    switch below(15) {
    case 0: return try Condition("entity.name == %@", name) { $0.entity.name == name }
    case 1: return try Condition("owner.entity.name == %@", name) { $0.owner?.entity.name == name }
    case 2: return try Condition("owner.entity.name != %@", name) { $0.owner?.entity.name != name }
    case 3: return try Condition("owner.entity == %@", entity) { $0.owner?.entity == entity }
    case 4: return try Condition("owner.entity != %@", entity) { $0.owner?.entity != entity }
    case 5:
      return try Condition("owner.entity IN %@", [entity, second]) {
        $0.owner.map { [entity, second].contains($0.entity) } ?? false
      }
    case 6:
      return try Condition("owner.entity.name IN %@", [name, other]) {
        $0.owner.map { [name, other].contains($0.entity.name) } ?? false
      }
    case 7: return try Condition("%@ IN owner.entity.kinds", name) { $0.owner?.entity.isKind(of: entity) ?? false }
    case 8: return try Condition("owner.entity.name == nil") { $0.owner == nil }
    case 9: return try Condition("owner.entity == seen.entity") { $0.owner?.entity == $0.seen?.entity }
    case 10: return try Condition("owner.entity.name == title") { $0.owner?.entity.name == $0.title }
    case 11: return try Condition("owner.entity.name ==[c] %@", name.uppercased()) { $0.owner?.entity.name == name }
    case 12:
      return try Condition("SUBQUERY(owner.items, $x, $x.entity.name == 'Book').@count > 1") {
        ($0.owner?.items.count { $0 is Book } ?? 0) > 1
      }
    case 13:
      return try Condition("ANY owner.items.entity.name == %@", name) {
        $0.owner?.items.contains { $0.entity.name == name } ?? false
      }
    default:
      return try Condition("seen.parent.entity.name < %@", name) {
        (($0.seen as? Company)?.parent?.entity.name).map { $0 < name } ?? false
      }
    }
  }

  /// Returns a condition with a cast in Swift.
  mutating func cast() throws -> Condition {
    let (size, name) = (below(3), pick(Self.names))
    func condition(_ predicate: Predicate<Item>, _ holds: @escaping (Item) -> Bool) throws -> Condition {
      Condition(try ManagedPredicate(predicate), holds)
    }
    switch below(16) {
    case 0: return try condition(#Predicate { $0 is Book }) { $0 is Book }
    case 1: return try condition(#Predicate { $0.owner is Company }) { $0.owner is Company }
    case 2: return try condition(#Predicate { !($0.owner is Startup) }) { !($0.owner is Startup) }
    case 3:
      return try condition(#Predicate { ($0.owner as? Company)?.size == size }) { ($0.owner as? Company)?.size == size }
    case 4:
      return try condition(#Predicate { ($0.owner as? Company)?.size != size }) { ($0.owner as? Company)?.size != size }
    case 5:
      return try condition(#Predicate { ($0.owner as? Person)?.size == nil }) { ($0.owner as? Person)?.size == nil }
    case 6:
      return try condition(#Predicate { ($0.owner as? Startup)?.funds != nil }) { ($0.owner as? Startup)?.funds != nil }
    case 7: return try condition(#Predicate { ($0.owner as? Company) == nil }) { ($0.owner as? Company) == nil }
    case 8:
      return try condition(#Predicate { ($0.owner as? Company)?.parent is Startup }) {
        ($0.owner as? Company)?.parent is Startup
      }
    case 9:
      return try condition(#Predicate { (($0.owner as? Company)?.parent as? Company)?.size == size }) {
        (($0.owner as? Company)?.parent as? Company)?.size == size
      }
    case 10:
      return try condition(#Predicate { (($0.owner as? Company)?.size ?? 1) > size }) {
        (($0.owner as? Company)?.size ?? 1) > size
      }
    case 11:
      return try condition(#Predicate { ($0.owner as? Company)?.name.contains(name) == true }) {
        ($0.owner as? Company)?.name.contains(name) == true
      }
    case 12:
      return try condition(#Predicate { ($0.owner as? Company)?.items.contains { $0 is Book } ?? true }) {
        ($0.owner as? Company)?.items.contains { $0 is Book } ?? true
      }
    case 13:
      return try condition(#Predicate { ($0.owner as? Company)?.size == ($0.seen as? Person)?.size }) {
        ($0.owner as? Company)?.size == ($0.seen as? Person)?.size
      }
    case 14: return try condition(#Predicate { ($0 as? Book)?.pages == size }) { ($0 as? Book)?.pages == size }
    default:
      return try condition(#Predicate { ($0 as? Book)?.owner?.entity.name == name }) {
        ($0 as? Book)?.owner?.entity.name == name
      }
    }
  }
}
