import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// Defects of Foundation's collections, texts, errors, notifications and formatters on Linux.
extension KnownDefectsTests {
  /// Foundation on Linux, NSArray: elements that are not UIDs, or are UID 0, are dropped; without an array in
  /// NS.objects, the array is empty.
  @Test func `no element of an array is dropped`() throws {
    let withNothing = try archive("NSArray", ["NS.objects": [.uid(3), .uid(0), .uid(3)]], ["a"])
    let failure = error(decoding: [String].self, withNothing)
    #expect(failure?.kind == .valueNotFound && failure?.path?.description == "root.1")
    #expect(try unarchive([String?].self, withNothing) == ["a", nil, "a"])
    let inline = try archive("NSArray", ["NS.objects": [.uid(3), 5]], ["a"])
    #expect(try unarchive([ArchivedValue].self, inline) == [.string("a"), .integer(5)])
    #expect(error(decoding: [String].self, inline)?.kind == .typeMismatch)
    for elements in ["a", 1, ["0": .uid(3)], .uid(3)] as [PropertyList] {
      #expect(
        error(decoding: [String].self, try archive("NSArray", ["NS.objects": elements], ["a"]))?.kind == .typeMismatch)
    }
    #expect(error(decoding: [String].self, try archive("NSArray", [:]))?.kind == .valueNotFound)
  }

  /// Foundation on Linux, NSDictionary: 2 keys and 1 value are read as 2 entries, and using the second crashes; with
  /// nil as a key, the dictionary is empty.
  @Test func `a dictionary with more keys than values, or nil for a key, is an error`() throws {
    func failure(_ keys: PropertyList, _ values: PropertyList) throws -> KeyedArchiveError.Kind? {
      let data = try archive("NSDictionary", ["NS.keys": keys, "NS.objects": values], ["a", "b", "c"])
      let kind = error(decoding: [String: String].self, data)?.kind
      #expect(error(decoding: OrderedDictionary<String, String>.self, data)?.kind == kind)
      #expect(error(decoding: ArchivedValue.self, data)?.kind == kind)
      return kind
    }
    #expect(try failure([.uid(3), .uid(4)], [.uid(5)]) == .invalidContents)
    #expect(try failure([.uid(3)], [.uid(4), .uid(5)]) == .invalidContents)
    #expect(try failure([.uid(0)], [.uid(5)]) == .valueNotFound)
    #expect(try failure(.uid(0), [.uid(5)]) == .typeMismatch)
    #expect(try failure([.uid(3), .uid(3)], [.uid(4), .uid(5)]) == .invalidContents)
    let whole = try archive("NSDictionary", ["NS.keys": [.uid(3)], "NS.objects": [.uid(4)]], ["a", "b"])
    #expect(try unarchive([String: String].self, whole) == ["a": "b"])
  }

  /// Foundation on Linux, NSString and NSMutableString: a missing or invalid NS.string traps.
  @Test(arguments: ["NSString", "NSMutableString"])
  func `a string object without text is an error`(_ className: String) throws {
    func failure(_ fields: OrderedDictionary<String, PropertyList>) throws -> KeyedArchiveError.Kind? {
      error(decoding: String.self, try archive(.string(className), fields))?.kind
    }
    #expect(try failure([:]) == .valueNotFound)
    #expect(try failure(["NS.string": .uid(0)]) == .valueNotFound)
    #expect(try failure(["NS.string": 5]) == .typeMismatch)
    #expect(try failure(["NS.string": .bytes([0x61])]) == .typeMismatch)
    #expect(try failure(["NS.string": ["a"]]) == .typeMismatch)
    #expect(try failure(["NS.bytes": .bytes([0xFF])]) == .invalidContents)
    let mutable = try archive("NSMutableString", ["NS.string": 5])
    #expect(error(decoding: Archived.Mutable<String>.self, mutable)?.kind == .typeMismatch)
    #expect(try unarchive(String.self, archive(.string(className), ["NS.string": "a"])) == "a")
  }

  /// Foundation on Linux, NSError: a missing NSDomain traps.
  @Test func `an error without a domain is an error`() throws {
    let data = try archive("NSError", ["NSCode": 1])
    let failure = error(decoding: Archived.Error.self, data)
    #expect(failure?.kind == .valueNotFound && failure?.path?.description == "root.NSDomain")
    let nothing = try archive("NSError", ["NSDomain": .uid(0), "NSCode": 1])
    #expect(error(decoding: Archived.Error.self, nothing)?.kind == .valueNotFound)
  }

  /// Foundation on Linux, NSURL: a missing or invalid URL string gives an empty URL.
  @Test(arguments: ["", "http://[::1", "http://a:b:c/", "http://example.com:port/"])
  func `text that is not a URL is an error`(_ text: String) throws {
    let data = try archive("NSURL", ["NS.base": .uid(0), "NS.relative": .uid(3)], [.string(text)])
    #expect(error(decoding: URL.self, data)?.kind == .invalidContents)
    let whole = try archive("NSURL", ["NS.base": .uid(0), "NS.relative": .uid(3)], ["http://[::1]/a"])
    #expect(try unarchive(URL.self, whole).absoluteString == "http://[::1]/a")
  }

  /// Foundation on Linux, NSNotification: decoding one without an object traps, and its user info is dropped.
  @Test func `a notification needs no object, and keeps its user info`() throws {
    let info: OrderedDictionary<ArchivedValue, ArchivedValue> = [.string("key"): .integer(5)]
    let notification = Archived.Notification(name: "saved", userInfo: info)
    let decoded = try unarchive(Archived.Notification.self, KeyedArchiver.archivedData(withRootObject: notification))
    #expect(decoded == notification && decoded.object == nil && decoded.userInfo == info)
    #expect(try unarchive(Archived.Notification.self, archive("NSNotification", ["NS.name": "x"])).userInfo == nil)
  }

  /// Foundation on Linux, DateIntervalFormatter: it reads `NS.dateTemplateFromStyle`, which no archiver writes.
  @Test func `the template that a date interval formatter derives from its styles is kept`() throws {
    let formatter = Archived.DateIntervalFormatter(dateTemplateFromStyles: "yMMMdjm", isModified: true)
    let data = try KeyedArchiver.archivedData(withRootObject: formatter)
    #expect(try objects(data)[1]["NS.dateTemplateFromStyles"] != nil)
    #expect(try unarchive(Archived.DateIntervalFormatter.self, data) == formatter)
  }

  /// The behavior of NSDecimalNumberHandler: a custom type with the same spelling error as Foundation.
  private struct Handler: SecureCoding, Equatable {
    static let archivedClass = ArchivedClass("NSDecimalNumberHandler")

    var roundingMode: Int
    var scale: Int
    /// The spelling of the mode's key in the output.
    var spelling = "NS.roundingMode"

    init(roundingMode: Int, scale: Int, spelling: String = "NS.roundingMode") {
      self.roundingMode = roundingMode
      self.scale = scale
      self.spelling = spelling
    }

    init(coder: KeyedUnarchiver) throws {
      roundingMode = try coder.decode(Int.self, forKey: "NS.roundingMode")
      scale = try coder.decode(Int.self, forKey: "NS.scale")
    }

    func encode(with coder: KeyedArchiver) throws {
      try coder.encode(roundingMode, forKey: spelling)
      try coder.encode(scale, forKey: "NS.scale")
    }
  }

  /// Foundation on Linux, NSDecimalNumberHandler: it writes `NS.roundingmode` and reads `NS.roundingMode`, so that up
  /// with scale 2 is decoded as plain with scale 0. This package does not have the class, and detects the error in a
  /// custom type.
  @Test func `a key in another spelling is an error, not 0`() throws {
    let right = Handler(roundingMode: 2, scale: 2)
    #expect(try unarchive(Handler.self, KeyedArchiver.archivedData(withRootObject: right)) == right)
    let slip = Handler(roundingMode: 2, scale: 2, spelling: "NS.roundingmode")
    let failure = error(decoding: Handler.self, try KeyedArchiver.archivedData(withRootObject: slip))
    #expect(
      failure?.kind == .valueNotFound && failure?.path == PropertyListKeyPath([.key("root"), .key("NS.roundingMode")]))
  }

  /// Foundation on Linux, NSTextCheckingResult and NSURLQueryItem: missing keys trap.
  @Test func `a text checking result without a range, and a query item without a name, are errors`() throws {
    for className in ["NSSimple", "NSExtended", "NSComplex"].map({ "\($0)RegularExpressionCheckingResult" }) {
      let match = try archive(.string(className), [:])
      #expect(error(decoding: Archived.TextCheckingResult.self, match)?.kind == .valueNotFound)
      let half = try archive(.string(className), ["NSRangeLocation": 1])
      #expect(error(decoding: Archived.TextCheckingResult.self, half)?.kind == .valueNotFound)
    }
    #expect(error(decoding: Archived.URLQueryItem.self, try archive("NSURLQueryItem", [:]))?.kind == .valueNotFound)
    let item = try unarchive(Archived.URLQueryItem.self, archive("NSURLQueryItem", ["NS.name": "a"]))
    #expect(item == .init(name: "a", value: nil))
  }

  /// Foundation on Linux, formatters: a MeasurementFormatter traps; NumberFormatter and DateFormatter archive nothing
  /// of themselves, without an error.
  @Test func `a formatter is archived completely, or is an error`() throws {
    var bytes = Archived.ByteCountFormatter()
    (bytes.allowedUnits, bytes.countStyle, bytes.formattingContext) = (4, 3, 2)
    (bytes.zeroPadsFractionDigits, bytes.includesActualByteCount, bytes.allowsNonnumericFormatting) = (
      true, true, false
    )
    (bytes.includesUnit, bytes.includesCount, bytes.isAdaptive) = (false, false, false)
    #expect(try unarchive(Archived.ByteCountFormatter.self, KeyedArchiver.archivedData(withRootObject: bytes)) == bytes)
    let dates = Archived.ISO8601DateFormatter(formatOptions: 7, timeZone: .init(name: "GMT+0100"))
    #expect(
      try unarchive(Archived.ISO8601DateFormatter.self, KeyedArchiver.archivedData(withRootObject: dates)) == dates)
    let intervals = Archived.DateIntervalFormatter(
      dateStyle: 4, timeStyle: 0, dateTemplate: "yMd", dateTemplateFromStyles: "jm", isModified: true,
      usesTemplate: true, locale: .init(identifier: "de_DE"), timeZone: .init(name: "GMT"))
    #expect(
      try unarchive(Archived.DateIntervalFormatter.self, KeyedArchiver.archivedData(withRootObject: intervals))
        == intervals)
    // No type of this package has their state, so none replaces them.
    for className in ["NSNumberFormatter", "NSDateFormatter", "NSMeasurementFormatter"] {
      let data = try archive(.string(className), ["NS.dateStyle": 1, "NS.timeStyle": 1, "NS.formatOptions": 1])
      #expect(error(decoding: ArchivedValue.self, data)?.kind == .classNotAllowed)
      #expect(error(decoding: Archived.DateIntervalFormatter.self, data)?.kind == .classNotAllowed)
      #expect(error(decoding: Archived.ByteCountFormatter.self, data)?.kind == .classNotAllowed)
    }
  }

  /// A class of Foundation, and its type here. Classes whose keys are all optional are not included.
  static let keyedClasses: [(String, any SecureCoding.Type)] = [
    ("NSAffineTransform", Archived.AffineTransform.self), ("NSArray", [Int].self),
    ("NSAttributedString", Archived.AttributedString.self), ("NSCalendar", Calendar.self),
    ("NSCharacterSet", Archived.CharacterSet.self), ("NSCountedSet", Archived.CountedSet<Int>.self),
    ("NSData", Data.self), ("NSDate", Date.self), ("NSDateInterval", DateInterval.self),
    ("NSDateIntervalFormatter", Archived.DateIntervalFormatter.self), ("NSDecimalNumber", Decimal.self),
    ("NSDictionary", [String: Int].self), ("NSError", Archived.Error.self),
    ("NSIndexPath", IndexPath.self), ("NSIndexSet", Archived.IndexSet.self),
    ("NSISO8601DateFormatter", Archived.ISO8601DateFormatter.self), ("NSLocale", Locale.self),
    ("NSMeasurement", Archived.Measurement.self), ("NSNotification", Archived.Notification.self),
    ("NSNumber", Int.self), ("NSRegularExpression", Archived.RegularExpression.self), ("NSSet", Set<Int>.self),
    ("NSSortDescriptor", Archived.SortDescriptor.self), ("NSString", String.self),
    ("NSTextCheckingResult", Archived.TextCheckingResult.self), ("NSTimeZone", TimeZone.self),
    ("NSUnit", Archived.Unit.self), ("NSURL", URL.self), ("NSURLQueryItem", Archived.URLQueryItem.self),
    ("NSUUID", UUID.self),
  ]

  /// Foundation on Linux, all classes: "Unkeyed coding is unsupported" traps if the coder has no keys.
  @Test("values without keys in a class with keys are an error", arguments: keyedClasses)
  func valuesWithoutKeys(_ className: String, _ type: any SecureCoding.Type) throws {
    let data = try archive(.string(className), ["$0": .uid(3), "$1": 1], ["text"])
    let failure = archiveError { _ = try KeyedUnarchiver.unarchivedObject(of: [type], from: data) }
    // Foundation on Linux writes a transform without keys; its numbers are not in this archive.
    #expect(failure?.kind == (className == "NSAffineTransform" ? .typeMismatch : .valueNotFound))
    #expect(failure?.uid != nil)
  }

  /// Foundation on Linux, all classes: the same for a complete archive without keys, as NSArchiver wrote them.
  @Test func `a typedstream is an error`() throws {
    let bytes = Data([0x04, 0x0B] + "streamtyped".utf8 + [0x81, 0xE8, 0x03, 0x84, 0x01, 0x40])
    guard case .propertyList = archiveError({ _ = try KeyedUnarchiver(forReadingFrom: bytes) })?.kind else {
      Issue.record("it was opened")
      return
    }
  }
}
