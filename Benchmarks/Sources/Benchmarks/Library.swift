import Foundation
import PropertyLists

/// The measured property list: a media library of 30 000 dictionaries with 20 values of several types each, about 40 MB
/// in XML and 11 MB in binary. It is the same in every run.
enum Library {
  static func make(dictionaries: Int) -> PropertyList {
    var random = SplitMix64(state: 2001)
    var tracks: [PropertyList] = []
    tracks.reserveCapacity(dictionaries)
    for number in 0..<dictionaries {
      let artist = number / 12 % 900
      let added = Double(random.next() % 600_000_000)
      tracks.append([
        "Track ID": .integer(.init(number + 1000)),
        "Name": .string("\(words[Int(random.next() % 24)]) \(words[Int(random.next() % 24)]) No. \(number)"),
        "Artist": .string("\(words[artist % 24]) and the \(words[artist / 24 % 24])s of the North"),
        "Album Artist": .string("\(words[artist % 24]) and the \(words[artist / 24 % 24])s of the North"),
        "Album": .string("The \(words[number / 12 % 24]) Sessions, Volume \(number / 12)"),
        "Genre": .string(words[artist % 11]),
        "Kind": "Lossless audio file, remastered & published \"as is\"",
        "Size": .integer(.init(Int(random.next() % 90_000_000))),
        "Total Time": .integer(.init(Int(random.next() % 900_000))),
        "Track Number": .integer(.init(number % 12 + 1)),
        "Date Modified": .date(Date(timeIntervalSinceReferenceDate: added + 86400)),
        "Date Added": .date(Date(timeIntervalSinceReferenceDate: added)),
        "Volume Adjustment": .real(Double(random.next() % 2_000_000) / 1_000_003),
        "Compilation": .boolean(number % 7 == 0),
        "Comments": .string("Größe, 東京 — \(random.next() % 1000)"),
        "Persistent ID": .string(String(random.next(), radix: 16, uppercase: true)),
        "Track Type": "File",
        "Artwork": .data(Data((0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) })),
        "Disabled": false,
        "Location": .string(
          "file:///Volumes/Music/\(words[artist % 24])%20and%20the/\(words[number / 12 % 24])%20Sessions/"
            + "\(number % 12 + 1)%20\(words[Int(random.next() % 24)])%20\(number).m4a"),
      ])
    }
    return ["Major Version": 1, "Application Version": "12.9", "Tracks": .array(tracks)]
  }

  private static let words = [
    "Amber", "Birch", "Cedar", "Dusk", "Ember", "Fjord", "Glade", "Harbor", "Island", "Juniper", "Kestrel", "Lantern",
    "Meadow", "Nebula", "Orchid", "Prairie", "Quarry", "River", "Saffron", "Thistle", "Umbra", "Valley", "Willow",
    "Zephyr",
  ]
}

/// Steele, Lea and Flood's generator: small, with the same results on every system.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
