public import OrderedCollections
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSAttributedString`: text that consists of runs, each with its own attributes. `NSMutableAttributedString` is
  /// also read.
  ///
  /// ```swift
  /// let link = ArchivedValue.url(url)
  /// let text = try Archived.AttributedString(
  ///   "Read more", runs: [.init(length: 5), .init(length: 4, attributes: ["NSLink": link])])
  /// ```
  public struct AttributedString: SecureCoding {
    public static let archivedClass = ArchivedClass("NSAttributedString", aliases: ["NSMutableAttributedString"])

    /// Attributes by name, such as `NSLink`.
    ///
    /// Values of types that ``ArchivedValue`` does not list must be in ``KeyedUnarchiver/additionalTypes``.
    public typealias Attributes = OrderedDictionary<String, ArchivedValue>

    /// A part of the text whose characters have the same attributes.
    public struct Run {
      /// The length of the run, in UTF-16 units.
      public let length: Int
      /// The attributes of the run.
      public let attributes: Attributes

      /// Creates a run with a length in UTF-16 units.
      public init(length: Int, attributes: Attributes = [:]) {
        self.length = length
        self.attributes = attributes
      }
    }

    /// The text.
    public let text: String
    /// The parts of the text, in order. No run is empty, except the only run that an empty text may have.
    public let runs: [Run]

    /// The list of attributes in the archive. It is kept so that the value is archived again with the same list, even
    /// if the list contains equal attributes twice.
    private let list: [Attributes]
    /// For each run, the index of its attributes in ``list``.
    private let indices: [Int]

    /// Creates a text with one run.
    public init(_ text: String, attributes: Attributes = [:]) {
      self.text = text
      runs = text.isEmpty && attributes.isEmpty ? [] : [Run(length: text.utf16.count, attributes: attributes)]
      list = runs.map(\.attributes)
      indices = Array(list.indices)
    }

    /// Creates a text with several runs.
    ///
    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` if a run is empty, or if the lengths of the runs do not add up
    ///   to the length of the text.
    public init(_ text: String, runs: [Run]) throws(KeyedArchiveError) {
      var list: OrderedSet<Attributes> = []
      let indices = runs.map { list.append($0.attributes).index }
      let sum = Self.sum(runs.lazy.map(\.length))
      guard sum == text.utf16.count else {
        throw KeyedArchiveError(
          .invalidValue,
          "the runs have \(sum.map { "\($0) units" } ?? "an invalid length"), but the text has \(text.utf16.count)")
      }
      self.init(text: text, runs: runs, list: list.elements, indices: indices)
    }

    /// Creates a text with the list of attributes of an archive. The runs and `indices` must fit the text and the list.
    ///
    /// - Parameters:
    ///   - list: the list of attributes in an archive.
    ///   - indices: for each run, the index of its attributes in `list`.
    package init(text: String, runs: [Run], list: [Attributes], indices: [Int]) {
      self.text = text
      self.runs = runs
      self.list = list
      self.indices = indices
    }

    /// Returns the sum of the lengths of runs, or nil if a length is less than 1 or the sum overflows.
    private static func sum(_ lengths: some Sequence<Int>) -> Int? {
      var sum = 0
      for length in lengths {
        let (longer, overflows) = sum.addingReportingOverflow(length)
        guard length > 0, !overflows else { return nil }
        sum = longer
      }
      return sum
    }

    public init(coder: KeyedUnarchiver) throws {
      let text = try coder.decode(String.self, forRawKey: "NSString")
      guard coder.containsRaw("NSAttributeInfo") else {
        let attributes = try coder.decodeIfPresent(Attributes.self, forRawKey: "NSAttributes")
        self.init(text, attributes: attributes ?? [:])
        return
      }
      let list = try coder.decode([Attributes].self, forRawKey: "NSAttributes")
      let numbers = try coder.decodePackedIntegers(forRawKey: "NSAttributeInfo")
      try coder.require(numbers.count.isMultiple(of: 2), "the last run has no attributes")
      var runs: [Run] = []
      var indices: [Int] = []
      for position in stride(from: 0, to: numbers.count, by: 2) {
        guard let length = Int(exactly: numbers[position]), let index = Int(exactly: numbers[position + 1]),
          list.indices.contains(index)
        else {
          throw coder.failure(
            .invalidContents,
            "a run of \(numbers[position]) units refers to attributes \(numbers[position + 1]), "
              + "but the list has \(list.count)"
          )
        }
        runs.append(Run(length: length, attributes: list[index]))
        indices.append(index)
      }
      guard let sum = Self.sum(runs.lazy.map(\.length)), sum == text.utf16.count else {
        throw coder.failure(
          .invalidContents, "the runs are not as long as the text, which has \(text.utf16.count) UTF-16 units")
      }
      self.init(text: text, runs: runs, list: list, indices: indices)
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(text, forRawKey: "NSString")
      try encodeAttributes(with: coder)
    }

    private func encodeAttributes(with coder: KeyedArchiver) throws {
      if runs.count == 1 {
        try coder.encode(runs[0].attributes, forRawKey: "NSAttributes")
      } else if runs.count > 1 {
        try coder.encode(asMutable: list, forRawKey: "NSAttributes")
        let numbers = zip(runs, indices).lazy.flatMap { [UInt64($0.length), UInt64($1)] }
        try coder.encode(packed: numbers, forRawKey: "NSAttributeInfo")
      }
    }
  }
}

/// Two runs are equal if they have the same length and the same attributes. The order of attributes does not matter.
extension Archived.AttributedString.Run: Hashable {
  public static func == (first: Archived.AttributedString.Run, second: Archived.AttributedString.Run) -> Bool {
    first.length == second.length && first.attributes.hasSameEntries(as: second.attributes)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(length)
    attributes.hashEntries(into: &hasher)
  }
}

/// Two texts are equal if they have the same characters and equal runs.
extension Archived.AttributedString: Hashable {
  public static func == (first: Archived.AttributedString, second: Archived.AttributedString) -> Bool {
    first.text == second.text && first.runs == second.runs
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
    hasher.combine(runs)
  }
}

extension Archived.AttributedString: MutablyArchived {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }

  /// Creates an empty text.
  public init() { self.init("") }

  /// Encodes the contents of an `NSMutableAttributedString`, whose text is an `NSMutableString`.
  public func encodeMutable(with coder: KeyedArchiver) throws {
    try coder.encode(asMutable: text, forRawKey: "NSString")
    try encodeAttributes(with: coder)
  }
}
