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
     -insert keypath -type value   insert a value; an index at the end inserts before that element, or at the end
                                   -append appends to the array at the key path instead
     -replace keypath -type value  the same, in the place of the value that is there
     -remove keypath               remove the value at the key path
     -extract keypath fmt          write the value at the key path in a format; the formats of -convert, and raw
                                   -expect type makes it an error if the value is of another type
     -type keypath                 print the type of the value at the key path; -expect as with -extract
     -create fmt                   create an empty property list
     -p                            print the files for people; the form is no format

    A key path has keys and indices between dots, as in items.0.name; \\. is a dot in a key.

    Types of values:
     -bool YES|NO -integer N -float N -string TEXT -date 2001-01-01T00:00:00Z -data BASE64 -xml TEXT -json TEXT
     -array and -dictionary, which are empty and have no value behind them
    Types to expect, and that -type prints:
     bool integer float string date data array dictionary uid null

    Options:
     -s                            say nothing about success
     -o path                       write to path; - is standard output
     -e extension                  write beside each file, with this extension
     -r                            write JSON on many lines, with its keys sorted
     -n                            print no line end behind raw values and types
     -coerce                       in JSON and OpenStep, write what they have no form for, such as dates, so that it can
                                   be read back, and read it back
     --                            what follows are files

    Without -o and -e the files are replaced, each in one step; what is printed goes to standard output. Edits keep the
    format, the order of the keys, and in text formats comments and layout.

    Exit codes: 0 success; 1 anything else.

    Examples:
     plutil Info.plist
     plutil -convert json -r -o - Info.plist
     plutil -replace CFBundleVersion -string 43 Info.plist
     plutil -insert items.0 -json '{"name": "first"}' List.plist
     plutil -extract CFBundleIdentifier raw Info.plist
    """
}
