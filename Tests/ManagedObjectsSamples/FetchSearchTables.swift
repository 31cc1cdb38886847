/// Predicates and the objects of ``FetchSamples`` that they hold for, by the Predicate Programming Guide and the
/// guides to Core Data and key-value coding. A line is a predicate, an arrow, and the names; `all` is everybody.
package enum FetchSearchTables {
  static let people = #"""
    age = 30 → Ann Dan
    age == 30 → Ann Dan
    30 == age → Ann Dan
    age == 30.0 → Ann Dan
    age != 30 → Bob Ève Ida Leo
    age <> 30 → Bob Ève Ida Leo
    age > 30 → Ève Leo
    30 < age → Ève Leo
    age >= 30 → Ann Ève Dan Leo
    age => 30 → Ann Ève Dan Leo
    age < 30 → Bob
    age <= 30 → Ann Bob Dan
    age =< 30 → Ann Bob Dan
    age BETWEEN {25, 30} → Ann Bob Dan
    age BETWEEN {26, 29.5} → none
    NOT age BETWEEN {25, 30} → Ève Ida Leo
    age IN {25, 41} → Bob Ève
    age IN {} → none
    age IN {NULL, 52} → Ida Leo
    NOT (age IN {25, 41}) → Ann Dan Ida Leo
    age + 5 == 30 → Bob
    age - 1 == 40 → Ève
    age * 2 > 80 → Ève Leo
    age / 2 == 12 → Bob
    age / 2.0 == 12.5 → Bob
    modulus:by:(age, 2) == 1 → Bob Ève
    -age == -41 → Ève
    age ** 2 == 625 → Bob
    abs(-age) == 52 → Leo
    age + age == 60 → Ann Dan
    sqrt(age) == 5 → Bob
    bitwiseAnd:with:(age, 1) == 1 → Bob Ève
    bitwiseOr:with:(age, 1) == 31 → Ann Dan
    leftshift:by:(age, 1) == 50 → Bob
    onesComplement(age) == -26 → Bob
    age == nil → Ida
    age = NULL → Ida
    age != nil → Ann Bob Ève Dan Leo
    NOT age > 30 → Ann Bob Dan Ida
    age > NULL → none
    age + NULL == nil → all
    height == 1.7 → Ann Dan
    height > 1.7 → Bob Leo
    height == 2 → Leo
    height BETWEEN {1.6, 1.7} → Ann Dan Ida
    height == nil → Ève
    ceiling(height) == 2 → Ann Bob Dan Ida Leo
    floor(height) == 1 → Ann Bob Dan Ida
    trunc(height) == height → Ève Leo
    height * 10 == 20 → Leo
    balance == 12.5 → Ann
    balance < 0 → Bob
    balance == 0 → Ève
    balance >= 100 → Ida Leo
    balance == CAST('12.50', 'NSDecimalNumber') → Ann
    balance == CAST('-3.25', 'NSDecimalNumber') → Bob
    balance + CAST('0.1', 'NSDecimalNumber') == CAST('12.6', 'NSDecimalNumber') → Ann
    balance IN {0, 1000} → Ève Leo
    balance == nil → Dan
    abs(balance) > 3 → Ann Bob Ida Leo
    weight == 60.5 → Ann
    weight > 60.5 → Bob Leo
    weight == 80 → Bob
    weight == 90.25 → Leo
    weight == nil → Ève Dan Ida
    weight BETWEEN {80, 100} → Bob Leo
    weight > height → Ann Bob Leo
    weight > age → Ann Bob Leo
    visits == 9007199254740993 → Ann
    visits == 9007199254740992 → Bob
    visits > 9007199254740992.0 → Ann
    visits < 0 → Ève
    visits IN {0, 7, -1} → Ève Ida Leo
    member == YES → Ann Ève Ida
    member == TRUE → Ann Ève Ida
    member = 1 → Ann Ève Ida
    member == NO → Bob Dan Leo
    member != false → Ann Ève Ida
    NOT member == YES → Bob Dan Leo
    member == TRUE AND age > 30 → Ève
    TRUEPREDICATE → all
    FALSEPREDICATE → none
    NOT FALSEPREDICATE → all
    born == CAST(0, 'NSDate') → Ann
    born < CAST(0, 'NSDate') → Ève Leo
    born >= CAST(0, 'NSDate') → Ann Bob Ida
    born BETWEEN {CAST(-1000, 'NSDate'), CAST(0, 'NSDate')} → Ann Ève
    born IN {CAST(0, 'NSDate'), CAST(500, 'NSDate')} → Ann Ida
    born == nil → Dan
    born != CAST(0, 'NSDate') → Bob Ève Dan Ida Leo
    born < now() → Ann Bob Ève Ida Leo
    born.timeIntervalSinceReferenceDate == 500 → Ida
    CAST(born, 'NSNumber') > 400 → Bob Ida
    photo == CAST('AQID', 'NSData') → Ann
    photo != nil → Ann Bob
    photo.length == 0 → Bob
    photo.length > 0 → Ann
    token == CAST('E621E1F8-C36C-495A-93FC-0C247A3E6E5F', 'NSUUID') → Ann
    token == nil → Bob Ève Dan Ida Leo
    token.UUIDString BEGINSWITH 'E621' → Ann
    site == CAST('https://example.com/ann', 'NSURL') → Ann
    site.absoluteString ENDSWITH 'ann' → Ann
    site == nil → Bob Ève Dan Ida Leo
    extra != nil → Ann
    extra == CAST('Bw==', 'NSData') → Ann
    misc == 5 → Ann
    misc == 'five' → Bob
    misc == nil → Dan Ida Leo
    misc IN {5, 'five'} → Ann Bob
    name == 'Ann' → Ann
    name == "Ann" → Ann
    name = 'ann' → none
    name ==[c] 'ANN' → Ann
    name ==[d] 'Eve' → Ève
    name ==[cd] 'eve' → Ève
    name ==[cd] 'DÁN' → Dan
    name !=[cd] 'eve' → Ann Bob Dan Ida Leo
    name != 'Ann' → Bob Ève Dan Ida Leo
    name < 'B' → Ann
    name > 'Dan' → Ève Dan Ida Leo
    name >[c] 'Dan' → Ève Ida Leo
    name BETWEEN {'A', 'C'} → Ann Bob
    name BEGINSWITH 'A' → Ann
    name BEGINSWITH 'a' → none
    name BEGINSWITH[c] 'a' → Ann
    name BEGINSWITH[cd] 'e' → Ève
    name BEGINSWITH[c] 'D' → Dan
    name BEGINSWITH '' → all
    name ENDSWITH 'n' → Ann Dan
    name ENDSWITH[c] 'O' → Leo
    name ENDSWITH 've' → Ève
    name CONTAINS 'o' → Bob Leo
    name CONTAINS[c] 'A' → Ann Dan Ida
    name CONTAINS[d] 'E' → Ève
    name CONTAINS[cd] 'e' → Ève Leo
    'nn' IN name → Ann
    name IN 'Ann, Bob' → Ann Bob
    name IN {'Ann', 'Leo'} → Ann Leo
    name IN[c] {'ANN', 'LEO'} → Ann Leo
    name IN[cd] {'eve', 'DAN'} → Ève Dan
    NOT name IN {'Ann', 'Leo'} → Bob Ève Dan Ida
    name LIKE 'A*' → Ann
    name LIKE '*n' → Ann Dan
    name LIKE '?an' → Dan
    name LIKE '???' → all
    name LIKE '????' → none
    name LIKE[c] '*A*' → Ann Dan Ida
    name LIKE[cd] 'E?e' → Ève
    name LIKE 'B?b' → Bob
    nick LIKE '*\\*' → Ida
    nick LIKE '*' → Ann Ève Dan Ida
    name MATCHES 'A.*' → Ann
    name MATCHES 'A' → none
    name MATCHES '[A-D].*' → Ann Bob
    name MATCHES '(Ann|Leo)' → Ann Leo
    name MATCHES[c] '[a-d].*' → Ann Bob Dan
    name MATCHES '\\w{3}' → all
    name MATCHES '\\p{Lu}n+' → Ann
    nick == nil → Bob Leo
    nick != nil → Ann Ève Dan Ida
    nick BEGINSWITH name → none
    nick ==[c] name → none
    nick ==[cd] name → Ève
    nick CONTAINS[c] name → Ann Dan Ida
    NOT nick BEGINSWITH 'a' → Bob Ève Dan Ida Leo
    nick > 'E' → Ann Ève Ida
    length(name) == 3 → all
    name.length == 3 → all
    length(nick) > 4 → Ann Dan
    uppercase(name) == 'ANN' → Ann
    lowercase(nick) == 'eve' → Ève
    canonical(name) == 'eve' → Ève
    noindex(name) == 'Bob' → Bob
    CAST(age, 'NSString') == '30' → Ann Dan
    CAST(age, 'NSString') BEGINSWITH '5' → Leo
    age == 30 AND member == YES → Ann
    age == 30 && member == NO → Dan
    age == 25 OR age == 41 → Bob Ève
    age == 25 || age == 41 OR age == 52 → Bob Ève Leo
    NOT (age == 30 OR age == 25) → Ève Ida Leo
    !(age == 30) AND !(member == NO) → Ève Ida
    age == 25 OR age == 30 AND member == YES → Ann Bob
    (age == 25 OR age == 30) AND member == YES → Ann
    NOT age == 30 AND member == YES → Ève Ida
    NOT NOT age == 30 → Ann Dan
    boss == nil → Ève Leo
    boss != nil → Ann Bob Dan Ida
    boss.name == 'Leo' → Ann Bob Ida
    boss.name == nil → Ève Leo
    boss.name != 'Leo' → Ève Dan Leo
    boss.age > 40 → Ann Bob Ida
    boss.boss.name == 'Leo' → Dan
    boss.boss == nil → Ann Bob Ève Ida Leo
    boss.age > age → Ann Bob
    boss.age - age > 25 → Bob
    boss == boss.boss → Ève Leo
    boss.name CONTAINS[c] 'l' → Ann Bob Ida
    boss.born < born → Ann Bob Ida
    boss.reports.@count == 3 → Ann Bob Ida
    ANY boss.reports.name == 'dan' → Dan
    salary > 5000 → Leo
    salary == nil → Ann Bob Ève Dan
    salary != nil → Ida Leo
    office == 'Zürich' → Ida
    office BEGINSWITH[cd] 'zu' → Ida
    boss.salary == 9000 → Ann Bob Ida
    SELF.name == 'Ann' → Ann
    SELF['name'] == 'Bob' → Bob
    #name == 'Leo' → Leo
    FUNCTION(SELF, 'valueForKey:', 'name') == 'Ann' → Ann
    FUNCTION(SELF, 'valueForKeyPath:', 'boss.name') == 'Ann' → Dan
    SELF == SELF → all
    SELF != boss → all
    SELF IN boss.reports → Ann Bob Dan Ida
    SELF IN reports → none
    boss IN reports → none
    SELF == nil → none
    objectID == self → all
    notes.@count == 0 → Dan Leo
    notes.@count > 0 → Ann Bob Ève Ida
    notes.@count == 2 → Ann
    count(notes) == 1 → Bob Ève Ida
    notes[SIZE] == 2 → Ann
    reports.@count >= 1 → Ann Leo
    reports.reports.@count == 3 → Leo
    ANY notes.title == 'Plan 9' → Ann
    ANY notes.title BEGINSWITH[c] 'plan' → Ann Bob
    SOME notes.pages > 5 → Ann Ida
    ALL notes.pages > 1 → Ann Ève Dan Ida Leo
    ALL notes.title BEGINSWITH 'Plan' → Ann Dan Leo
    NONE notes.pages > 5 → Bob Ève Dan Leo
    NOT ANY notes.pages > 5 → Bob Ève Dan Leo
    NONE notes.text CONTAINS 'milk' → Ann Bob Dan Ida Leo
    ANY notes.text == nil → Ann
    ANY notes.rating == 4.5 → Ann Ida
    ANY notes.pages IN {1, 12} → Ann Bob
    ANY notes.pages BETWEEN {2, 3} → Ann Ève
    ANY notes.done == YES → Ève
    ANY notes.done == NO → Ida
    ANY notes.done == nil → Ann Bob
    ANY notes.due > CAST(0, 'NSDate') → Ida
    ANY notes.tags.name == 'swift' → Ann Ève
    ANY notes.tags.name IN {'mac', 'linux'} → Ann Bob
    ALL notes.tags.name == 'linux' → Bob Dan Ida Leo
    NONE notes.tags.name == 'linux' → Ève Dan Ida Leo
    ANY notes.tags == nil → none
    notes.title CONTAINS 'Plan 9' → Ann
    'Plan 9' IN notes.title → Ann
    notes.pages CONTAINS 7 → Ida
    notes.@sum.pages == 15 → Ann
    notes.@sum.pages == 0 → Dan Leo
    sum(notes.pages) > 5 → Ann Ida
    notes.@avg.pages == 7.5 → Ann
    average(notes.pages) == 7 → Ida
    notes.@max.pages == 12 → Ann
    notes.@min.pages == 3 → Ann
    notes.@max.pages == nil → Dan Leo
    max(notes.pages) >= 7 → Ann Ida
    min(notes.rating) == 3 → Ann
    notes.@max.title == 'Plan 9' → Ann
    notes.@max.date == CAST(200, 'NSDate') → Ann
    notes.@distinctUnionOfObjects.title[SIZE] == 2 → Ann
    reports.@distinctUnionOfObjects.age == {25, 30} → none
    reports.@unionOfObjects.age == {30, 25} → Leo
    SUBQUERY(notes, $n, $n.pages > 2).@count == 2 → Ann
    SUBQUERY(notes, $n, $n.pages > 2).@count > 0 → Ann Ida
    SUBQUERY(notes, $n, $n.pages > 2 AND $n.rating > 4).@count > 0 → Ann Ida
    SUBQUERY(notes, $n, $n.pages > 5 AND $n.rating > 4).@count > 0 → Ida
    SUBQUERY(notes, $n, $n.author == SELF).@count == notes.@count → all
    SUBQUERY(notes, $n, $n.author.age == age).@count > 0 → Ann Bob Ève Ida
    SUBQUERY(notes, $n, ANY $n.tags.name == 'mac').@count == 1 → Ann
    SUBQUERY(notes, $n, SUBQUERY($n.tags, $t, $t.name == 'swift').@count > 0).@count == 2 → Ann
    SUBQUERY(notes, $n, $n.title BEGINSWITH[c] 'plan').title CONTAINS 'plan b' → Bob
    count(SUBQUERY(reports, $r, $r.age > 26)) == 1 → Ann Leo
    ANY SUBQUERY(notes, $n, $n.pages > 2).rating > 4 → Ann Ida
    ANY groups.name == 'Chess' → Ann Bob Leo
    ANY groups.name ==[c] 'CHOIR' → Ève
    groups.@count == 0 → Dan Ida
    ANY groups.members.name == 'Leo' → Ann Bob Leo
    ANY groups.members.age > 40 → Ann Bob Ève Leo
    ANY groups.latitude > 48 → Ève
    ALL groups.latitude < 48 → Ann Bob Dan Ida Leo
    (notes UNION reports).@count == 3 → Ann Leo
    (boss.reports INTERSECT reports).@count == 0 → all
    (boss.reports MINUS {}).@count == 3 → Ann Bob Ida
    TERNARY(age > 30, 'old', 'young') == 'old' → Ève Leo
    TERNARY(boss == nil, 0, boss.age) == 52 → Ann Bob Ida
    ($limit := 30) == age → Ann Dan
    ($x := age) > 26 AND $x < 45 → Ann Ève Dan
    ANY ANYKEY == 'Leo' → Leo
    ANY ANYKEY == 30 → Ann Dan
    """#

  static let notes = #"""
    title == 'Plan 9' → n1
    title BEGINSWITH 'Plan' → n1 n2
    title BEGINSWITH[c] 'plan' → n1 n2 n3
    title ENDSWITH 'b' → n3 t2
    title LIKE 'Plan ?' → n1
    title LIKE 'Plan *' → n1 n2
    title LIKE "*'s list" → n4
    title MATCHES 'Plan \\d+' → n1 n2
    title MATCHES '.*[ë].*' → n4
    title CONTAINS[d] 'Zoe' → n4
    title CONTAINS "'" → n4
    text == '' → n4
    text == nil → n2
    text != '' → n1 n2 n3 t1 t2
    text CONTAINS 'é' → n1
    text CONTAINS[d] 'cafe' → n1
    text CONTAINS[cd] 'CAFÉ' → n1
    text CONTAINS[c] 'STRASSE' → n3
    text CONTAINS 'ss' → none
    text CONTAINS '%' → t2
    text CONTAINS '\n' → t1
    text ENDSWITH '?' → t2
    text LIKE '*\\?' → t2
    text LIKE '100%*' → t2
    text MATCHES '(?s).*bread' → t1
    text MATCHES '.*bread' → none
    length(text) == 0 → n4
    length(text) > 9 → n1 t1 t2
    pages > 2 → n1 n2 t2
    pages == nil → n4
    pages * rating > 30 → n2 t2
    pages BETWEEN {2, 7} → n1 t1 t2
    pages > rating → n2 t2
    rating == 4.5 → n1 t2
    rating >= 4.5 → n1 n4 t2
    rating == nil → n3
    rating IN {3, 5} → n2 n4
    floor(rating) == 4 → n1 t2
    date > CAST(300, 'NSDate') → n4 t1 t2
    date <= CAST(200, 'NSDate') → n1 n2
    author == nil → n4
    author != nil → n1 n2 n3 t1 t2
    author.name == 'Ann' → n1 n2
    author.name ==[cd] 'eve' → t1
    author.name == nil → n4
    author.name != 'Ann' → n3 n4 t1 t2
    author.age > 26 → n1 n2 t1
    author.age == nil → n4 t2
    author.member == YES AND pages > 2 → n1 n2 t2
    author.boss.name == 'Leo' → n1 n2 n3 t2
    author.boss.boss == nil → all
    author.notes.@count == 2 → n1 n2
    author.salary > 0 → t2
    author.born < date → n1 n2 t1 t2
    SELF IN author.notes → n1 n2 n3 t1 t2
    ANY author.notes.pages > 10 → n1 n2
    ANY author.groups.name == 'Chess' → n1 n2 n3
    tags.@count == 2 → n1 n2
    tags.@count == 0 → n4 t2
    ANY tags.name == 'swift' → n1 n2 t1
    ALL tags.name == 'swift' → n4 t1 t2
    NONE tags.name == 'swift' → n3 n4 t2
    ANY tags.name BEGINSWITH 'm' → n2
    ANY tags.name IN {'linux', 'mac'} → n1 n2 n3
    tags.name CONTAINS 'linux' → n1 n3
    SUBQUERY(tags, $t, $t.name IN {'swift', 'linux'}).@count == 2 → n1
    SUBQUERY(tags, $t, $t.notes.@count >= 2).@count == tags.@count → n1 n3 n4 t1 t2
    ANY tags.notes.author.name == 'Bob' → n1 n3
    links.@count > 0 → n1 n3 t1
    links[0].title == 'plan b' → error
    links[FIRST].title == 'plan b' → n1
    links[LAST].title == 'plan b' → t1
    links[SIZE] == 3 → t1
    links[FIRST] == nil → n2 n4 t2
    links[FIRST].links[FIRST].title == 'Plan 9' → n1
    links.title == {'plan b', 'Plan 10'} → n1
    links.title == {'Plan 10', 'plan b'} → none
    ANY links.author.name == 'Ida' → t1
    ALL links.pages < 5 → n2 n3 n4 t2
    links.@sum.pages == 13 → n1
    links.@avg.rating == 3 → t1
    links.@unionOfObjects.title[SIZE] == 3 → t1
    ANY links.links.title == 'Plan 10' → n3 t1
    SELF IN links → none
    done == YES → t1
    done == NO → t2
    done == nil → n1 n2 n3 n4
    due != nil → t2
    due > date → t2
    done == YES OR pages > 10 → n2 t1
    NOT done == YES → n1 n2 n3 n4 t2
    TERNARY(done == YES, 'done', title) == 'done' → t1
    """#

  static let groups = #"""
    members.@count == 0 → Empty
    members.@count == 3 → Chess
    ANY members.age > 50 → Chess
    ALL members.age > 26 → choir Empty
    ALL members.age >= 25 → Chess choir Empty
    members.@avg.age == 41 → choir
    members.@max.age == 52 → Chess
    members.@sum.age == 107 → Chess
    members.@min.height == 1.7 → Chess
    members.@max.balance == 1000 → Chess
    members.@sum.balance == CAST('1009.25', 'NSDecimalNumber') → Chess
    members.@max.born == CAST(1000, 'NSDate') → Chess
    members.name CONTAINS 'Leo' → Chess
    ANY members.notes.pages > 10 → Chess
    ANY members.notes.tags.name == 'linux' → Chess
    ANY members.salary > 0 → Chess
    ANY members.boss.name == 'Leo' → Chess
    SUBQUERY(members, $m, $m.boss IN members).@count == 2 → Chess
    SUBQUERY(members, $m, $m.notes.@count == 0).name CONTAINS 'Leo' → Chess
    latitude > 47 → Chess choir
    latitude == nil → Empty
    longitude BETWEEN {2, 3} → choir
    distanceToLocation:fromLocation:(SELF, {47.4, 8.5}) == 0 → Chess
    distanceToLocation:fromLocation:({latitude, longitude}, {48.9, 2.35}) < 1000 → choir
    distanceToLocation:fromLocation:({48.9, 2.35}, {47.4, 8.5}) > 400000 → Chess choir Empty
    name ==[c] 'chess' → Chess
    name BEGINSWITH[c] 'c' → Chess choir
    name BEGINSWITH 'c' → choir
    median(members.age) == 30 → Chess
    stddev(members.age) == 0 → choir
    mode(members.member)[FIRST] == NO → Chess
    """#

  static let tags = #"""
    notes.@count == 0 → web
    notes.@count > 1 → swift linux
    ANY notes.author.name == 'Ann' → swift linux mac
    ALL notes.author.name == 'Ann' → mac web
    notes.@sum.pages == 17 → swift
    ANY notes.done == YES → swift
    NONE notes.title BEGINSWITH[c] 'plan' → web
    ALL notes.title BEGINSWITH[c] 'plan' → linux mac web
    SUBQUERY(notes, $n, $n.author.age > 30).@count > 0 → swift
    ANY notes.links.author.name == 'Bob' → swift linux
    name IN {'mac', 'web'} → mac web
    name MATCHES '[a-l].*' → linux
    """#

  package struct Search: CustomStringConvertible {
    package let entity: String
    package let format: String
    package let names: String

    package var description: String { "\(entity): \(format)" }
  }

  package static let all =
    searches("Person", people, "Ann Bob Ève Dan Ida Leo") + searches("Note", notes, "n1 n2 n3 n4 t1 t2")
    + searches("Group", groups, "Chess choir Empty") + searches("Tag", tags, "swift linux mac web")

  private static func searches(_ entity: String, _ table: String, _ everybody: String) -> [Search] {
    table.split(separator: "\n").map { line in
      let parts = line.split(separator: " → ").map(String.init)
      let names = ["all": everybody, "none": ""][parts[1]] ?? parts[1]
      return Search(entity: entity, format: parts[0], names: names)
    }
  }
}
