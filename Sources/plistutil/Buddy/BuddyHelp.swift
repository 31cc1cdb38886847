extension Buddy {
  static let usage = """
    Usage: PlistBuddy [-cxlh] <file.plist>
        -c "<command>" run a command and end; several are run in their order
        -x print values as XML
        -l refuse a path with a symbolic link in it
        -h print what the commands are

    """

  static let help = """
    Command Format:
        Help - Print this
        Exit - End; what was not saved is not in the file
        Save - Write the changes to the file
        Revert - Read the file again, without the changes since it was saved
        Clear [<Type>] - Take everything out, and begin with an empty root of Type, or a dict
        Print [<Entry>] - Print the value of Entry, or of the whole file
        Set <Entry> <Value> - Put Value in the place of the one at Entry, which keeps its type
        Add <Entry> <Type> [<Value>] - Put a new value at Entry
        Copy <EntrySrc> <EntryDst> - Put a copy of the value of EntrySrc at EntryDst
        Delete <Entry> - Take Entry out
        Merge [-r] <file.plist> [<Entry>] - Add what is in file.plist to Entry; with -r also inside
        Import <Entry> <file> - Put the bytes of file at Entry
        CD <Entry> - Have entries without a colon in front begin in Entry
    The names may be written in any case. Quit and Bye are Exit, ? is Help, ls is Print, = is Set, + is Add,
    cp is Copy; Remove, rm and - are Delete.

    Entry Format:
        The keys and indices on the way to a value, with colons before them. Indices begin with 0; at the end of an
        array, nothing after the colon stands for the element to add, or for the last one. \\: is a colon in a key.
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

    Words with blanks stand between quotation marks, " or '. \\n and \\t are the end of a line and a tab. A bool is
    true, yes or 1, and false otherwise; a date is like Mon Jan 01 00:00:00 UTC 2024, or 2024-01-01T00:00:00Z; data
    are the bytes of the value as it is written.

    With -c, the changes are saved at the end. A file keeps its format, the order of its keys, and in text formats
    comments and layout. A file that does not exist is made, in XML.

    Exit codes: 0 success; 1 anything else.

    Examples:
        PlistBuddy -c "Print :CFBundleIdentifier" Info.plist
        PlistBuddy -c "Set :CFBundleVersion 42" Info.plist
        PlistBuddy -c "Add :NSAppTransportSecurity:NSAllowsArbitraryLoads bool true" Info.plist
        PlistBuddy -c "Add :UIDeviceFamily: integer 6" -c "Delete :UIDeviceFamily:0" Info.plist
        PlistBuddy -x -c "Print :CFBundleDocumentTypes" Info.plist

    """
}
