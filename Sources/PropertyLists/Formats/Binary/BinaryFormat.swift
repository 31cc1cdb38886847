extension Format {
  static let binary = Format(
    name: "binary",
    writeTree: { value, options throws(PropertyListError) in try value.written(by: BinaryWriter(), options) },
    writeNode: { node, options, output throws(PropertyListError) in
      try node.written(by: BinaryWriter(), options, to: nil)
    },
    text: nil)
}
