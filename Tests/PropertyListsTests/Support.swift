import Foundation
import Testing

@testable import PropertyLists

extension PropertyList {
  /// A tree from either path of the XML reader; nil if the fast path gives up.
  static func plainLane(_ data: Data, options: PropertyListReadingOptions = .init()) throws -> PropertyList? {
    var defects = DefectLog.first
    guard let source = try? TextSource(data, .xml, defects: &defects),
      let table = PlainXMLReader.read(source.text.bytes, from: 0, options: options)
    else { return nil }
    return try PropertyList(PropertyListDocument(TextContent(text: source.text, table: table), .xml, options).root)
  }

  static func thoroughLane(
    _ data: Data, options: PropertyListReadingOptions = .init()
  ) throws(PropertyListError) -> PropertyList {
    var defects = DefectLog.first
    guard let source = try TextSource(data, .xml, defects: &defects) else { throw TextSource.empty }
    let content = try XMLReader.readThoroughly(source, from: 0, options: options, defects: &defects)
    return try PropertyList(PropertyListDocument(content, .xml, options).root)
  }
}

/// The error that `body` throws. The test fails if it throws none.
func error(_ body: () throws(PropertyListError) -> Void) -> PropertyListError? {
  do throws(PropertyListError) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// An XML document with one value.
func xml(_ body: String) -> Data { Data("<plist version=\"1.0\">\(body)</plist>".utf8) }
