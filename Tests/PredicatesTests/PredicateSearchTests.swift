import FoundationEssentials
import Predicates
import PropertyLists
import Testing

@Suite("Predicates find what they describe") struct PredicateSearchTests {
  /// A predicate, and the letters of the people that match it.
  static let searches: [(String, String)] = [
    // Comparisons of numbers.
    ("age = 30", "ad"), ("age == 30", "ad"), ("age == 30.0", "ad"), ("30 == age", "ad"), ("age != 30", "bei"),
    ("age <> 30", "bei"), ("age > 30", "e"), ("age >= 30", "aed"), ("age => 30", "aed"), ("age < 30", "b"),
    ("age <= 30", "abd"), ("age =< 30", "abd"), ("age BETWEEN {25, 30}", "abd"), ("age BETWEEN {26, 29}", ""),
    ("age between {30, 30.0}", "ad"), ("NOT age BETWEEN {25, 30}", "ei"), ("age IN {25, 41}", "be"),
    ("age IN {}", ""), ("NOT age IN {25, 41}", "adi"), ("age IN {NULL, 25}", "bi"), ("score == 10", "e"),
    ("score == 0.1", "i"), ("score < 0", "d"), ("score > 3.2 AND score < 8", "ab"), ("score = 7.5", "a"),
    ("-score == 2", "d"), ("score == -2", "d"), ("score == 0x0A", "e"), ("age > score", "abed"),
    ("age + 10 == 40", "ad"), ("age - 5 == 25", "ad"), ("age * 2 == 50", "b"), ("age / 2 == 20", "e"),
    ("age / 2.0 == 20.5", "e"), ("modulus:by:(age, 2) == 1", "be"), ("age ** 2 == 625", "b"),
    ("score + 0.25 == 3.5", "b"), ("age + NULL == NULL", "abedi"), ("abs(score) == 2", "d"),
    ("ceiling(score) == 8", "a"), ("floor(score) == 7", "a"), ("trunc(score) == -2", "d"), ("sqrt(age) == 5", "b"),
    // Null.
    ("age == nil", "i"), ("age == NULL", "i"), ("age != NULL", "abed"), ("city = nil", "d"), ("NOT city = nil", "abei"),
    ("nothing == nil", "abedi"), ("nothing.deeper == nil", "abedi"), ("address.zip == nil", "edi"),
    ("city != 'x'", "abedi"), ("NOT city BEGINSWITH 'x'", "abedi"), ("city LIKE '*'", "abei"), ("age < 1000", "abed"),
    ("age >= NULL", ""), ("age <= nil", ""), ("age BETWEEN {nil, 30}", ""), ("NULL == nil", "abedi"),
    ("age IN nil", ""), ("nick CONTAINS nil", ""), ("city MATCHES '.*'", "abei"),
    // Booleans.
    ("active == TRUE", "aei"), ("active == YES", "aei"), ("active = 1", "aei"), ("active == false", "bd"),
    ("active == NO", "bd"), ("active != YES", "bd"), ("TRUEPREDICATE", "abedi"), ("FALSEPREDICATE", ""),
    ("NOT FALSEPREDICATE", "abedi"),
    // Strings.
    ("name == 'Ann'", "a"), ("name == \"Ann\"", "a"), ("name == 'ann'", ""), ("name ==[c] 'ANN'", "a"),
    ("name ==[d] 'Eve'", "e"), ("name ==[cd] 'eve'", "e"), ("name !=[cd] 'EVE'", "abdi"), ("name < 'B'", "a"),
    ("name > 'Dan'", "ei"), ("name BETWEEN {'A', 'C'}", "ab"), ("name <[c] 'b'", "a"), ("name >=[cd] 'eve'", "ei"),
    ("name BEGINSWITH 'A'", "a"), ("name BEGINSWITH 'a'", ""), ("name BEGINSWITH[c] 'a'", "a"),
    ("name beginswith[d] 'E'", "e"), ("name BEGINSWITH[cd] 'e'", "e"), ("name BEGINSWITH ''", "abedi"),
    ("name ENDSWITH 'n'", "ad"), ("email ENDSWITH '.com'", "aed"), ("email ENDSWITH[c] '.ORG'", "b"),
    ("email CONTAINS 'example'", "aedi"), ("email CONTAINS[c] 'example'", "abedi"), ("email CONTAINS 'mail.'", "d"),
    ("city CONTAINS 'ü'", "a"), ("city CONTAINS 'u\u{308}'", "a"), ("city CONTAINS 'u'", "bi"),
    ("city CONTAINS[d] 'u'", "abi"), ("city CONTAINS[cd] 'SAO'", "b"), ("city ENDSWITH[c] 'STRASSE'", "e"),
    ("city CONTAINS 'ss'", ""), ("city CONTAINS[c] 'ss'", "e"), ("city ==[c] 'ISTANBUL'", "i"),
    ("'nn' IN name", "a"), ("name IN 'Ann Dan'", "ad"), ("name IN[c] 'ANN DAN'", "ad"),
    ("name IN {'Ann', 'Dan'}", "ad"), ("name IN[cd] {'ANN', 'EVE'}", "ae"), ("name CONTAINS name", "abedi"),
    ("name LIKE 'A*'", "a"), ("name LIKE '*n'", "ad"), ("name LIKE '?an'", "d"), ("name LIKE '???'", "abedi"),
    ("name LIKE '????'", ""), ("name LIKE 'B?b'", "b"), ("name LIKE[c] 'b*B'", "b"), ("name LIKE[cd] 'e*e'", "e"),
    ("email LIKE '*@*.*.*'", "d"), ("name LIKE '*'", "abedi"), ("name LIKE ''", ""), ("city LIKE '*ü*'", "a"),
    ("name MATCHES 'A.*'", "a"), ("name MATCHES 'A'", ""), ("name MATCHES '[A-D].n'", "ad"),
    ("name MATCHES[c] 'ann|bob'", "ab"), ("email MATCHES '[a-z]+@[a-z]+\\.com'", "ae"),
    ("email MATCHES '\\w+@(\\w+\\.)+(com|net)'", "aedi"), ("name MATCHES[d] 'Eve'", "e"),
    ("name MATCHES '(?i)DAN'", "d"), ("city MATCHES '\\p{Lu}\\p{L}+'", "a"), ("address.zip MATCHES '\\d{4}'", "a"),
    ("address.zip MATCHES '\\d{4,5}'", "ab"), ("length(name) == 3", "abedi"), ("name.length == 3", "abedi"),
    ("length(city) > 8", "be"), ("uppercase(name) == 'ANN'", "a"), ("lowercase(email) ENDSWITH 'org'", "b"),
    ("canonical(name) == 'eve'", "e"), ("nick == 'bobby'", "b"), ("noindex(nick) == 'annie'", "a"),
    // Compounds.
    ("age == 30 AND active == YES", "a"), ("age == 30 && active == YES", "a"), ("age == 25 OR age == 41", "be"),
    ("age == 25 || age == 41", "be"), ("NOT age == 30", "bei"), ("! age == 30", "bei"), ("!(age == 30)", "bei"),
    ("age == 25 OR age == 30 AND active == NO", "bd"), ("(age == 25 OR age == 30) AND active == NO", "bd"),
    ("(age == 41 OR age == 30) AND active == NO", "d"), ("NOT age == 30 AND active == YES", "ei"),
    ("NOT (age == 30 AND active == YES)", "bedi"), ("NOT NOT age == 30", "ad"),
    ("age = 25 or age = 30 and active = no or name = 'Ida'", "bdi"),
    // Key paths.
    ("address.zip == '8001'", "a"), ("address.street BEGINSWITH 'Elm'", "b"), ("SELF.name == 'Ann'", "a"),
    ("SELF['name'] == 'Bob'", "b"), ("address['zip'] == '8001'", "a"), ("#name == 'Ann'", "a"),
    ("#\"name\" == 'Ann'", "a"), ("FUNCTION(SELF, 'valueForKey:', 'name') == 'Ann'", "a"),
    ("FUNCTION(SELF, 'valueForKeyPath:', 'address.zip') == '8001'", "a"),
    // Dates.
    ("born > CAST(0, 'NSDate')", "b"), ("born >= CAST(0, 'NSDate')", "ab"), ("born == CAST(0.0, \"NSDate\")", "a"),
    ("born < CAST(0, 'NSDate')", "e"), ("born < now()", "abe"), ("CAST(born, 'NSNumber') == 1000", "b"),
    ("born BETWEEN {CAST(-1000, 'NSDate'), CAST(0, 'NSDate')}", "ae"),
    ("born.timeIntervalSinceReferenceDate == -1000", "e"),
    // Collections.
    ("tags CONTAINS 'swift'", "ad"), ("'mac' IN tags", "bd"), ("tags CONTAINS 'Swift'", ""),
    ("tags CONTAINS[c] 'SWIFT'", "ad"), ("ANY tags == 'swift'", "ad"), ("SOME tags == 'swift'", "ad"),
    ("ANY tags BEGINSWITH 'l'", "ai"), ("ALL tags == 'linux'", "ei"), ("ALL tags CONTAINS 'i'", "aei"),
    ("NONE tags == 'swift'", "bei"), ("NOT ANY tags == 'swift'", "bei"), ("ANY tags IN {'web', 'linux'}", "adi"),
    ("ANY tags LIKE 's*t'", "ad"), ("tags.@count == 0", "e"), ("tags.@count > 1", "ad"), ("count(tags) == 1", "bi"),
    ("tags[SIZE] == 2", "a"), ("tags[FIRST] == 'swift'", "ad"), ("tags[LAST] == 'web'", "d"),
    ("tags[FIRST] == nil", "e"), ("tags == {'swift', 'linux'}", "a"), ("tags == {'linux', 'swift'}", ""),
    ("CAST(tags, 'NSSet') == CAST({'linux', 'swift'}, 'NSSet')", "a"), ("tags == {}", "e"), ("tags != {}", "abdi"),
    ("(tags UNION {'mac'}).@count == 1", "be"), ("(tags INTERSECT {'swift', 'web'}).@count == 2", "d"),
    ("(tags MINUS {'swift'}).@count == 1", "abi"), ("tags.length[FIRST] == 5", "adi"),
    // To-many paths.
    ("ANY pets.name == 'Rex'", "ad"), ("ANY pets.age > 4", "ad"), ("ALL pets.age > 4", "bd"),
    ("NONE pets.kind == 'dog'", "bed"), ("pets.@count == 0", "b"), ("pets.@sum.age == 8", "a"),
    ("pets.@avg.age == 4", "a"), ("pets.@max.age == 9", "d"), ("pets.@min.age == 3", "ai"),
    ("pets.@max.age == nil", "b"), ("pets.@sum.age == 0", "b"), ("pets.@unionOfObjects.name == {'Rex', 'Tom'}", "a"),
    ("pets.@distinctUnionOfObjects.kind.@count > 1", "error"), ("pets.name == {'Rex'}", "d"),
    ("pets.name CONTAINS 'Rex'", "ad"), ("ANY pets.toys == 'ball'", "ai"), ("ANY pets.toys == nil", "aed"),
    ("ANY pets.age BETWEEN {4, 6}", "a"), ("sum(pets.age) == 8", "a"), ("average(pets.age) == 4", "a"),
    ("max(pets.age) == 9", "d"), ("min(pets.age) == 1", "e"), ("count(pets) > 0", "aedi"),
    ("median(pets.age) == 4", "a"), ("stddev(pets.age) == 1", "a"), ("ANY pets.name ==[cd] 'omer'", "e"),
    ("SUBQUERY(pets, $p, $p.age > 2).@count == 2", "a"), ("SUBQUERY(pets, $p, $p.age > 2).@count > 0", "adi"),
    ("SUBQUERY(pets, $p, $p.kind == 'cat' AND $p.name == 'Rex').@count > 0", "d"),
    ("SUBQUERY(pets, $p, $p.kind == 'dog').name CONTAINS 'Rex'", "a"),
    ("count(SUBQUERY(pets, $p, ANY $p.toys == 'ball')) == 1", "ai"),
    ("SUBQUERY(nothing, $x, $x == 1).@count == 0", "abedi"),
    ("SUBQUERY(pets, $p, $p.name BEGINSWITH name).@count == 0", "abedi"),
    ("SUBQUERY(pets, $p, SUBQUERY($p.toys, $t, $t == 'bone').@count > 0).@count > 0", "i"),
    ("ANYKEY == 'Ann'", ""), ("ANY ANYKEY == 'Ann'", "a"),
    // Others.
    ("TERNARY(active == YES, 'on', 'off') == 'on'", "aei"), ("TERNARY(age == nil, 0, age) < 30", "bi"),
    ("($limit := 30) == age", "ad"), ("($x := age) > 26 AND $x < 35", "ad"),
    ("CAST(age, 'NSString') BEGINSWITH '3'", "ad"),
    ("CAST(score, 'NSDecimalNumber') == CAST('0.1', 'NSDecimalNumber')", "i"),
    ("score == CAST('0.1', 'NSDecimalNumber')", ""), ("score == CAST('7.5', 'NSDecimalNumber')", "a"),
  ]

