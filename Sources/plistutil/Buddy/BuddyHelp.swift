extension Buddy {
  static let usage = """
    Usage: PlistBuddy [-cxlh] <file.plist>
        -c "<command>" run a command and exit; several are run in order
        -x print values as XML
        -l refuse a path that contains a symbolic link
        -h print the help of the commands

    """

  static let help = """
    Command Format:
        Help - Print this help
        Exit - End the session without saving
        Save - Write the changes to the file
        Revert - Read the file again, and discard all changes since it was saved
        Clear [<Type>] - Remove everything; the new root is an empty Type, or a dict
        Print [<Entry>] - Print the value of Entry, or the whole file
        Set <Entry> <Value> - Set the existing Entry to Value; its type stays the same
        Add <Entry> <Type> [<Value>] - Add a new value at Entry
        Copy <EntrySrc> <EntryDst> - Copy the value of EntrySrc to EntryDst
        Delete <Entry> - Remove Entry
        Merge [-r] <file.plist> [<Entry>] - Add the entries of file.plist to Entry; with -r also in nested containers
        Import <Entry> <file> - Set Entry to the contents of file
        CD <Entry> - Look up entries that do not begin with a colon in Entry
    The names may be in any case. Quit and Bye are Exit, ? is Help, ls is Print, = is Set, + is Add,
    cp is Copy; Remove, rm and - are Delete.

    Entry Format:
        The keys and indices that lead to a value, each after a colon. Indices begin with 0. For an array, a colon at
        the end means the element to add, or else the last element. \\: is a colon in a key.
            :CFBundleShortVersionString
            :CFBundleDocumentTypes:2:CFBundleTypeExtensions

    Types:
        string
        array
        dict
        bool
        real
        integer
        date
        data

    Put words with blanks in quotation marks, " or '. \\n is a newline, and \\t a tab. A bool is true, yes or 1;
    anything else is false. A date is like Mon Jan 01 00:00:00 UTC 2024, or 2024-01-01T00:00:00Z. The bytes of data
    are those of the value as it is written.

    With -c, the changes are saved at the end. A file keeps its format and the order of its keys, and in text formats
    its comments and layout. A file that does not exist is created, in XML.

    Exit codes: 0 success; 1 failure.

    Examples:
        PlistBuddy -c "Print :CFBundleIdentifier" Info.plist
        PlistBuddy -c "Set :CFBundleVersion 42" Info.plist
        PlistBuddy -c "Add :NSAppTransportSecurity:NSAllowsArbitraryLoads bool true" Info.plist
        PlistBuddy -c "Add :UIDeviceFamily: integer 6" -c "Delete :UIDeviceFamily:0" Info.plist
        PlistBuddy -x -c "Print :CFBundleDocumentTypes" Info.plist

    """
}
