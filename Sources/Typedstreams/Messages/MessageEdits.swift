public import FoundationEssentials
internal import KeyedArchiving
public import PropertyLists

/// The edits of a message: what Messages keeps in the column `message_summary_info` of its database.
///
/// ```swift
/// let edits = try MessageEdits(summary)
/// for version in edits.versions[0] ?? [] { print(version.date, version.body.text) }
/// ```
///
/// The column is a property list. Its key `ec` has the versions of each part that was edited, as typedstreams, `rp` the
/// parts that were taken back, and `otr` where each part was in the first text.
public struct MessageEdits: Hashable, Sendable {
  /// A version of a part.
  public struct Version: Hashable, Sendable {
    /// The time of the edit; of the first version, of sending.
    public var date: Date
    /// The text.
    public var body: MessageBody
    /// The `guid` of the preview of a link that the version has.
    public var previewID: String?
  }

  /// The versions of each part that was edited, the oldest first, by the numbers of the parts.
  public var versions: [Int: [Version]]
  /// The numbers of the parts that were taken back.
  public var retracted: Set<Int>
  /// The ranges of parts in the text as it was sent, in units of UTF-16, by the numbers of the parts.
  public var originalRanges: [Int: Range<Int>]

  /// Reads what is in the column. One without edits is no error.
  ///
  /// - Throws: `PropertyListError` for bytes that are no property list, ``TypedstreamError`` for a version that cannot
  ///   be read; ``TypedstreamError/Kind/invalidContents`` for a list that is not one of edits.
  public init(_ data: Data, limits: ParsingLimits = ParsingLimits()) throws {
    let list = try PropertyList(data, options: PropertyListReadingOptions(limits: limits))
    func number(_ name: String) throws(TypedstreamError) -> Int {
      guard let number = Int(name), number >= 0 else { throw Self.invalid("\(name.debugDescription) is no part") }
      return number
    }
    versions = [:]
    if let parts = list["ec"]?.dictionary {
      for (name, list) in parts {
        guard let entries = list.array else { throw Self.invalid("the part \(name) has no versions") }
        let versions = try entries.map { try Self.version($0, limits) }
        // `0` and `00` are one number.
        guard self.versions.updateValue(versions, forKey: try number(name)) == nil else {
          throw Self.invalid("the part \(name) has versions twice")
        }
      }
    }
    retracted = Set((list["rp"]?.array ?? []).compactMap(\.int))
    originalRanges = [:]
    if let parts = list["otr"]?.dictionary {
      for (name, entry) in parts {
        guard let start = entry["lo"]?.int, let length = entry["le"]?.int,
          let range = Archived.Range(location: start, length: length).range
        else { throw Self.invalid("the part \(name) has no range") }
        guard originalRanges.updateValue(range, forKey: try number(name)) == nil else {
          throw Self.invalid("the part \(name) has a range twice")
        }
      }
    }
  }

  private static func version(_ entry: PropertyList, _ limits: ParsingLimits) throws -> Version {
    guard let seconds = entry["d"]?.real ?? entry["d"]?.int.map({ Double($0) }), let stream = entry["t"]?.data
    else { throw invalid("a version has no time or no text") }
    return Version(
      date: Date(timeIntervalSinceReferenceDate: seconds), body: try MessageBody(stream, limits: limits),
      previewID: entry["bcg"]?.string)
  }

  private static func invalid(_ message: String) -> TypedstreamError { TypedstreamError(.invalidContents, message) }
}