  @Test(arguments: searches) func `objects that meet a predicate are found`(
    _ search: (format: String, expected: String)
  ) throws {
    if search.expected == "error" {
      #expect(throws: ManagedPredicateError.self) { try PredicateSamples.found(search.format) }
    } else {
      #expect(try PredicateSamples.found(search.format) == search.expected, "\(search.format)")
    }
  }

  /// Predicates of constants only.
  static let facts: [(String, Bool)] = [
    // Exact numbers.
    ("9007199254740993 == 9007199254740992.0", false), ("9007199254740993 > 9007199254740992.0", true),
    ("9223372036854775807 < 9223372036854775808.0", true), ("-9223372036854775808 == -9223372036854775808.0", true),
    ("18446744073709551615 > 9223372036854775807", true), ("18446744073709551615 == 18446744073709551615.0", false),
    ("CAST('0.1', 'NSDecimalNumber') == 0.1", false), ("CAST('0.1', 'NSDecimalNumber') < 0.1", true),
    ("CAST('0.5', 'NSDecimalNumber') == 0.5", true), ("CAST('1e3', 'NSDecimalNumber') == 1000", true),
    ("CAST('1.50', 'NSDecimalNumber') == CAST('1.5', 'NSDecimalNumber')", true), ("TRUE == 1", true),
    ("TRUE == 2", false),
    ("0.0 == -0.0", true), ("1 == 1.0000000000000002", false),
    ("CAST('nan','NSNumber') == CAST('nan','NSNumber')", true),
    ("CAST('nan','NSNumber') < CAST('-inf','NSNumber')", true), ("CAST('inf','NSNumber') > 1e308", true),
    ("1 IN {1.0, 2.0}", true), ("CAST('2', 'NSDecimalNumber') IN {1, 2.0}", true),
    ("0.5 IN {CAST('0.5','NSDecimalNumber')}", true), ("CAST('12', 'NSNumber') + 1 == 13", true),
    ("CAST('-1.5e1', 'NSNumber') == -15", true),
    // Dates.
    ("CAST('2001-01-01', 'NSDate') == CAST(0, 'NSDate')", true),
    ("CAST('2001-01-01T00:00:00Z', 'NSDate') == CAST(0, 'NSDate')", true),
    ("CAST('2001-01-01T01:30:00+01:30', 'NSDate') == CAST(0, 'NSDate')", true),
    ("CAST('2000-12-31T19:00:00-0500', 'NSDate') == CAST(0, 'NSDate')", true),
    ("CAST('2001-01-01T02:00:00.25+02', 'NSDate') == CAST(0.25, 'NSDate')", true),
    ("CAST('1999-12-31T23:59:59.5Z', 'NSDate') < CAST('2000-01-01', 'NSDate')", true),
    ("CAST(CAST('2026-01-31', 'NSDate'), 'NSNumber') == 791510400", true),
    // Arithmetic.
    ("1 + 2 * 3 == 7", true), ("(1 + 2) * 3 == 9", true), ("2 * 3 ** 2 == 18", true), ("10 - 4 - 3 == 3", true),
    ("100 / 10 / 5 == 2", true), ("7 / 2 == 3", true), ("-7 / 2 == -3", true), ("7 / 2.0 == 3.5", true),
    ("2 - -3 == 5", true), ("-(2 + 3) == -5", true), ("--2 == 2", true), ("2 ** 10 == 1024", true),
    ("2 ** -1 == 0.5", true), ("2 ** 0.5 > 1.41", true), ("(-2) ** 3 == -8", true), ("-2 ** 2 == 4", true),
    ("9223372036854775807 + 1 == 9223372036854775808", true), ("9223372036854775807 * 9223372036854775807 > 0", true),
    ("add:to:(1, 2) == 3", true), ("from:subtract:(5, 2) == 3", true), ("multiply:by:(3, 4) == 12", true),
    ("divide:by:(9, 3) == 3", true), ("modulus:by:(9, 4) == 1", true), ("modulus:by:(-9, 4) == -1", true),
    ("raise:toPower:(2, 3) == 8", true), ("bitwiseAnd:with:(6, 3) == 2", true), ("bitwiseOr:with:(6, 3) == 7", true),
    ("6 & 3 == 2", true), ("6 | 3 == 7", true), ("6 ^ 3 == 5", true), ("5 == 1 | 4", true), ("8 | 6 & 3 == 10", true),
    ("8 ^ 12 & 4 == 12", true), ("1 | 2 ^ 2 == 1", true), ("1 + 1 & 2 == 2", true), ("(1 | 4) & 5 == 5", true),
    ("6&3==2 AND 4|1!=4", true), ("6 & 3 == 2 && 6 | 3 == 7 || 1 == 2", true), ("-1 & 0xFF == 255", true),
    ("bitwiseXor:with:(6, 3) == 5", true), ("leftshift:by:(1, 4) == 16", true), ("rightshift:by:(16, 4) == 1", true),
    ("onesComplement(0) == -1", true), ("sqrt(9) == 3", true), ("log(1000) == 3", true), ("ln(1) == 0", true),
    ("exp(0) == 1", true), ("ceiling(1.2) == 2", true), ("floor(-1.2) == -2", true), ("trunc(-1.7) == -1", true),
    ("abs(-3) == 3", true), ("abs(-3.5) == 3.5", true), ("ceiling(CAST('1.01','NSDecimalNumber')) == 2", true),
    ("floor(CAST('-1.01','NSDecimalNumber')) == -2", true), ("random() < 1", true), ("random(5) < 5", true),
    ("CAST('0.1','NSDecimalNumber') + CAST('0.2','NSDecimalNumber') == CAST('0.3','NSDecimalNumber')", true),
    ("0.1 + 0.2 == 0.3", false), ("nil + 1 == nil", true),
    // Aggregates.
    ("sum({1, 2, 3}) == 6", true), ("sum(1, 2, 3) == 6", true), ("count({1, 2}) == 2", true), ("count({}) == 0", true),
    ("min({3, 1, 2}) == 1", true), ("max({3, 1, 2}) == 3", true), ("average({1, 2}) == 1.5", true),
    ("average({}) == 0", true), ("median({5, 1, 3}) == 3", true), ("median({1, 2, 3, 4}) == 2.5", true),
    ("mode({1, 2, 2, 3}) == {2}", true), ("stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2", true),
    ("sum({1, nil, 2}) == 3", true),
    ("max({}) == nil", true), ("{1, 2, 3}[1] == 2", true), ("{1, 2}[FIRST] == 1", true), ("{1, 2}[LAST] == 2", true),
    ("{1, 2, 3}[SIZE] == 3", true), ("{1, 2}.@sum.self == 3", true), ("{1, 2}.@max.self == 2", true),
    ("ANY {1, 2} == 2", true), ("ALL {1, 2} < 3", true), ("ALL {1, 2} < 2", false), ("ANY {} == 1", false),
    ("ALL {} == 1", true), ("ANY nil == 1", false), ("NONE {1, 2} == 3", true),
    ("SUBQUERY({1, 2, 3}, $x, $x > 1) == {2, 3}", true), ("SUBQUERY({1, 2, 3}, $x, $x > $x).@count == 0", true),
    ("{1, 2} UNION {2, 3} == CAST({1, 2, 3}, 'NSSet')", true), ("{1, 2} INTERSECT {2, 3} == CAST({2}, 'NSSet')", true),
    ("{1, 2} MINUS {2, 3} == CAST({1}, 'NSSet')", true), ("CAST({'a', 1}, 'NSDictionary')['a'] == 1", true),
    ("CAST({'a', 1}, 'NSDictionary').a == 1", true),
    // Unicode.
    ("'é' == 'e\u{301}'", true), ("'é' == 'e'", false), ("'É' ==[c] 'é'", true), ("'É' ==[d] 'E'", true),
    ("'É' ==[cd] 'e'", true), ("'ß' ==[c] 'SS'", true), ("'ß' == 'ss'", false), ("'ẞ' ==[c] 'ß'", true),
    ("'ﬁ' ==[c] 'FI'", true), ("'ς' ==[c] 'Σ'", true), ("'σ' ==[c] 'ς'", true), ("'I' ==[c] 'i'", true),
    ("'ı' ==[c] 'i'", false), ("'ı' ==[c] 'I'", false), ("'İ' ==[c] 'i'", false), ("'İ' ==[cd] 'i'", true),
    ("'한' == '\u{1112}\u{1161}\u{11AB}'", true), ("'한' CONTAINS '하'", false), ("'한국' BEGINSWITH '한'", true),
    ("'Åse' BEGINSWITH 'A'", false), ("'Åse' BEGINSWITH[d] 'A'", true), ("'naïve' LIKE 'na?ve'", true),
    ("'nai\u{308}ve' LIKE 'na?ve'", true), ("'👨‍👩‍👧' LIKE '?'", true), ("'ø' ==[d] 'o'", false),
    ("'e\u{301}' CONTAINS '\u{301}'", false),
    ("'µ' ==[c] 'Μ'", true), ("'straße' CONTAINS[c] 'S'", true), ("'ß' BEGINSWITH[c] 's'", false),
    ("'a' <[c] 'B'", true),
    ("'a' < 'B'", false), ("'é' ==[n] 'e\u{301}'", false), ("'A' ==[cn] 'a'", false), ("'A' ==[cl] 'a'", true),
    ("'école' <[l] 'Zoo'", true), ("'école' < 'Zoo'", false), ("'A' <[l] 'a'", true), ("'A' <[cl] 'a'", false),
    ("'b' BETWEEN[c] {'A', 'C'}", true), ("'b' BETWEEN {'A', 'C'}", false),
    ("'' CONTAINS ''", true), ("'' LIKE '*'", true), ("'' LIKE '?'", false), ("'a*b' LIKE 'a\\\\*b'", true),
    ("'axb' LIKE 'a\\\\*b'", false), ("'a\r\nb' CONTAINS '\n'", true), ("'é\r\nb' CONTAINS '\n'", true),
    // Regular expressions.
    ("'abc' MATCHES 'a.c'", true), ("'abc' MATCHES 'ab'", false), ("'' MATCHES ''", true),
    ("'aaa' MATCHES 'a{3}'", true),
    ("'aaa' MATCHES 'a{4,}'", false), ("'aaa' MATCHES 'a{1,2}'", false), ("'aaa' MATCHES 'a+?'", true),
    ("'a\nb' MATCHES 'a.b'", false), ("'a\nb' MATCHES '(?s)a.b'", true), ("'é' LIKE 'e*'", false),
    ("'A' MATCHES '(?i)[^a]'", false), ("'ABC' MATCHES '(?i)abc'", true),
    ("'ABC' MATCHES '(?i:ab)C'", true), ("'ABc' MATCHES '(?i:ab)C'", false), ("'x1' MATCHES '[^\\\\d]\\\\d'", true),
    ("'é' MATCHES '\\\\w'", true), ("'é' MATCHES '[a-z]'", false), ("'٣' MATCHES '\\\\d'", true),
    ("'b' MATCHES '[a-z&&[^aeiou]]'", true),
    ("'a' MATCHES '[a-z&&[^aeiou]]'", false), ("'b' MATCHES '[a-z--[aeiou]]'", true), ("'-' MATCHES '[a-]'", true),
    ("']' MATCHES '[]]'", true), ("'a.b' MATCHES '\\\\Qa.b\\\\E'", true), ("'axb' MATCHES '\\\\Qa.b\\\\E'", false),
    ("'foo bar' MATCHES '\\\\bfoo\\\\b.*'", true), ("'A' MATCHES '\\\\x41'", true), ("'A' MATCHES '\\\\x{41}'", true),
    ("'A' MATCHES '\\\\u0041'", true), ("'😀' MATCHES '\\\\uD83D\\\\uDE00'", true), ("'a' MATCHES '[[:alpha:]]'", true),
    ("'1' MATCHES '[[:alpha:]]'", false), ("'ab' MATCHES '^ab$'", true), ("'ab' MATCHES 'a|ab'", true),
    ("'ab' MATCHES '(?x) a b # both'", true), ("'a' MATCHES '\\\\P{Lu}'", true), ("'abab' MATCHES '(?:ab)*'", true),
    ("'abab' MATCHES '(?<pair>ab){2}'", true), ("'\r\n' MATCHES '\\\\R'", true), ("'É' MATCHES[c] 'é'", true),
    // Type identifiers, casts, distances.
    ("'public.jpeg' UTI-CONFORMS-TO 'public.image'", true), ("'public.jpeg' UTI-CONFORMS-TO 'public.data'", true),
    ("'public.image' UTI-CONFORMS-TO 'public.jpeg'", false), ("'public.JPEG' UTI-EQUALS 'public.jpeg'", true),
    ("nil UTI-EQUALS 'public.jpeg'", false), ("CAST('12', 'NSNumber') == 12", true),
    ("CAST(12, 'NSString') == '12'", true),
    ("CAST(nil, 'NSString') == nil", true), ("CAST('QUJD', 'NSData') == CAST('QUJD', 'NSData')", true),
    (
      "CAST('00000000-0000-0000-0000-000000000001', 'NSUUID') == CAST('00000000-0000-0000-0000-000000000002', 'NSUUID')",
      false
    ),
    ("CAST('http://a.b/', 'NSURL').absoluteString == 'http://a.b/'", true), ("1 == '1'", false), ("1 != '1'", true),
    ("distanceToLocation:fromLocation:({0, 0}, {0, 1}) BETWEEN {111000, 112000}", true),
    ("distanceToLocation:fromLocation:({10, 20}, {10, 20}) == 0", true), ("length('😀') == 2", true),
    ("'abc'.length == 3", true), ("1.5e3 == 1500", true), (".5 == 0.5", true),
  ]

