extension Format {
  static let binary = Format(
    writeTree: { value, options throws(PropertyListError) in try value.written(by: BinaryWriter(), options) },
    writeNode: { node, options, output throws(PropertyListError) in
      try node.written(by: BinaryWriter(), options, to: nil)
    },
    lackOfFractions: "XML has", text: nil)
}
