import PropertyLists
import Testing

@Suite("Work budgets") struct WorkBudgetTests {
  @Test func `a budget is spent completely, and then refuses`() {
    var budget = WorkBudget(10)
    #expect(budget.spend(4) && budget.spend(0) && budget.spend(6))
    #expect(budget.spent == 10 && budget.remaining == 0 && !budget.isExhausted && budget.spend(0))
    #expect(!budget.spend(1) && budget.isExhausted && !budget.spend(0))
    #expect(budget.limit == 10 && budget.spent == 10 && budget.remaining == 0)
  }

  @Test func `any amount can be requested`() {
    var budget = WorkBudget(.max)
    #expect(budget.spend(.max - 1) && !budget.spend(.max) && !budget.spend(.max))
    var small = WorkBudget(0)
    #expect(!small.spend(.max) && !small.spend(.max))
    var given = WorkBudget(5)
    given.exhaust()
    #expect(given.isExhausted && !given.spend(0))
  }
}
