/// The options of libplist's tool, and additional options of this tool.
enum LibplistOption: String, CaseIterable {
  case infile, outfile, format, print, nodepath, sort, compact, plain, coerce, from
  case keepLastDuplicates = "keep-last-duplicates"
  case inPlace = "in-place"
  case outfolder, `extension`, force, report, debug, version, help

  /// The options of libplist's tool.
  static let ofLibplist: [LibplistOption] = [
    .infile, .outfile, .format, .compact, .coerce, .sort, .print, .nodepath, .debug, .help, .version,
  ]

  /// The letter of the short form, after one hyphen.
  var letter: Character? {
    switch self {
    case .plain: "C"
    case .coerce, .from, .keepLastDuplicates, .inPlace, .outfolder, .extension, .force, .report: nil
    default: rawValue.first
    }
  }

  /// The name of the option's value in the help; nil for an option without a value.
  var value: String? {
    switch self {
    case .infile, .outfile, .print: "file"
    case .format, .from: "format"
    case .nodepath: "path"
    case .outfolder: "folder"
    case .extension: "extension"
    default: nil
    }
  }

  /// The help text: at most 48 characters, so that a line of the list fits into 80 columns.
  var help: String {
    switch self {
    case .infile: "Read FILE; - is standard input."
    case .outfile: "Write to FILE; - is standard output."
    case .format: "The format to write."
    case .print: "Print FILE in a readable form."
    case .nodepath: "Use only the value at PATH, as in items/0/name."
    case .sort: "Sort the keys of dictionaries."
    case .compact: "Write JSON and OpenStep on one line."
    case .plain: "Write dates and data as text, as libplist does."
    case .coerce: "Write them in a form that can be read back."
    case .from: "The format of the input; detected if not given."
    case .keepLastDuplicates: "If a key occurs twice, use the last value."
    case .inPlace: "Replace the file, in one step."
    case .outfolder: "Write into FOLDER."
    case .extension: "Write next to the file, with this extension."
    case .force: "With --extension, overwrite an existing file."
    case .report: "Print a line of JSON about the written file."
    case .debug: "Print what is read and written, and how fast."
    case .version: "Print the version."
    case .help: "Print this help."
    }
  }

  /// The option as the help lists it: `-i, --infile FILE`.
  var synopsis: String {
    (letter.map { "-\($0), " } ?? "    ") + "--\(rawValue)" + (value.map { " " + $0.uppercased() } ?? "")
  }

  /// The list of all options in the help.
  static var list: String {
    let width = allCases.map(\.synopsis.count).max() ?? 0
    return allCases.map { option in
      option.synopsis + String(repeating: " ", count: width + 2 - option.synopsis.count) + option.help
    }.joined(separator: "\n")
  }
}
