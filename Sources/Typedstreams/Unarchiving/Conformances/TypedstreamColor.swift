internal import FoundationEssentials
public import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// A color is decoded from an `NSColor`. It gets the fields that it would have in a keyed archive: its components with
/// the opacity as `NSRGB`, `NSWhite` or `NSCMYK`, or, for a color of a catalog, its names and the color that has these
/// names.
extension Archived.Color: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSColor"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let kind = try groups.decode(Int.self)
    var fields: [String: Field] = ["NSColorSpace": .inline(.integer(PropertyList.Integer(kind)))]
    if kind == 6 {
      fields["NSCatalogName"] = .string(try groups.decode(String.self))
      fields["NSColorName"] = .string(try groups.decode(String.self))
      fields["NSColor"] = .color(try groups.decode(Archived.Color.self))
    } else if let count = Self.componentCounts[kind] {
      var numbers: [String] = []
      for _ in 0..<count {
        let number = try groups.decode(Double.self)
        try groups.require(number.isFinite, "the components of a color must be finite, not \(number)")
        numbers.append(number.description)
      }
      let key = count == 4 ? "NSRGB" : count == 2 ? "NSWhite" : "NSCMYK"
      fields[key] = .inline(.data(Data(numbers.joined(separator: " ").utf8 + [0])))
    } else {
      throw groups.failure(.invalidContents, "a color has the unknown color space \(kind)")
    }
    try groups.finish()
    self.init(fields: fields)
  }
}
