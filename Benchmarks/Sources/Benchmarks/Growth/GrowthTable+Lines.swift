import Foundation

extension GrowthTable {
  /// The lines for the libraries.
  static var libraryLines: [GrowthLine] {
    propertyListLines + codableLines + editingLines + archiveLines + typedstreamLines + preferencesLines
      + predicateLines + modelLines + objectLines + storeLines
  }

  /// The lines for the tools in a folder.
  static func toolLines(in folder: URL) -> [GrowthLine] {
    let (plistutil, storeutil) = (GrowthTool("plistutil", in: folder), GrowthTool("storeutil", in: folder))
    return formatLines(of: plistutil) + queryLines(of: plistutil) + editLines(of: plistutil)
      + otherToolLines(of: plistutil) + archiveLines(of: plistutil) + lookLines(of: storeutil)
      + changeLines(of: storeutil) + modelLines(of: storeutil)
  }
}
