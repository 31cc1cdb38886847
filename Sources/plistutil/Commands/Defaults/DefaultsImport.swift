import PropertyLists
import ToolSupport

enum DefaultsImport: DefaultsVerb {
  static let name = "import"

  static let syntax = DefaultsSyntax(
    arguments: "DOMAIN FILE", abstract: "Set the values that a file has; - is standard input.",
    details: """
      The file is a dictionary in any format: XML, binary, JSON, OpenStep. Values
      under other keys stay, unless --replace says otherwise. Of a key that stands
      twice in the file, the last value counts, as it does for read; a warning says
      where it is.

        --replace      Remove the values that the file has not.
        --from FORMAT  The format of the file, where its beginning does not tell.
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
    // A dictionary that looks like a UID stays a dictionary, as in preferences files.
    let options = PropertyListReadingOptions(recognizesUIDDictionaries: false, restoresCoercedValues: true)
    return try DefaultsError.about(input.name) { () throws(PropertyListError) in
      let data = try input.data()
      let format = call.inputFormat?.format ?? input.formatByName(data)
      return try PropertyList(RepeatedKeys.document(data, of: input, format: format, options) { note($0) }.root)
    }
  }
}
