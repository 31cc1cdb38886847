import ArgumentParser
import KeyedArchiving
import ManagedObjects
import PropertyLists
import ToolSupport

/// How the tool ends, and what it says then. The codes are those of `plistutil` where they mean the same.
enum StoreExit {
  static let inputOutput = ExitCodes.inputOutput
  static let refused = ExitCodes.notRepresentable
  static let noStore = ExitCodes.malformed

  /// For the help.
  static let help = """
    Exit codes: 0 success; 1 input or output failed, or there is no such object; 2 a value or a change that the model \
    does not allow; 3 no store or model, a store of another model, or objects in a form that cannot be read; 4 nested too deeply or too \
    large; 64 usage.
    """

  /// The exit code of an error; nil for one that the parser of arguments knows.
  static func exitCode(of error: any Error) -> Int32? {
    switch error {
    case let error as ManagedObjectError: code(of: error)
    // Arithmetic fails because of values.
    case let error as ManagedPredicateError: error.kind == .arithmetic ? refused : ExitCodes.usage
    case let error as ManagedObjectModelError:
      if case .file(let error) = error, error.kind.isOfSystem { inputOutput } else { noStore }
    case is ModelFileError: noStore
    case let error as PropertyListError: error.exitCode
    case let error as ImportError: error.exitCode
    case is KeyedArchiveError: noStore
    default: nil
    }
  }

  private static func code(of error: ManagedObjectError) -> Int32 {
    switch error.code {
    case .noSuchFile, .locked, .timeout, .save, .incompleteSave, .sqlite, .referentialIntegrity, .operation: inputOutput
    case .open: error.fileError?.kind.isOfSystem == true || error.isOfSQLiteFile ? inputOutput : noStore
    case .invalidStoreType, .storeTypeMismatch, .incompatibleSchema, .incompatibleVersionHash, .missingSourceModel:
      noStore
    case .undefinedKey, .unsupportedRequest, .invalidURI: ExitCodes.usage
    default: refused
    }
  }

  /// The line that says what is wrong; a line for each of several defects.
  static func text(of error: any Error) -> String {
    let text = (error as? ManagedObjectError)?.description(Self.text) ?? "\(error)"
    return text.split(separator: "\n").map { "\(ToolName.current): error: \($0)" }.joined(separator: "\n")
      .withoutCommands
  }

  private static func text(_ remedy: ManagedObjectError.Remedy) -> String {
    switch remedy {
    case .openingWithModel: "--model names the file of its model, and --tables reads it by its tables alone"
    case .openingWithoutWriting: "SQLite reads it only if it can write beside it, or with --immutable"
    }
  }
}

extension ManagedObjectError {
  /// Whether SQLite may not open or write a file: `SQLITE_READONLY` and `SQLITE_CANTOPEN`.
  var isOfSQLiteFile: Bool { sqliteCode.map { [8, 14].contains($0 & 0xFF) } ?? false }
}

extension PropertyListError.Kind {
  /// Whether the system refused something.
  fileprivate var isOfSystem: Bool { if case .inputOutput = self { true } else { false } }
}