  @Test(arguments: facts) func `predicates of constants are evaluated`(_ fact: (format: String, expected: Bool)) throws
  {
    #expect(
      try ManagedPredicate(format: fact.format).evaluate(with: AttributeValue.null) == fact.expected, "\(fact.format)")
  }

  /// Predicates that cannot be evaluated, and their errors.
  static let failures: [(String, ManagedPredicateError.Kind)] = [
    ("1 / 0 == 1", .arithmetic), ("1.0 / 0 == 1", .arithmetic), ("modulus:by:(1, 0) == 1", .arithmetic),
    ("1e308 * 10 == 1", .arithmetic), ("sqrt(-1) == 1", .arithmetic), ("ln(0) == 1", .arithmetic),
    ("1 < 'a'", .typeMismatch), ("'a' > 1", .typeMismatch), ("1 BETWEEN {'a', 'b'}", .typeMismatch),
    ("1 BETWEEN {1}", .typeMismatch), ("1 BEGINSWITH 'a'", .typeMismatch), ("'a' BEGINSWITH 1", .typeMismatch),
    ("1 LIKE '*'", .typeMismatch), ("1 MATCHES '.*'", .typeMismatch), ("1 CONTAINS 1", .typeMismatch),
    ("1 IN 2", .typeMismatch), ("ANY 1 == 1", .typeMismatch), ("'a' + 1 == 2", .typeMismatch),
    ("uppercase(1) == 'A'", .typeMismatch), ("sum({'a'}) == 1", .typeMismatch), ("{1, 2} < 3", .typeMismatch),
    ("CAST('x', 'NSDate') == nil", .typeMismatch), ("SUBQUERY(1, $x, $x == 1).@count == 1", .typeMismatch),
    ("{1}[1] == 1", .indexOutOfRange), ("{1}[-1] == 1", .indexOutOfRange), ("$x == 1", .unboundVariable),
    ("1.nothing == 1", .unknownKey), ("{1}.@nothing == 1", .unsupported), ("CAST(1, 'Nothing') == 1", .unsupported),
    ("FUNCTION('a', 'uppercaseString') == 'A'", .unsupported), ("FETCH(1, 2, YES) == 1", .unsupported),
    ("'a' MATCHES '('", .pattern), ("'a' MATCHES ')'", .pattern), ("'a' MATCHES '['", .pattern),
    ("'a' MATCHES '*'", .pattern), ("'a' MATCHES 'a++'", .pattern), ("'a' MATCHES '(?=a)a'", .pattern),
    ("'a' MATCHES '(a)\\\\1'", .pattern), ("'a' MATCHES '(?>a)'", .pattern), ("'a' MATCHES 'a{2,1}'", .pattern),
    ("'a' MATCHES '\\\\p{Nothing}'", .pattern), ("'a' MATCHES '\\\\'", .pattern), ("'a' MATCHES '[z-a]'", .pattern),
    ("'a' MATCHES '((a{1,1000}){1,1000}){1,1000}'", .tooMuchWork), ("'a' MATCHES 'a{1000000}'", .tooMuchWork),
  ]

  @Test(arguments: failures)
  func `a predicate that cannot be evaluated is an error`(_ failure: (format: String, kind: ManagedPredicateError.Kind))
    throws
  {
    let predicate = try ManagedPredicate(format: failure.format)
    let error = #expect(throws: ManagedPredicateError.self, "\(failure.format)") {
      try predicate.evaluate(with: AttributeValue.integer(1))
    }
    #expect(error?.kind == failure.kind, "\(failure.format): \(String(describing: error))")
  }

  @Test func `arguments replace placeholders`() throws {
    #expect(try PredicateSamples.found("%K == %@", ["name", "Ann"]) == "a")
    #expect(try PredicateSamples.found("%K == %d", ["age", 30]) == "ad")
    #expect(try PredicateSamples.found("score > %f", [3.0]) == "abe")
    #expect(try PredicateSamples.found("%K.%K == '8001'", ["address", "zip"]) == "a")
    #expect(try PredicateSamples.found("address.%K == '8001'", ["zip"]) == "a")
    #expect(try PredicateSamples.found("%K == '8001'", ["address.zip"]) == "a")
    #expect(try PredicateSamples.found("name IN %@", [["Ann", "Dan"]]) == "ad")
    #expect(try PredicateSamples.found("name IN %@", [Set(["Ann", "Dan"])]) == "ad")
    #expect(try PredicateSamples.found("age == %@", [Int?.none]) == "i")
    #expect(try PredicateSamples.found("born == %@", [Date(timeIntervalSinceReferenceDate: 0)]) == "a")
    #expect(try PredicateSamples.found("name == '%@' OR age == %ld", [25]) == "b")
    #expect(try PredicateSamples.found("age BETWEEN %@", [[25, 30]]) == "abd")
    let template = try ManagedPredicate(format: "age BETWEEN $range AND SUBQUERY(tags, $t, $t == $tag).@count > 0")
    let prepared = try PreparedPredicate(template, variables: ["range": [20, 30], "tag": "mac", "t": "no"])
    #expect(try PredicateSamples.people.map { try prepared.evaluate(with: $0) } == [false, true, false, true, false])
    #expect(try ManagedPredicate(format: "length >= 2").evaluate(with: AttributeValue.string("ab")))
    #expect(try ManagedPredicate(format: "a > 1 AND b == nil").evaluate(with: ["a": AttributeValue.integer(2)]))
  }
}
