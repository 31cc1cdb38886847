import Foundation
import ManagedObjects

/// Creates random requests for people.
struct RandomRequests {
  var numbers: RandomNumbers
  /// The objects that predicates can refer to.
  let objects: [RowKey]

  init(seed: Int, objects: [RowKey]) {
    numbers = RandomNumbers(seed)
    self.objects = objects
  }

  mutating func request() -> FetchRequest {
    var request = FetchRequest(numbers.pick(["Person", "Person", "Employee"]), where: predicate(2))
    request.includesSubentities = !numbers.once(in: 6)
    for _ in 0..<numbers.below(3) { request.sortDescriptors.append(descriptor()) }
    if numbers.once(in: 3) { request.fetchLimit = numbers.below(12) }
    if numbers.once(in: 3) { request.fetchOffset = numbers.below(6) }
    return request
  }

  mutating func descriptor() -> FetchRequest.SortDescriptor {
    let texts = ["name", "nick", "boss.name", "boss.boss.nick"]
    let others = [
      "age", "height", "balance", "weight", "visits", "member", "born", "photo", "token", "site", "extra", "boss.age",
      "notes.@count", "boss.reports.@count", "boss", "self", "boss.born", "boss.site",
    ]
    var descriptor: FetchRequest.SortDescriptor
    if numbers.once(in: 2) {
      descriptor = FetchRequest.SortDescriptor(numbers.pick(texts), isAscending: !numbers.once(in: 2))
      descriptor.comparison = numbers.pick([
        .compare, .caseInsensitive, .localized, .localizedCaseInsensitive, .localizedStandard,
      ])
    } else {
      descriptor = FetchRequest.SortDescriptor(numbers.pick(others), isAscending: !numbers.once(in: 2))
    }
    descriptor.reversesNullOrder = numbers.once(in: 3)
    return descriptor
  }

  mutating func predicate(_ depth: Int) -> ManagedPredicate {
    switch depth == 0 ? 9 : numbers.below(7) {
    case 0: .and([predicate(depth - 1), predicate(depth - 1)])
    case 1: .or([predicate(depth - 1), predicate(depth - 1)])
    case 2: .not(predicate(depth - 1))
    default: comparison()
    }
  }

  private mutating func comparison() -> ManagedPredicate {
    switch numbers.below(14) {
    case 0, 1: return numeric(path(numberPaths))
    case 2, 3: return textual(path(textPaths))
    case 4: return typed()
    case 5: return object()
    case 6, 7: return quantified()
    case 8: return counted()
    case 9: return aggregated()
    case 10: return subquery()
    case 11: return computed()
    case 12: return kind()
    default: return contained()
    }
  }

  private let numberPaths = [
    "age", "height", "balance", "weight", "visits", "member", "salary", "boss.age", "boss.balance", "boss.boss.weight",
    "boss.salary", "boss.member",
  ]
  private let textPaths = ["name", "nick", "office", "boss.name", "boss.boss.nick", "boss.office"]

  private mutating func path(_ choices: [String]) -> ManagedExpression { Self.path(numbers.pick(choices)) }

  static func path(_ text: String) -> ManagedExpression {
    PredicateKeyPath(text).map { .keyPath($0) } ?? .evaluatedObject
  }

  private mutating func number() -> AttributeValue {
    switch numbers.below(8) {
    case 0: .integer(numbers.pick(RandomObjects.longs))
    case 1, 2: .integer(numbers.pick(RandomObjects.integers))
    case 3, 4: .double(numbers.pick(RandomObjects.doubles + [.nan, 0.30000000000000004, 25.5, 0x1.000001p0]))
    case 5: .decimal(numbers.pick(RandomObjects.decimals + [Decimal(string: "9007199254740993.5")!]))
    case 6: .float(numbers.pick(RandomObjects.floats))
    default: numbers.once(in: 2) ? .boolean(Bool.random(using: &numbers)) : .null
    }
  }

  private let orders: [PredicateComparator] = [
    .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
  ]

