public import FoundationEssentials
internal import KeyedArchiving
public import PropertyLists

/// The edits of a message, from the column `message_summary_info` of the database of Messages.
///
/// ```swift
/// let edits = try MessageEdits(summary)
/// for version in edits.versions[0] ?? [] { print(version.date, version.body.text) }
/// ```
///
/// The column contains a property list. Its key `ec` has the versions of each edited part, as typedstreams. `rp` has
/// the retracted parts, and `otr` the range of each part in the original text.
public struct MessageEdits: Hashable, Sendable {
  /// A version of a part.
  public struct Version: Hashable, Sendable {
    /// The time of the edit. For the first version, the time of sending.
    public var date: Date
    /// The text.
    public var body: MessageBody
    /// The `guid` of the link preview of the version.
    public var previewID: String?
  }

  /// The versions of each edited part, oldest first, by part number.
  public var versions: [Int: [Version]]
  /// The numbers of the retracted parts.
  public var retracted: Set<Int>
  /// The ranges of parts in the original text, in UTF-16 units, by part number.
  public var originalRanges: [Int: Range<Int>]

  /// Reads the contents of the column. A property list without edits is not an error.
  ///
  /// - Parameters:
  ///   - data: the property list.
  ///   - limits: the limits for the property list, and for the stream of each version.
  /// - Throws: `PropertyListError` if the bytes are not a property list, ``TypedstreamError`` if a version cannot be
  ///   read; ``TypedstreamError/Kind/invalidContents`` if the property list does not have the form of edits.
  public init(_ data: Data, limits: ParsingLimits = ParsingLimits()) throws {
    let list = try PropertyList(data, options: PropertyListReadingOptions(limits: limits))
    func number(_ name: String) throws(TypedstreamError) -> Int {
      guard let number = Int(name), number >= 0 else {
        throw Self.invalid("\(name.debugDescription) is not a valid part number")
      }
      return number
    }
    versions = [:]
    if let parts = list["ec"]?.dictionary {
      for (name, list) in parts {
        guard let entries = list.array else { throw Self.invalid("the versions of the part \(name) are not an array") }
        let versions = try entries.map { try Self.version($0, limits) }
        // `0` and `00` are names of the same part.
        guard self.versions.updateValue(versions, forKey: try number(name)) == nil else {
          throw Self.invalid("the versions of the part \(name) occur twice")
        }
      }
    }
    retracted = Set((list["rp"]?.array ?? []).compactMap(\.int))
    originalRanges = [:]
    if let parts = list["otr"]?.dictionary {
      for (name, entry) in parts {
        guard let start = entry["lo"]?.int, let length = entry["le"]?.int,
          let range = Archived.Range(location: start, length: length).range
        else { throw Self.invalid("the part \(name) has no valid range") }
        guard originalRanges.updateValue(range, forKey: try number(name)) == nil else {
          throw Self.invalid("the range of the part \(name) occurs twice")
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
