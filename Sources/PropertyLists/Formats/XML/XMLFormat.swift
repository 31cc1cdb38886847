internal import FoundationEssentials

extension Format {
  static let xml = Format(
    writeTree: { value, options throws(PropertyListError) in try value.written(by: XMLWriter(options), options) },
    writeNode: { node, options, output throws(PropertyListError) in
      try node.written(by: XMLWriter(options), options, to: output)
    },
    lackOfFractions: "XML has",
    text: TextFormat(
      decode: { data, faults throws(PropertyListError) in
        try XMLEncoding.decode(data, faults: &faults)
      },
      read: { data, options, faults throws(PropertyListError) in
        try XMLReader.read(data, options: options, faults: &faults)
      },
      writeFragment: { value, isKey, options, layout throws(PropertyListError) in
        var writer = XMLWriter(options, in: layout)
        if isKey, case .string(let key) = value {
          try writer.key(key.utf8Span.rawBytes)
        } else {
          try value.walk(into: &writer, sortsKeys: false, depth: options.effectiveDepth)
        }
        return writer.finishFragment()
      }))
}
