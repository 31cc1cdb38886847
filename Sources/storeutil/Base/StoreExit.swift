import ArgumentParser
import KeyedArchiving
import ManagedObjects
import PropertyLists
import ToolSupport

/// The exit codes and error messages of the tool. Codes with the same meaning are those of `plistutil`.
enum StoreExit {
  static let inputOutput = ExitCodes.inputOutput
  static let refused = ExitCodes.notRepresentable
  static let noStore = ExitCodes.malformed

  /// The help text about exit codes.
  static let help = """
    Exit codes: 0 success; 1 input or output failed, or an object does not exist; 2 the model does not allow a value \
    or a change; 3 not a store or model, a store of another model, or objects that cannot be read; 4 nested too deeply \
    or too large; 64 wrong arguments.
    """

  /// Returns the exit code of an error; nil for an error that ArgumentParser handles.
  static func exitCode(of error: any Error) -> Int32? {
    switch error {
    case let error as ManagedObjectError: code(of: error)
    // Arithmetic errors are caused by values, other errors by the text of the predicate.
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

  /// Returns the message of an error, with a line for each defect.
  static func text(of error: any Error) -> String {
    let text = (error as? ManagedObjectError)?.description(Self.text) ?? "\(error)"
    return text.split(separator: "\n").map { "\(ToolName.current): error: \($0)" }.joined(separator: "\n")
      .withoutCommands
  }

  private static func text(_ remedy: ManagedObjectError.Remedy) -> String {
    switch remedy {
    case .openingWithModel: "use --model with its model file, or --tables to read it without a model"
    case .openingWithoutWriting: "SQLite must be able to create files next to it, or use --immutable"
    }
  }
}

extension ManagedObjectError {
  /// True if SQLite could not open or write a file: `SQLITE_READONLY` or `SQLITE_CANTOPEN`.
  var isOfSQLiteFile: Bool { sqliteCode.map { [8, 14].contains($0 & 0xFF) } ?? false }
}

extension PropertyListError.Kind {
  /// True if the system reported an input or output error.
  fileprivate var isOfSystem: Bool { if case .inputOutput = self { true } else { false } }
}
