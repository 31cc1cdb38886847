import Foundation
import PropertyLists

/// The media library as Codable types.
struct CodableLibrary: Codable {
  var version: Int
  var application: String
  var tracks: [Track]

  enum CodingKeys: String, CodingKey {
    case version = "Major Version"
    case application = "Application Version"
    case tracks = "Tracks"
  }

  struct Track: Codable {
    var number: Int
    var name, artist, albumArtist, album, genre, kind: String
    var size, time, trackNumber: Int
    var modified, added: Date
    var volume: Double
    var isCompilation: Bool
    var comments, identifier, type: String
    var artwork: Data
    var isDisabled: Bool
    var location: String

    enum CodingKeys: String, CodingKey {
      case number = "Track ID"
      case name = "Name"
      case artist = "Artist"
      case albumArtist = "Album Artist"
      case album = "Album"
      case genre = "Genre"
      case kind = "Kind"
      case size = "Size"
      case time = "Total Time"
      case trackNumber = "Track Number"
      case modified = "Date Modified"
      case added = "Date Added"
      case volume = "Volume Adjustment"
      case isCompilation = "Compilation"
      case comments = "Comments"
      case identifier = "Persistent ID"
      case type = "Track Type"
      case artwork = "Artwork"
      case isDisabled = "Disabled"
      case location = "Location"
    }
  }
}

extension Work {
  /// Measures decoding or encoding the library, with this library or Foundation.
  func measureCodable(_ implementation: Implementation, xml: URL, binary: URL) throws -> Measurement? {
    let isXML = self == .decodeXML || self == .encodeXML
    let data = try Data(contentsOf: isXML ? xml : binary)
    let library = try PropertyLists.PropertyListDecoder().decode(CodableLibrary.self, from: data)
    switch (implementation, self) {
    case (.ours, .decodeXML), (.ours, .decodeBinary):
      return try Measurement.measure {
        keep(try PropertyLists.PropertyListDecoder().decode(CodableLibrary.self, from: data))
        return 0
      }
    case (.ours, _):
      var encoder = PropertyLists.PropertyListEncoder()
      encoder.outputFormat = isXML ? .xml : .binary
      return try Measurement.measure { try encoder.encode(library).count }
    case (.foundation, .decodeXML), (.foundation, .decodeBinary):
      return try Measurement.measure {
        keep(try Foundation.PropertyListDecoder().decode(CodableLibrary.self, from: data))
        return 0
      }
    case (.foundation, _):
      let encoder = Foundation.PropertyListEncoder()
      encoder.outputFormat = isXML ? .xml : .binary
      return try Measurement.measure { try encoder.encode(library).count }
    default: return nil
    }
  }
}
