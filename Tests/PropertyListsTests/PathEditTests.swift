import Foundation
import TestSupport
import Testing

@testable import PropertyListTools
@testable import PropertyLists

@Suite("Editing one value") struct PathEditTests {
  private static let seeds = UInt64(LongForm.size(300, or: 15))
  private static let reading = PropertyListReadingOptions(restoresCoercedValues: true)
  private static let writing = PropertyListWritingOptions(coercion: .reversible)

  @Test(
    "an edit gives the same result as an edit of the whole value, and reads only its path",
    arguments: [.xml, .openStep, .json] as [PropertyListFormat], [false, true])
  func givesWhatAChangeOfTheWholeValueGives(_ format: PropertyListFormat, hasMark: Bool) throws {
    for seed in 0..<Self.seeds {
      var random = SeededGenerator(seed: seed ^ 0x5EED)
      let text = (hasMark ? "\u{FEFF}" : "") + LaidOutText(format, encodingName: nil, seed: seed).text
      let document = try PropertyListDocument(Data(text.utf8), format: format, options: Self.reading)
      let value = try PropertyList(document.root)
      let edit = Self.edit(of: value, using: &random)
      var expected = value
      do throws(PropertyListError) { try expected.apply(edit) } catch {
        let defect = #expect(throws: PropertyListError.self) {
          try document.data(applying: edit, options: Self.writing)
        }
        #expect(defect == error, "seed \(seed): \(edit)")
        continue
      }
      let source = try #require(try document.inputText)
      let outline = try #require(try EditOutline(document, edit))
      guard let edited = try TextEdit(document: document, input: source, options: Self.writing).bytes(outline) else {
        // A strings file whose root is no longer a dictionary is rewritten.
        let isWritten = format == .openStep && edit.path.components.isEmpty
        if !isWritten { Issue.record("seed \(seed): \(edit) was not made by its path in\n\(text)") }
        continue
      }
      #expect(edited.count == edited.data.count)
      #expect(try PropertyList(edited.data, format: format, options: Self.reading) == expected)
      let whole = try document.data(updatedTo: expected, options: Self.writing)
      // Of equal elements, either can be removed.
      if edited.data != whole, !Self.hasLikeElements(value) {
        Issue.record("seed \(seed): \(edit) of\n\(text)\ngave\n\(String(decoding: edited.data, as: UTF8.self))")
      }
    }
  }

  /// An edit of a value, or of a missing one.
  private static func edit(of value: PropertyList, using random: inout SeededGenerator) -> PropertyListEdit {
    var components: [PropertyListKeyPath.Component] = []
    var target = value
    while Int.random(in: 0..<5, using: &random) > 0 {
      if let entry = target.dictionary?.elements.randomElement(using: &random) {
        components.append(.key(entry.key))
        target = entry.value
      } else if let elements = target.array, let index = elements.indices.randomElement(using: &random) {
        components.append(.index(index))
        target = elements[index]
      } else {
        break
      }
    }
    let new: PropertyList =
      [
        "new", 7, ["a": [1, ["b": "c"]], "d": "e"], [], [1, 2], .data(Data([1, 2, 3])),
        target.array.map { .array($0 + [9]) }
          ?? "text",
      ].randomElement(using: &random)!
    let inside = PropertyListKeyPath(
      components + [[.key("new key"), .key("2"), .index(0), .index(99)].randomElement(using: &random)!])
    let path = PropertyListKeyPath(components)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return .remove(at: path)
    case 1: return .replace(new, at: path)
    case 2: return .append(new, at: path)
    case 3: return .insert(new, at: path)
    case 4: return .insert(new, at: inside)
    case 5: return .set(new, at: inside)
    default: return .set(new, at: path)
    }
  }

  private static func hasLikeElements(_ value: PropertyList) -> Bool {
    let children = value.array ?? value.dictionary?.values.elements ?? []
    return value.array.map { Set($0).count < $0.count } == true || children.contains(where: hasLikeElements)
  }

  @Test("a key is found by its exact spelling, and other containers are not checked")
  func findsAKeyByItsSpelling() throws {
    let text =
      "<plist><dict><key>a</key><integer>1</integer><key>b</key><dict>"
      + "<key>\u{E9}</key><true/><key>e\u{301}</key><false/></dict></dict></plist>"
    let document = try PropertyListDocument(Data(text.utf8))
    let edited = try document.data(applying: .set(2, at: PropertyListKeyPath("a")))
    #expect(String(decoding: edited, as: UTF8.self) == text.replacing("<integer>1<", with: "<integer>2<"))
    #expect(throws: PropertyListError.self) { try document.data(applying: .set(2, at: PropertyListKeyPath("b.c"))) }
  }

  @Test func `an edited binary document stays binary`() throws {
    let value: PropertyList = ["a": [1, 2]]
    let document = try PropertyListDocument(value.data(format: .binary))
    let edited = try document.data(applying: .remove(at: PropertyListKeyPath("a.0")))
    #expect(try PropertyList(edited, format: .binary) == ["a": [2]])
  }
}