  private mutating func numeric(_ left: ManagedExpression, modifier: PredicateModifier = .direct) -> ManagedPredicate {
    switch numbers.below(6) {
    case 0:
      let list = (0..<numbers.below(4)).map { _ in PredicateConstant.value(number()) }
      return .comparing(left, .in, .constant(.array(list)), modifier: modifier)
    case 1:
      return .comparing(left, .between, .constant(.array([.value(number()), .value(number())])), modifier: modifier)
    case 2:
      let right = path(numberPaths)
      let computed = ManagedExpression.function(numbers.pick([.divide, .modulus]), [right, path(numberPaths)])
      return .comparing(left, numbers.pick(orders), numbers.once(in: 6) ? computed : right, modifier: modifier)
    case 3 where modifier == .direct: return .comparing(.value(number()), numbers.pick(orders), left)
    default: return .comparing(left, numbers.pick(orders), .value(number()), modifier: modifier)
    }
  }

  private mutating func options() -> PredicateOptions {
    numbers.pick([
      [], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized,
      .localeSensitive,
    ])
  }

  private mutating func textual(_ left: ManagedExpression, modifier: PredicateModifier = .direct) -> ManagedPredicate {
    let text = ManagedExpression.value(.string(numbers.pick(RandomObjects.texts)))
    switch numbers.below(9) {
    case 0:
      let list = (0..<numbers.below(4)).map { _ in
        PredicateConstant.value(numbers.once(in: 6) ? .null : .string(numbers.pick(RandomObjects.texts)))
      }
      return .comparing(left, .in, .constant(.array(list)), modifier: modifier, options: options())
    case 1:
      let pattern = numbers.pick([".*a.*", "[A-K].*", "", "\\w+", ".", "(?i)ann?", ".*\u{e9}.*"])
      return .comparing(left, .matches, .value(.string(pattern)), modifier: modifier, options: options())
    case 2:
      let pattern = numbers.pick(["*a*", "?", "a\\*", "*", "??*", "K", "*\u{301}", "é*"])
      return .comparing(left, .like, .value(.string(pattern)), modifier: modifier, options: options())
    case 3, 4:
      return .comparing(
        left, numbers.pick([.beginsWith, .endsWith, .contains]), text, modifier: modifier, options: options())
    case 5:
      return .comparing(
        left, numbers.pick(orders + [.beginsWith, .contains]), path(textPaths), modifier: modifier, options: options())
    case 6: return .comparing(left, numbers.pick([.equal, .notEqual]), .value(.null), modifier: modifier)
    default: return .comparing(left, numbers.pick(orders), text, modifier: modifier, options: options())
    }
  }

  private mutating func typed() -> ManagedPredicate {
    let comparator = numbers.pick(orders)
    let isNull = numbers.once(in: 8)
    switch numbers.below(6) {
    case 0:
      let date = AttributeValue.date(Date(timeIntervalSinceReferenceDate: numbers.pick(RandomObjects.dates)))
      return .comparing(path(["born", "boss.born"]), comparator, .value(isNull ? .null : date))
    case 1: return .comparing(path(["born", "boss.born"]), comparator, path(["born", "boss.boss.born"]))
    case 2:
      return .comparing(
        path(["photo", "boss.photo"]), comparator,
        isNull ? path(["photo"]) : .value(.data(numbers.pick(RandomObjects.blobs))))
    case 3:
      return .comparing(
        path(["token", "boss.token"]), comparator,
        isNull ? path(["token"]) : .value(.uuid(numbers.pick(RandomObjects.uuids))))
    case 4:
      return .comparing(
        path(["site", "boss.site"]), comparator,
        isNull ? .value(.null) : .value(.url(numbers.pick(RandomObjects.urls))))
    default:
      let list = RandomObjects.uuids.prefix(numbers.below(4)).map { PredicateConstant.value(.uuid($0)) }
      return .comparing(path(["token"]), .in, .constant(.array(list)))
    }
  }

