extension Plutil {
  static let help = """
    plutil: [command_option] [other_options] file...
    Apple's plutil for property lists in XML, binary, OpenStep and JSON. The file - is standard input.

    Commands; -lint is the default:
     -help                         print this and exit
     -lint                         check the syntax of the files
     -convert fmt                  rewrite the files in a format:
                                   xml1 binary1 json swift objc openstep gnustep strings
                                   objc -header writes a header too
     -insert keypath -type value   insert a value; with an index, before that element or at the end of the array
                                   -append appends to the array at the key path instead
     -replace keypath -type value  set the value at the key path, and replace an existing one
     -remove keypath               remove the value at the key path
     -extract keypath fmt          write the value at the key path in a format; the formats of -convert, and raw
                                   -expect type fails if the value is of another type
     -type keypath                 print the type of the value at the key path; -expect as with -extract
     -create fmt                   create an empty property list
     -p                            print the files in a readable form, which cannot be read back

    A key path is keys and indices with dots between them, as in items.0.name; \\. is a dot in a key.

    Types of values:
     -bool YES|NO -integer N -float N -string TEXT -date 2001-01-01T00:00:00Z -data BASE64 -xml TEXT -json TEXT
     -array and -dictionary, which are empty and take no value
    Types to expect, and that -type prints:
     bool integer float string date data array dictionary uid null

    Options:
     -s                            print nothing on success
     -o path                       write to path; - is standard output
     -e extension                  write next to each file, with this extension
     -r                            write JSON on many lines, with its keys sorted
     -n                            print no newline after raw values and types
     -coerce                       write values that JSON and OpenStep have no form for, such as dates, in a form that can
                                   be read back, and read that form
     --                            all arguments after this are files

    Without -o and -e, the files are replaced, each in one step; what is printed goes to standard output. Edits keep the
    format and the order of keys, and in text formats comments and layout.

    Exit codes: 0 success; 1 failure.

    Examples:
     plutil Info.plist
     plutil -convert json -r -o - Info.plist
     plutil -replace CFBundleVersion -string 43 Info.plist
     plutil -insert items.0 -json '{"name": "first"}' List.plist
     plutil -extract CFBundleIdentifier raw Info.plist
    """
}
