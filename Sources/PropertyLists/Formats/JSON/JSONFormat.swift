internal import FoundationEssentials

extension Format {
  static let json = Format(
    writeTree: { value, options throws(PropertyListError) in try value.written(by: JSONWriter(options), options) },
    writeNode: { node, options, output throws(PropertyListError) in
      try node.written(by: JSONWriter(options), options, to: output)
    },
    lackOfFractions: "dates of JSON have",
    text: TextFormat(
      decode: { data, faults throws(PropertyListError) in
        try UnicodeEncoding.decode(data, faults: &faults) ?? TextSource(text: data)
      },
      read: { data, options, faults throws(PropertyListError) in
        try JSONReader.read(data, options: options, faults: &faults)
      },
      writeFragment: { value, _, options, layout throws(PropertyListError) in
        var writer = JSONWriter(options, in: layout)
        try value.walk(into: &writer, sortsKeys: false, depth: options.effectiveDepth)
        return writer.finishFragment()
      }))
}
