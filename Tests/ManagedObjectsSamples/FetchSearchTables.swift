/// Predicates, and the objects of ``FetchSamples`` that match them, by the Predicate Programming Guide and the guides
/// to Core Data and key-value coding. Each line has the names, `all` or `none`, and the predicates.
package enum FetchSearchTables {
  static let people = #"""
    Ann Dan: age = 30 ; age == 30 ; 30 == age ; age == 30.0 ; age + age == 60 ; bitwiseOr:with:(age, 1) == 31
    Ann Dan: height == 1.7
    Bob Ève Ida Leo: age != 30 ; age <> 30
    Ève Leo: age > 30 ; 30 < age ; age * 2 > 80 ; trunc(height) == height ; balance IN {0, 1000}
    Ann Ève Dan Leo: age >= 30 ; age => 30
    Bob: age < 30 ; age + 5 == 30 ; age / 2 == 12 ; age / 2.0 == 12.5 ; age ** 2 == 625 ; sqrt(age) == 5
    Bob: leftshift:by:(age, 1) == 50 ; onesComplement(age) == -26 ; balance < 0
    Bob: balance == CAST('-3.25', 'NSDecimalNumber') ; weight == 80 ; visits == 9007199254740992
    Ann Bob Dan: age <= 30 ; age =< 30 ; age BETWEEN {25, 30}
    none: age BETWEEN {26, 29.5} ; age IN {} ; age > NULL
    Ève Ida Leo: NOT age BETWEEN {25, 30} ; visits IN {0, 7, -1}
    Bob Ève: age IN {25, 41} ; modulus:by:(age, 2) == 1 ; bitwiseAnd:with:(age, 1) == 1
    Ida Leo: age IN {NULL, 52} ; balance >= 100
    Ann Dan Ida Leo: NOT (age IN {25, 41})
    Ève: age - 1 == 40 ; -age == -41 ; height == nil ; balance == 0 ; visits < 0
    Leo: abs(-age) == 52 ; height == 2 ; height * 10 == 20 ; weight == 90.25
    Ida: age == nil ; age = NULL
    Ann Bob Ève Dan Leo: age != nil
    Ann Bob Dan Ida: NOT age > 30 ; floor(height) == 1
    all: age + NULL == nil
    Bob Leo: height > 1.7 ; weight > 60.5 ; weight BETWEEN {80, 100}
    Ann Dan Ida: height BETWEEN {1.6, 1.7}
    Ann Bob Dan Ida Leo: ceiling(height) == 2
    Ann: balance == 12.5 ; balance == CAST('12.50', 'NSDecimalNumber')
    Ann: balance + CAST('0.1', 'NSDecimalNumber') == CAST('12.6', 'NSDecimalNumber') ; weight == 60.5
    Ann: visits == 9007199254740993 ; visits > 9007199254740992.0
    Dan: balance == nil
    Ann Bob Ida Leo: abs(balance) > 3
    Ève Dan Ida: weight == nil
    Ann Bob Leo: weight > height ; weight > age
    Ann Ève Ida: member == YES ; member == TRUE ; member = 1 ; member != false
    Bob Dan Leo: member == NO ; NOT member == YES
    Ève: member == TRUE AND age > 30
    all: TRUEPREDICATE ; NOT FALSEPREDICATE
    none: FALSEPREDICATE
    Ann: born == CAST(0, 'NSDate') ; photo == CAST('AQID', 'NSData') ; photo.length > 0
    Ann: token == CAST('E621E1F8-C36C-495A-93FC-0C247A3E6E5F', 'NSUUID') ; token.UUIDString BEGINSWITH 'E621'
    Ann: site == CAST('https://example.com/ann', 'NSURL') ; site.absoluteString ENDSWITH 'ann' ; extra != nil
    Ann: extra == CAST('Bw==', 'NSData') ; misc == 5
    Ève Leo: born < CAST(0, 'NSDate')
    Ann Bob Ida: born >= CAST(0, 'NSDate')
    Ann Ève: born BETWEEN {CAST(-1000, 'NSDate'), CAST(0, 'NSDate')}
    Ann Ida: born IN {CAST(0, 'NSDate'), CAST(500, 'NSDate')}
    Dan: born == nil
    Bob Ève Dan Ida Leo: born != CAST(0, 'NSDate') ; token == nil ; site == nil
    Ann Bob Ève Ida Leo: born < now()
    Ida: born.timeIntervalSinceReferenceDate == 500
    Bob Ida: CAST(born, 'NSNumber') > 400
    Ann Bob: photo != nil ; misc IN {5, 'five'}
    Bob: photo.length == 0 ; misc == 'five'
    Dan Ida Leo: misc == nil
    Ann: name == 'Ann' ; name == "Ann" ; name ==[c] 'ANN' ; name < 'B' ; name BEGINSWITH 'A' ; name BEGINSWITH[c] 'a'
    Ann: 'nn' IN name ; name LIKE 'A*' ; name MATCHES 'A.*' ; name MATCHES '\\p{Lu}n+' ; uppercase(name) == 'ANN'
    none: name = 'ann' ; name BEGINSWITH 'a' ; name LIKE '????' ; name MATCHES 'A' ; nick BEGINSWITH name
    none: nick ==[c] name
    Ève: name ==[d] 'Eve' ; name ==[cd] 'eve' ; name BEGINSWITH[cd] 'e' ; name ENDSWITH 've' ; name CONTAINS[d] 'E'
    Ève: name LIKE[cd] 'E?e' ; nick ==[cd] name ; lowercase(nick) == 'eve' ; canonical(name) == 'eve'
    Dan: name ==[cd] 'DÁN' ; name BEGINSWITH[c] 'D' ; name LIKE '?an'
    Ann Bob Dan Ida Leo: name !=[cd] 'eve'
    Bob Ève Dan Ida Leo: name != 'Ann' ; NOT nick BEGINSWITH 'a'
    Ève Dan Ida Leo: name > 'Dan'
    Ève Ida Leo: name >[c] 'Dan'
    Ann Bob: name BETWEEN {'A', 'C'} ; name IN 'Ann, Bob' ; name MATCHES '[A-D].*'
    all: name BEGINSWITH '' ; name LIKE '???' ; name MATCHES '\\w{3}' ; length(name) == 3 ; name.length == 3
    Ann Dan: name ENDSWITH 'n' ; name LIKE '*n' ; length(nick) > 4 ; CAST(age, 'NSString') == '30'
    Leo: name ENDSWITH[c] 'O' ; CAST(age, 'NSString') BEGINSWITH '5'
    Bob Leo: name CONTAINS 'o' ; nick == nil
    Ann Dan Ida: name CONTAINS[c] 'A' ; name LIKE[c] '*A*' ; nick CONTAINS[c] name
    Ève Leo: name CONTAINS[cd] 'e'
    Ann Leo: name IN {'Ann', 'Leo'} ; name IN[c] {'ANN', 'LEO'} ; name MATCHES '(Ann|Leo)'
    Ève Dan: name IN[cd] {'eve', 'DAN'}
    Bob Ève Dan Ida: NOT name IN {'Ann', 'Leo'}
    Bob: name LIKE 'B?b' ; noindex(name) == 'Bob'
    Ida: nick LIKE '*\\*'
    Ann Ève Dan Ida: nick LIKE '*' ; nick != nil
    Ann Bob Dan: name MATCHES[c] '[a-d].*'
    Ann Ève Ida: nick > 'E'
    Ann: age == 30 AND member == YES ; (age == 25 OR age == 30) AND member == YES ; SELF.name == 'Ann'
    Ann: FUNCTION(SELF, 'valueForKey:', 'name') == 'Ann'
    Dan: age == 30 && member == NO ; boss.boss.name == 'Leo' ; ANY boss.reports.name == 'dan'
    Dan: FUNCTION(SELF, 'valueForKeyPath:', 'boss.name') == 'Ann'
    Bob Ève: age == 25 OR age == 41
    Bob Ève Leo: age == 25 || age == 41 OR age == 52
    Ève Ida Leo: NOT (age == 30 OR age == 25)
    Ève Ida: !(age == 30) AND !(member == NO) ; NOT age == 30 AND member == YES
    Ann Bob: age == 25 OR age == 30 AND member == YES ; boss.age > age
    Ann Dan: NOT NOT age == 30
    Ève Leo: boss == nil ; boss.name == nil ; boss == boss.boss
    Ann Bob Dan Ida: boss != nil ; SELF IN boss.reports
    Ida Leo: entity.name == 'Employee' ; 'Employee' IN entity.kinds ; entity.kinds[SIZE] == 2 ; salary > 0
    Ida Leo: entity.kinds CONTAINS 'Employee' ; entity.name.length == 8 ; ANY entity.kinds == 'Employee'
    Ann Bob Ève Dan: entity.name == 'Person' ; entity.name != 'Employee' ; NOT 'Employee' IN entity.kinds
    all: 'Person' IN entity.kinds ; entity == entity ; entity != nil ; SELF.entity.name IN {'Person', 'Employee'}
    none: entity.name == 'Note' ; entity.userInfo.x == 5 ; entity.name ==[n] 'employee' ; entity == nil
    Ann Bob Ida: boss.entity.name == 'Employee' ; 'Employee' IN boss.entity.kinds ; boss.entity.name BEGINSWITH[c] 'emp'
    Ève Dan Leo: NOT boss.entity.name == 'Employee' ; boss.entity.name != 'Employee'
    Ève Dan Leo: NOT 'Employee' IN boss.entity.kinds
    Ève Leo: boss.entity == nil ; boss.entity.name == nil ; NOT boss.entity.name IN {'Person', 'Employee'}
    Ann Bob Dan Ida: boss.entity != nil ; boss.entity.name IN {'Person', 'Employee'} ; boss.entity.name LIKE '*e*'
    Dan Ida: boss.entity == entity ; boss.entity.name == entity.name
    Dan: uppercase(boss.entity.name) == 'PERSON' ; TERNARY(boss.entity.name == 'Person', boss.age, nil) == 30
    Dan Ida Leo: TERNARY('Employee' IN entity.kinds, salary, nil) != nil OR name == 'dan'
    Ann Leo: ANY reports.entity.name == 'Person' ; SUBQUERY(reports, $r, $r.entity.name == 'Person').@count > 0
    Leo: ANY reports.entity.name == 'Employee' ; 'Employee' IN reports.entity.name
    Ève Ida: ANY notes.entity.name == 'Task' ; ANY notes.entity.name ENDSWITH 'sk'
    Bob Ève Dan Ida Leo: ALL notes.entity.name == 'Task' OR name == 'Bob'
    Ann Bob Ida: boss.name == 'Leo' ; boss.age > 40 ; boss.name CONTAINS[c] 'l' ; boss.born < born
    Ann Bob Ida: boss.reports.@count == 3 ; boss.salary == 9000
    Ève Dan Leo: boss.name != 'Leo'
    Ann Bob Ève Ida Leo: boss.boss == nil
    Bob: boss.age - age > 25 ; SELF['name'] == 'Bob'
    Leo: salary > 5000 ; #name == 'Leo'
    Ann Bob Ève Dan: salary == nil
    Ida Leo: salary != nil
    Ida: office == 'Zürich' ; office BEGINSWITH[cd] 'zu'
    all: SELF == SELF ; SELF != boss ; objectID == self
    none: SELF IN reports ; boss IN reports ; SELF == nil
    Dan Leo: notes.@count == 0
    Ann Bob Ève Ida: notes.@count > 0
    Ann: notes.@count == 2 ; notes[SIZE] == 2 ; ANY notes.title == 'Plan 9' ; ANY notes.text == nil
    Bob Ève Ida: count(notes) == 1
    Ann Leo: reports.@count >= 1
    Leo: reports.reports.@count == 3
    Ann Bob: ANY notes.title BEGINSWITH[c] 'plan' ; ANY notes.pages IN {1, 12} ; ANY notes.done == nil
    Ann Bob: ANY notes.tags.name IN {'mac', 'linux'}
    Ann Ida: SOME notes.pages > 5 ; ANY notes.rating == 4.5
    Ann Ève Dan Ida Leo: ALL notes.pages > 1
    Ann Dan Leo: ALL notes.title BEGINSWITH 'Plan'
    Bob Ève Dan Leo: NONE notes.pages > 5 ; NOT ANY notes.pages > 5
    Ann Bob Dan Ida Leo: NONE notes.text CONTAINS 'milk'
    Ann Ève: ANY notes.pages BETWEEN {2, 3} ; ANY notes.tags.name == 'swift'
    Ève: ANY notes.done == YES
    Ida: ANY notes.done == NO ; ANY notes.due > CAST(0, 'NSDate')
    Bob Dan Ida Leo: ALL notes.tags.name == 'linux'
    Ève Dan Ida Leo: NONE notes.tags.name == 'linux'
    none: ANY notes.tags == nil
    Ann: notes.title CONTAINS 'Plan 9' ; 'Plan 9' IN notes.title ; notes.@sum.pages == 15 ; notes.@avg.pages == 7.5
    Ann: notes.@max.pages == 12 ; notes.@min.pages == 3 ; min(notes.rating) == 3 ; notes.@max.title == 'Plan 9'
    Ann: notes.@max.date == CAST(200, 'NSDate') ; notes.@distinctUnionOfObjects.title[SIZE] == 2
    Ann: SUBQUERY(notes, $n, $n.pages > 2).@count == 2 ; SUBQUERY(notes, $n, ANY $n.tags.name == 'mac').@count == 1
    Ann: SUBQUERY(notes, $n, SUBQUERY($n.tags, $t, $t.name == 'swift').@count > 0).@count == 2
    Ida: notes.pages CONTAINS 7 ; average(notes.pages) == 7
    Ida: SUBQUERY(notes, $n, $n.pages > 5 AND $n.rating > 4).@count > 0
    Dan Leo: notes.@sum.pages == 0 ; notes.@max.pages == nil
    Ann Ida: sum(notes.pages) > 5 ; max(notes.pages) >= 7 ; SUBQUERY(notes, $n, $n.pages > 2).@count > 0
    Ann Ida: SUBQUERY(notes, $n, $n.pages > 2 AND $n.rating > 4).@count > 0
    Ann Ida: ANY SUBQUERY(notes, $n, $n.pages > 2).rating > 4
    none: reports.@distinctUnionOfObjects.age == {25, 30}
    Leo: reports.@unionOfObjects.age == {30, 25} ; ANY ANYKEY == 'Leo'
    all: SUBQUERY(notes, $n, $n.author == SELF).@count == notes.@count ; (boss.reports INTERSECT reports).@count == 0
    Ann Bob Ève Ida: SUBQUERY(notes, $n, $n.author.age == age).@count > 0
    Bob: SUBQUERY(notes, $n, $n.title BEGINSWITH[c] 'plan').title CONTAINS 'plan b'
    Ann Leo: count(SUBQUERY(reports, $r, $r.age > 26)) == 1 ; (notes UNION reports).@count == 3
    Ann Bob Leo: ANY groups.name == 'Chess' ; ANY groups.members.name == 'Leo'
    Ève: ANY groups.name ==[c] 'CHOIR' ; ANY groups.latitude > 48
    Dan Ida: groups.@count == 0
    Ann Bob Ève Leo: ANY groups.members.age > 40
    Ann Bob Dan Ida Leo: ALL groups.latitude < 48
    Ann Bob Ida: (boss.reports MINUS {}).@count == 3 ; TERNARY(boss == nil, 0, boss.age) == 52
    Ève Leo: TERNARY(age > 30, 'old', 'young') == 'old'
    Ann Dan: ($limit := 30) == age ; ANY ANYKEY == 30
    Ann Ève Dan: ($x := age) > 26 AND $x < 45
    """#

  static let notes = #"""
    n1: title == 'Plan 9' ; title LIKE 'Plan ?' ; text CONTAINS 'é' ; text CONTAINS[d] 'cafe' ; text CONTAINS[cd] 'CAFÉ'
    n1 n2: title BEGINSWITH 'Plan' ; title LIKE 'Plan *' ; title MATCHES 'Plan \\d+' ; date <= CAST(200, 'NSDate')
    n1 n2 n3: title BEGINSWITH[c] 'plan'
    n3 t2: title ENDSWITH 'b'
    n4: title LIKE "*'s list" ; title MATCHES '.*[ë].*' ; title CONTAINS[d] 'Zoe' ; title CONTAINS "'" ; text == ''
    n4: length(text) == 0 ; pages == nil
    n2: text == nil
    n1 n2 n3 t1 t2: text != ''
    n3: text CONTAINS[c] 'STRASSE' ; rating == nil
    none: text CONTAINS 'ss' ; text MATCHES '.*bread'
    t2: text CONTAINS '%' ; text ENDSWITH '?' ; text LIKE '*\\?' ; text LIKE '100%*'
    t1: text CONTAINS '\n' ; text MATCHES '(?s).*bread'
    n1 t1 t2: length(text) > 9 ; pages BETWEEN {2, 7}
    n1 n2 t2: pages > 2
    n2 t2: pages * rating > 30 ; pages > rating
    n1 t2: rating == 4.5 ; floor(rating) == 4
    n1 n4 t2: rating >= 4.5
    n2 n4: rating IN {3, 5}
    n4 t1 t2: date > CAST(300, 'NSDate')
    n4: author == nil ; author.name == nil
    n1 n2 n3 t1 t2: author != nil ; SELF IN author.notes
    n1 n2: author.name == 'Ann' ; author.notes.@count == 2 ; ANY author.notes.pages > 10 ; tags.@count == 2
    t1: author.name ==[cd] 'eve' ; links[LAST].title == 'plan b' ; links[SIZE] == 3 ; ANY links.author.name == 'Ida'
    t1: links.@avg.rating == 3 ; links.@unionOfObjects.title[SIZE] == 3 ; done == YES
    t1: TERNARY(done == YES, 'done', title) == 'done'
    n3 n4 t1 t2: author.name != 'Ann'
    n1 n2 t1: author.age > 26 ; ANY tags.name == 'swift'
    n4 t2: author.age == nil ; tags.@count == 0
    n1 n2 t2: author.member == YES AND pages > 2
    n1 n2 n3 t2: author.boss.name == 'Leo'
    all: author.boss.boss == nil
    t2: author.salary > 0 ; done == NO ; due != nil ; due > date
    n1 n2 t1 t2: author.born < date
    n1 n2 n3: ANY author.groups.name == 'Chess' ; ANY tags.name IN {'linux', 'mac'}
    n4 t1 t2: ALL tags.name == 'swift'
    n3 n4 t2: NONE tags.name == 'swift'
    n2: ANY tags.name BEGINSWITH 'm'
    n1 n3: tags.name CONTAINS 'linux' ; ANY tags.notes.author.name == 'Bob'
    n1: SUBQUERY(tags, $t, $t.name IN {'swift', 'linux'}).@count == 2 ; links[FIRST].title == 'plan b'
    n1: links[FIRST].links[FIRST].title == 'Plan 9' ; links.title == {'plan b', 'Plan 10'} ; links.@sum.pages == 13
    n1 n3 n4 t1 t2: SUBQUERY(tags, $t, $t.notes.@count >= 2).@count == tags.@count
    n1 n3 t1: links.@count > 0
    error: links[0].title == 'plan b'
    n2 n4 t2: links[FIRST] == nil
    none: links.title == {'Plan 10', 'plan b'} ; SELF IN links
    n2 n3 n4 t2: ALL links.pages < 5
    n3 t1: ANY links.links.title == 'Plan 10'
    n1 n2 n3 n4: done == nil
    n2 t1: done == YES OR pages > 10
    n1 n2 n3 n4 t2: NOT done == YES
    """#

  static let groups = #"""
    Empty: members.@count == 0 ; latitude == nil
    Chess: members.@count == 3 ; ANY members.age > 50 ; members.@max.age == 52 ; members.@sum.age == 107
    Chess: members.@min.height == 1.7 ; members.@max.balance == 1000
    Chess: members.@sum.balance == CAST('1009.25', 'NSDecimalNumber') ; members.@max.born == CAST(1000, 'NSDate')
    Chess: members.name CONTAINS 'Leo' ; ANY members.notes.pages > 10 ; ANY members.notes.tags.name == 'linux'
    Chess: ANY members.salary > 0 ; ANY members.boss.name == 'Leo'
    Chess: SUBQUERY(members, $m, $m.boss IN members).@count == 2
    Chess: SUBQUERY(members, $m, $m.notes.@count == 0).name CONTAINS 'Leo'
    Chess: distanceToLocation:fromLocation:(SELF, {47.4, 8.5}) == 0 ; name ==[c] 'chess' ; median(members.age) == 30
    Chess: mode(members.member)[FIRST] == NO
    choir Empty: ALL members.age > 26
    Chess choir Empty: ALL members.age >= 25 ; distanceToLocation:fromLocation:({48.9, 2.35}, {47.4, 8.5}) > 400000
    choir: members.@avg.age == 41 ; longitude BETWEEN {2, 3}
    choir: distanceToLocation:fromLocation:({latitude, longitude}, {48.9, 2.35}) < 1000 ; name BEGINSWITH 'c'
    choir: stddev(members.age) == 0
    Chess choir: latitude > 47 ; name BEGINSWITH[c] 'c'
    """#

  static let tags = #"""
    web: notes.@count == 0 ; NONE notes.title BEGINSWITH[c] 'plan'
    swift linux: notes.@count > 1 ; ANY notes.links.author.name == 'Bob'
    swift linux mac: ANY notes.author.name == 'Ann'
    mac web: ALL notes.author.name == 'Ann' ; name IN {'mac', 'web'}
    swift: notes.@sum.pages == 17 ; ANY notes.done == YES ; SUBQUERY(notes, $n, $n.author.age > 30).@count > 0
    linux mac web: ALL notes.title BEGINSWITH[c] 'plan'
    linux: name MATCHES '[a-l].*'
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
    table.split(separator: "\n").flatMap { line in
      let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
      let names = ["all": everybody, "none": ""][parts[0]] ?? parts[0]
      return parts[1].split(separator: " ; ").map { Search(entity: entity, format: String($0), names: names) }
    }
  }
}
