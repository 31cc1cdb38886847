internal import FoundationEssentials

extension Format {
  static let openStep = Format(
    writeTree: { value, options throws(PropertyListError) in try value.written(by: OpenStepWriter(options), options) },
    writeNode: { node, options, output throws(PropertyListError) in
      try node.written(by: OpenStepWriter(options), options, to: output)
    },
    lackOfFractions: "OpenStep has",
    text: TextFormat(
      decode: { data, faults throws(PropertyListError) in
        try UnicodeEncoding.decode(data, faults: &faults) ?? TextSource(text: data)
      },
      read: { data, options, faults throws(PropertyListError) in
        try OpenStepReader.read(data, options: options, faults: &faults)
      },
      writeFragment: { value, _, options, layout throws(PropertyListError) in
        var writer = OpenStepWriter(options, in: layout)
        try value.walk(into: &writer, sortsKeys: false, depth: options.effectiveDepth)
        return writer.finishFragment()
      }))
}
