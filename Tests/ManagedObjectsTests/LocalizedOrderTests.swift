import ManagedObjects
import TestSupport
import Testing

/// The option `[l]` of comparisons.
struct LocalizedOrderTests {
  private static let texts = [
    "a", "A", "á", "Á", "a\u{301}", "ab", "Ab", "äb", "ÄB", "b", "B", "e", "É", "école", "Zoo", "zoo", "ß", "ss", "SS",
    "",
    "1", "10", "9", "ø", "o", "İ", "i", "ı",
  ]

  @Test func `without other options strings are ordered without case and diacritics first`() throws {
    for (text, isTrue) in [
      ("'école' <[l] 'Zoo'", true), ("'école' < 'Zoo'", false), ("'Zoo' <[l] 'école'", false), ("'a' <[l] 'A'", false),
      ("'A' <[l] 'a'", true), ("'a' <[cl] 'A'", false), ("'a' <=[cl] 'A'", true), ("'a' <[cl] 'á'", true),
      ("'a' <[dl] 'á'", false), ("'A' <[dl] 'á'", true), ("'A' >=[cdl] 'á'", true), ("'b' BETWEEN[l] {'Á', 'C'}", true),
      ("'b' BETWEEN {'Á', 'C'}", false), ("'é' ==[l] 'e'", false), ("'é' ==[l] 'e\u{301}'", true),
      ("'É' CONTAINS[l] 'e'", false), ("'a' <[nl] 'B'", false),
    ] {
      let value = try ManagedPredicate(format: text).evaluate(with: AttributeValue.null)
      #expect(value == isTrue, "\(text)")
    }
  }

  @Test func `a constant range has the options of its comparison`() throws {
    let value = try ManagedPredicate(format: "SELF BETWEEN[c] {'A', 'C'}").evaluate(with: AttributeValue.string("b"))
    #expect(value)
  }

  @Test(arguments: StoreKind.allCases)
  func `a range that uses the option is a part of the sorted list`(_ kind: StoreKind) throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Word", [.attribute("text", .string), .attribute("other", .string)])
    ])
    let folder = TemporaryFolder()
    let context = ManagedObjectContext(coordinator: try kind.coordinator(model, folder))
    for (index, text) in Self.texts.enumerated() {
      let word = try context.insert("Word")
      try word.setValues(["text": .string(text), "other": .string(Self.texts[(index * 7) % Self.texts.count])])
    }
    try context.save()
    for (options, comparison) in [
      ("l", FetchRequest.SortComparison.localized), ("cl", .localizedCaseInsensitive),
    ] {
      let order = [FetchRequest.SortDescriptor("text", comparison: comparison), .init("other")]
      let sorted = try context.fetch(FetchRequest("Word", sortedBy: order))
      let isOrdered = try PreparedPredicate(try ManagedPredicate(format: "a <=[\(options)] b"))
      for (first, second) in zip(sorted, sorted.dropFirst()) {
        guard case .attribute(let a)? = first["text"], case .attribute(let b)? = second["text"] else { continue }
        let holds = try isOrdered.evaluate(with: ["a": a, "b": b])
        #expect(holds, "\(a) and \(b)")
      }
      for text in Self.texts {
        let predicate = try ManagedPredicate(format: "text >=[\(options)] %@", text)
        let found = try context.fetch(FetchRequest("Word", where: predicate, sortedBy: order))
        #expect(found == Array(sorted.suffix(found.count)) && !found.isEmpty, "\(text)")
        let others = try ManagedPredicate(format: "other <[\(options)] text AND text <[\(options)] %@", text)
        let expected = try sorted.filter { try others.evaluate(with: Self.values($0)) }
        let between = try context.fetch(FetchRequest("Word", where: others, sortedBy: order))
        #expect(between == expected, "\(text)")
      }
    }
  }

  private static func values(_ object: ManagedObject) -> [String: AttributeValue] {
    object.entity.attributes.reduce(into: [:]) { values, attribute in
      if case .attribute(let value)? = object[attribute.name] { values[attribute.name] = value }
    }
  }
}