  private mutating func object() -> ManagedPredicate {
    let object = ManagedExpression.constant(numbers.once(in: 5) ? .null : .object(numbers.pick(objects)))
    let one = path(["boss", "boss.boss", "self"])
    switch numbers.below(5) {
    case 0:
      let list = (0..<numbers.below(6)).map { _ in
        numbers.once(in: 6) ? PredicateConstant.null : .object(numbers.pick(objects))
      }
      return .comparing(one, .in, .constant(.array(list)))
    case 1: return .comparing(one, numbers.pick([.equal, .notEqual]), path(["boss", "boss.boss", "self"]))
    case 2: return .comparing(one, .in, path(["reports", "boss.reports", "boss.boss.reports"]))
    case 3: return .comparing(Self.path("reports"), .contains, one)
    default: return .comparing(one, numbers.pick([.equal, .notEqual]), object)
    }
  }

  /// Returns a condition on the entity of an object.
  private mutating func kind() -> ManagedPredicate {
    let way = numbers.pick(["", "", "boss.", "boss.boss.", "reports.", "notes.", "boss.reports."])
    let isMany = way.hasSuffix("s.") && way.contains("reports") || way == "notes."
    let modifier = isMany ? numbers.pick([PredicateModifier.any, .all]) : .direct
    let name = ManagedExpression.value(.string(numbers.pick(["Person", "Employee", "Task", "Note"])))
    switch numbers.below(isMany ? 4 : 7) {
    case 0: return .comparing(Self.path(way + "entity.name"), .in, .aggregate([name, name]), modifier: modifier)
    case 1:
      return .comparing(
        Self.path(way + "entity"), numbers.pick([.equal, .notEqual]), .value(.null), modifier: modifier)
    case 2: return textual(Self.path(way + "entity.name"), modifier: modifier)
    case 3: return .comparing(Self.path(way + "entity.name"), numbers.pick(orders), name, modifier: modifier)
    case 4: return .comparing(Self.path(way + "entity.kinds"), .contains, name)
    case 5: return .comparing(Self.path(way + "entity"), numbers.pick([.equal, .notEqual]), Self.path("boss.entity"))
    default: return .comparing(name, numbers.pick(orders), Self.path("boss.boss.entity.name"))
    }
  }

  private mutating func quantified() -> ManagedPredicate {
    let modifier = numbers.pick([PredicateModifier.any, .all])
    let ways = numbers.pick(["", "", "boss.", "boss.boss."])
    let predicate: ManagedPredicate
    switch numbers.below(5) {
    case 0:
      let element = numbers.pick(["notes.title", "notes.tags.name", "notes.links.title", "reports.notes.text"])
      predicate = textual(Self.path(ways + element), modifier: modifier)
    case 1:
      let element = numbers.pick(["reports.boss.name", "groups.members.name", "notes.author.nick", "reports.office"])
      predicate = textual(Self.path(ways + element), modifier: modifier)
    case 2:
      let element = numbers.pick([
        "notes.author.notes.pages", "reports.boss.groups.latitude", "reports.boss.notes.rating",
      ])
      predicate = numeric(Self.path(ways + element), modifier: modifier)
    case 3:
      predicate = .comparing(
        Self.path(ways + numbers.pick(["reports", "notes.author", "reports.boss"])),
        numbers.pick([.equal, .notEqual]), .constant(numbers.once(in: 4) ? .null : .object(numbers.pick(objects))),
        modifier: modifier)
    default:
      let element = numbers.pick(["notes.pages", "notes.rating", "reports.age", "reports.balance", "notes.done"])
      predicate = numeric(Self.path(ways + element), modifier: modifier)
    }
    return numbers.once(in: 4) ? .not(predicate) : predicate
  }

