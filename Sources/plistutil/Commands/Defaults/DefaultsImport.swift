import PropertyLists
import ToolSupport

enum DefaultsImport: DefaultsVerb {
  static let name = "import"

  static let syntax = DefaultsSyntax(
    arguments: "DOMAIN FILE", abstract: "Set the values that a file contains; - is standard input.",
    details: """
      The file is a dictionary in any format: XML, binary, JSON or OpenStep. Values
      under other keys are kept, unless --replace is given. If the file has a key
      twice, the last value is used, as by read, and a warning gives the position.

        --replace      Remove the values that are not in the file.
        --from FORMAT  The format of the file; detected if not given.
      """,
    examples: ["import com.example.notes notes.plist", "import --replace com.example.notes - < notes.json"],
    operands: 2...2, takesFile: true, options: [.replace, .from])

  static func run(_ call: DefaultsCall) throws {
    let domain = try call.namedDomain()
    guard let imported = try read(call).dictionary else { throw DefaultsError.notADictionary }
    try domain.update { values in
      values = call.replaces ? imported : (values ?? [:]).merging(imported) { $1 }
    }
  }

  private static func read(_ call: DefaultsCall) throws(DefaultsError) -> PropertyList {
    let input = Input(call.operands[0])
    // A dictionary with the single key `CF$UID` is a dictionary and not a UID, as in preferences files.
    let options = PropertyListReadingOptions(recognizesUIDDictionaries: false, restoresCoercedValues: true)
    return try DefaultsError.about(input.name) { () throws(PropertyListError) in
      let data = try input.data()
      let format = call.inputFormat?.format ?? input.formatByName(data)
      return try PropertyList(RepeatedKeys.document(data, of: input, format: format, options) { note($0) }.root)
    }
  }
}
