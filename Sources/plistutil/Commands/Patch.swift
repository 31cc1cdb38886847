import ArgumentParser
import FoundationEssentials
import PropertyListTools
import PropertyLists
import ToolSupport

struct Patch: EditingVerb {
  static let configuration = CommandConfiguration(
    verb: "patch",
    abstract: "Apply the changes that diff --patch wrote.",
    discussion: """
      If a change does not fit, it is an error, and the file stays as it is: values to remove, replace or move must be \
      those of the patch, and keys to insert must not exist. Values that are not changed may differ.

      \(EditingHelp.text)

      Example: plistutil patch changes.plist --in-place Info.plist
      """)

  @Argument(file: "The patch, in any format.", "patch")
  var patch: String

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination

  @Flag(help: "Undo the changes.")
  var reverse = false

  func validate() throws {
    if patch == "-", files.haveStandardInput { throw Input.readTwice }
  }

  func run() throws {
    let input = Input(patch)
    let difference = try telling(about: input.name) { () throws(PropertyListError) in
      var options = reading.options
      options.restoresCoercedValues = true
      let data = try input.data()
      do throws(PropertyListError) {
        return try PropertyListDifference(patch: PropertyList(data, options: options))
      } catch {
        throw error.namingDuplicatesOption
      }
    }
    try edit { [difference = reverse ? difference.inverse : difference] document, options throws(PropertyListError) in
      let value = try difference.applied(to: PropertyList(document.root))
      return EditedBytes(try document.data(updatedTo: value, options: options))
    }
  }
}