  private mutating func counted() -> ManagedPredicate {
    let collection = numbers.pick(["notes", "reports", "groups", "boss.reports", "boss.boss.notes"])
    let count: ManagedExpression =
      numbers.once(in: 2) ? Self.path(collection + ".@count") : .function(.count, [Self.path(collection)])
    let number = ManagedExpression.value(.integer(Int64(numbers.below(3))))
    return .comparing(count, numbers.pick(orders), numbers.once(in: 5) ? Self.path("notes.@count") : number)
  }

  private mutating func aggregated() -> ManagedPredicate {
    let path = numbers.pick([
      "notes.@sum.pages", "notes.@avg.pages", "notes.@max.pages", "notes.@min.rating", "reports.@sum.visits",
      "reports.@avg.balance", "reports.@max.age", "boss.notes.@sum.rating", "reports.@sum.age", "boss.reports.@max.age",
    ])
    return .comparing(Self.path(path), numbers.pick(orders), .value(number()))
  }

  private mutating func subquery() -> ManagedPredicate {
    func path(_ text: String) -> ManagedExpression {
      PredicateKeyPath(text).map { .keyPath($0, of: .variable("n")) } ?? .variable("n")
    }
    let condition: ManagedPredicate
    switch numbers.below(4) {
    case 0: condition = numeric(path(numbers.pick(["pages", "rating", "author.age"])))
    case 1: condition = textual(path(numbers.pick(["title", "text", "author.name"])))
    case 2: condition = .comparing(path("author"), numbers.pick([.equal, .notEqual]), .evaluatedObject)
    default:
      condition = .and([
        numeric(path("pages")), .comparing(path("tags.name"), .equal, .value(.string("Ann")), modifier: .any),
      ])
    }
    let found = ManagedExpression.subquery(
      Self.path(numbers.pick(["notes", "notes", "boss.notes"])), variable: "n", condition)
    guard let count = PredicateKeyPath("@count") else { return condition }
    return .comparing(.keyPath(count, of: found), numbers.pick(orders), .value(.integer(Int64(numbers.below(3)))))
  }

  private mutating func computed() -> ManagedPredicate {
    let text = path(textPaths)
    let number = path(numberPaths)
    switch numbers.below(8) {
    case 0:
      return .comparing(.function(.length, [text]), numbers.pick(orders), .value(.integer(Int64(numbers.below(5)))))
    case 1:
      return .comparing(
        .function(numbers.pick([.lowercase, .uppercase, .canonical]), [text]), numbers.pick(orders),
        .value(.string(numbers.pick(RandomObjects.texts))))
    case 2:
      return .comparing(
        .function(numbers.pick([.absolute, .floor, .ceiling, .truncate, .negate]), [number]), numbers.pick(orders),
        .value(self.number()))
    case 3, 4:
      let function = numbers.pick([PredicateFunction.add, .subtract, .multiply, .divide, .modulus])
      return .comparing(
        .function(
          function, [number, numbers.once(in: 3) ? path(numberPaths) : .value(.integer(numbers.pick([1, 2, -7, 0])))]),
        numbers.pick(orders), .value(self.number()))
    case 5:
      return .comparing(
        .conditional(numeric(path(["age", "boss.age"])), number, .value(self.number())), numbers.pick(orders),
        .value(self.number()))
    case 6: return .comparing(Self.path("born"), .lessThan, .function(.now, []))
    default: return .comparing(.function(.noIndex, [text]), .equal, .value(.string(numbers.pick(RandomObjects.texts))))
    }
  }

  private mutating func contained() -> ManagedPredicate {
    switch numbers.below(4) {
    case 0:
      let text = ManagedExpression.value(.string(numbers.pick(RandomObjects.texts)))
      return .comparing(text, .in, Self.path(numbers.pick(["notes.title", "boss.notes.text"])), options: options())
    case 1: return .comparing(Self.path("notes.pages"), .contains, .value(number()))
    case 2: return .comparing(Self.path("reports.name"), .contains, path(textPaths))
    default:
      return .comparing(path(textPaths), .in, .value(.string(numbers.pick(RandomObjects.texts))), options: options())
    }
  }
}
