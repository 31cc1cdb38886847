extension PropertyList { public init(openStep text: String) throws(PropertyListError) { throw PropertyListError(.malformed, "") } }
