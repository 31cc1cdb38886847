import PropertyLists
import SystemFiles
import ToolSupport

enum DefaultsExport: DefaultsVerb {
  static let name = "export"

  static let syntax = DefaultsSyntax(
    arguments: "DOMAIN FILE", abstract: "Write the values of a domain to a file; - is standard output.",
    details: """
      The default format is binary for a file, and XML for standard output.

        --format FORMAT  xml, binary, json, openstep, gnustep or strings.
      """,
    examples: ["export com.example.notes notes.plist", "export com.example.notes - | grep font"], operands: 2...2,
    takesFile: true, options: [.format])

  static func run(_ call: DefaultsCall) throws {
    let domain = try call.namedDomain()
    let path = call.operands[0]
    let values = try domain.existingValues()
    let isStandard = path == "-"
    let standard = call.isForMachines ? FormatName(.json) : FormatName(.xml)
    let format = call.format ?? (isStandard ? standard : FormatName(.binary))
    let data = try DefaultsOutput.data(.dictionary(values), format, name: domain.name)
    if isStandard { return try output(data) }
    try DefaultsError.about(path.printable()) { () throws(PropertyListError) in
      try PropertyListError.converting(FileSystem.replace(path, with: data))
    }
  }
}
