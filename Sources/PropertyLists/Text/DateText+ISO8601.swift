extension DateText {
  /// ISO 8601, with a year of four digits: a day, which is its first moment in UTC, or a moment with its zone, to the
  /// second or a fraction of it: `2027-01-31`, `2027-01-31T12:00:00Z`, `2027-01-31T12:00:00.5+01:00`.
  ///
  /// A moment without a zone is refused, since nothing says which one is meant.
  package static func parseISO8601(_ text: String) -> Double? {
    var moment = Array(text.utf8)
    if moment.count == 10 { moment += "T00:00:00Z".utf8 }
    guard moment.count > 19, let zoneStart = moment[19...].firstIndex(where: isZoneStart) else { return nil }
    var zone = Array(moment[zoneStart...])
    moment.replaceSubrange(zoneStart..., with: [UInt8(ascii: "Z")])
    var secondsAhead: Int? = 0
    if zone != [UInt8(ascii: "Z")] {
      if zone.count == 6, zone[3] == UInt8(ascii: ":") { zone.remove(at: 3) }
      if zone.count == 3 { zone += "00".utf8 }
      secondsAhead = zone.count == 5 ? self.secondsAhead(zone.rawBytes) : nil
    }
    guard let secondsAhead, let seconds = parseExact(moment.rawBytes) else { return nil }
    return seconds - Double(secondsAhead)
  }

  private static func isZoneStart(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "Z") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
  }
}
