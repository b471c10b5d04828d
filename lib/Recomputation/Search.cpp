//===- Search.cpp - Which steps to run again ------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ExactSearch.h"
#include "Profile.h"
#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <set>

using namespace lgc::recomputation;

using Sequence = std::vector<unsigned>;

namespace {

/// Work of one search, and of improving a plan: positions that profiles visit, and as many again
/// for each profile as it costs besides. About a second.
constexpr int64_t kSearchBudget = 40000000, kImprovementBudget = 10000000, kProfileWork = 32;
/// Rounds of improvement without success after which it ends.
constexpr unsigned kIdleRounds = 50;

/// What happens to inputs of a repeated step that are dead where it runs again.
enum class Inputs {
  /// They live until then.
  Kept,
  /// Those that are dead at the high moment are computed again, others live on.
  RepeatedIfDead,
  /// The same, but only those of at least the bytes that the repetition frees.
  RepeatedIfLarge,
  /// All are computed again.
  Repeated,
};
constexpr Inputs kAllInputs[] = {Inputs::Kept, Inputs::RepeatedIfDead, Inputs::RepeatedIfLarge,
                                 Inputs::Repeated};

struct Score {
  /// Bytes over the limit, summed over moments.
  int64_t excess = 0;
  int64_t peak = 0;
  int64_t cost = 0;
};

/// To run the producer of a tensor again after a moment, so that it is dead there.
struct Drop {
  unsigned tensor;
  Inputs inputs;
  /// Where it runs: just before the next read, or, as it is with an input's number, before the
  /// last read of that, which then needn't live longer.
  std::optional<unsigned> beforeDeathOf;
  double rank = 0;
  /// The position, in the present sequence.
  int64_t place = 0;
};

/// Searches a plan for one limit.
class Search {
public:
  Search(const Problem &problem, int64_t limit);
  /// The plan, not improved once it meets the limit, and the improved one.
  Plan reach();
  Plan run();

private:
  std::optional<Score> evaluate(const Sequence &sequence);
  int64_t getCost(const Sequence &sequence) const;
  bool descend();
  bool applyBest(int64_t moment);
  std::vector<Drop> findDrops(int64_t moment);
  bool accept(const Drop &drop, int64_t moment, double leastRank = 0);
  void acceptMore(const std::vector<Drop> &drops, int64_t moment);
  bool isAlive(unsigned tensor, int64_t moment) const {
    return std::any_of(copies.begin(), copies.end(), [&](const Copy &copy) {
      return copy.tensor == tensor && copy.first < moment && copy.last > moment;
    });
  }
  bool locate(Drop &drop, int64_t moment) const;
  Sequence apply(const Drop &drop, int64_t moment) const;
  Sequence removeLaterRepeats(const Sequence &sequence, const Drop &drop, size_t inserted) const;
  double rank(const Score &after) const;
  void cleanUp();
  void improve();
  std::vector<size_t> findRepeats(const Sequence &sequence) const;
  void remember();

  const Problem &problem;
  int64_t limit;
  Profile profile;
  /// The step that a tensor can be computed again by; ~0 if there is none.
  std::vector<unsigned> producers;
  Sequence sequence;
  Score score;
  /// The copies and bytes of `sequence` at the start of a step of the descent.
  std::vector<Copy> copies;
  Plan best;
  int64_t visited = 0, budget = kSearchBudget;
  /// Always of the same seed, so that equal problems get equal plans.
  std::mt19937 random{1};
  bool isVarying = false;
};

} // namespace

Search::Search(const Problem &problem, int64_t limit)
    : problem(problem), limit(limit), profile(problem), producers(problem.tensors.size(), ~0u) {
  for (unsigned number = 0; number < problem.steps.size(); ++number)
    if (problem.steps[number].mayRepeat)
      for (unsigned tensor : profile.getRepetition(number).writes)
        producers[tensor] = number;
}

int64_t Search::getCost(const Sequence &candidate) const {
  int64_t cost = 0;
  for (unsigned number : candidate)
    cost += problem.steps[number].cost;
  for (const Step &step : problem.steps)
    cost -= step.cost;
  return cost;
}

std::optional<Score> Search::evaluate(const Sequence &candidate) {
  visited += static_cast<int64_t>(candidate.size()) + kProfileWork;
  if (!profile.compute(candidate))
    return std::nullopt;
  return Score{profile.getExcess(limit), profile.getPeak(), getCost(candidate)};
}

/// Bytes over the limit that a change removes, summed over moments, for a nanosecond. What
/// saves time on top comes first; what removes nothing is negative.
double Search::rank(const Score &after) const {
  int64_t removed = score.excess - after.excess;
  if (removed <= 0)
    return -1;
  double cost = static_cast<double>(after.cost - score.cost);
  return static_cast<double>(removed) / std::max(cost, 1.0);
}

//===----------------------------------------------------------------------===//
// One drop
//===----------------------------------------------------------------------===//

namespace {

/// Collects the steps to insert, producers first.
class Chain {
public:
  Chain(const Problem &problem, const Profile &profile, const std::vector<unsigned> &producers,
        const std::vector<Copy> &copies, const Drop &drop, int64_t moment)
      : problem(problem), profile(profile), producers(producers), drop(drop), moment(moment),
        last(problem.tensors.size(), -1), isAlive(problem.tensors.size(), false) {
    for (const Copy &copy : copies)
      if (copy.first < drop.place) {
        last[copy.tensor] = copy.last;
        isAlive[copy.tensor] = copy.last >= drop.place;
      }
    visit(producers[drop.tensor]);
  }
  Sequence steps;

private:
  void visit(unsigned number) {
    if (!seen.insert(number).second)
      return;
    for (unsigned tensor : profile.getRepetition(number).reads)
      if (shouldRepeat(tensor))
        visit(producers[tensor]);
    steps.push_back(number);
  }

  bool shouldRepeat(unsigned tensor) const {
    const Tensor &input = problem.tensors[tensor];
    if (input.livesAlways || isAlive[tensor] || producers[tensor] == ~0u)
      return false;
    switch (drop.inputs) {
    case Inputs::Kept:
      return false;
    case Inputs::RepeatedIfDead:
      return last[tensor] < moment;
    case Inputs::RepeatedIfLarge:
      return last[tensor] < moment && input.bytes >= problem.tensors[drop.tensor].bytes;
    case Inputs::Repeated:
      return true;
    }
    return false;
  }

  const Problem &problem;
  const Profile &profile;
  const std::vector<unsigned> &producers;
  const Drop &drop;
  int64_t moment;
  std::vector<int64_t> last;
  std::vector<bool> isAlive;
  std::set<unsigned> seen;
};

} // namespace

Sequence Search::apply(const Drop &drop, int64_t moment) const {
  Chain chain(problem, profile, producers, copies, drop, moment);
  Sequence changed = sequence;
  changed.insert(changed.begin() + drop.place, chain.steps.begin(), chain.steps.end());
  return changed;
}

/// Without the repetitions behind the inserted steps that these make needless, at the price of
/// longer lives.
Sequence Search::removeLaterRepeats(const Sequence &changed, const Drop &drop,
                                    size_t inserted) const {
  auto begin = changed.begin() + drop.place, end = begin + static_cast<int64_t>(inserted);
  std::set<unsigned> steps(begin, end), done(changed.begin(), end);
  Sequence result(changed.begin(), end);
  for (auto at = end; at != changed.end(); ++at)
    if (done.insert(*at).second || !steps.count(*at))
      result.push_back(*at);
  return result;
}

/// Finds the place of a drop in the present sequence; false if there is none.
bool Search::locate(Drop &drop, int64_t moment) const {
  // First runs are in order, so that one is recognized by the number of those before.
  unsigned numDone = 0;
  for (int64_t at = 0; at <= moment; ++at)
    numDone = std::max(numDone, sequence[at] + 1);
  auto reads = [&](unsigned number, unsigned tensor) {
    const Step &step = number < numDone ? profile.getRepetition(number) : problem.steps[number];
    numDone = std::max(numDone, number + 1);
    return std::find(step.reads.begin(), step.reads.end(), tensor) != step.reads.end();
  };
  // What is read at the end alone is computed there.
  int64_t end = static_cast<int64_t>(sequence.size());
  drop.place = moment + 1;
  while (drop.place < end && !reads(sequence[drop.place], drop.tensor))
    if (sequence[drop.place++] == producers[drop.tensor])
      return false;
  if (!drop.beforeDeathOf)
    return true;
  int64_t death = -1;
  for (const Copy &copy : copies)
    if (copy.tensor == *drop.beforeDeathOf && copy.first < drop.place)
      death = copy.last;
  bool isBetween = death > moment && death < drop.place;
  drop.place = death;
  return isBetween;
}

/// The drops at a moment, each with its rank, the best first.
std::vector<Drop> Search::findDrops(int64_t moment) {
  std::vector<Drop> drops;
  for (const Copy &copy : copies) {
    if (copy.first >= moment || copy.last <= moment || producers[copy.tensor] == ~0u)
      continue;
    Sequence previous;
    auto add = [&](Drop drop) {
      if (!locate(drop, moment))
        return;
      Sequence changed = apply(drop, moment);
      if (changed == previous)
        return;
      if (std::optional<Score> after = evaluate(changed)) {
        drop.rank = rank(*after);
        drops.push_back(drop);
      }
      previous = std::move(changed);
    };
    for (Inputs inputs : kAllInputs)
      add({copy.tensor, inputs, std::nullopt});
    for (unsigned input : profile.getRepetition(producers[copy.tensor]).reads)
      if (!problem.tensors[input].livesAlways)
        add({copy.tensor, Inputs::Kept, input});
  }
  std::stable_sort(drops.begin(), drops.end(),
                   [](const Drop &a, const Drop &b) { return a.rank > b.rank; });
  return drops;
}

/// Makes a drop if it removes bytes over the limit, and ranks high enough.
bool Search::accept(const Drop &drop, int64_t moment, double leastRank) {
  Sequence changed = apply(drop, moment);
  std::optional<Score> after = evaluate(changed);
  if (!after)
    return false;
  size_t inserted = changed.size() - sequence.size();
  Sequence shorter = removeLaterRepeats(changed, drop, inserted);
  if (shorter.size() < changed.size())
    if (std::optional<Score> other = evaluate(shorter); other && rank(*other) >= rank(*after)) {
      changed = std::move(shorter);
      after = other;
    }
  if (rank(*after) <= 0 || rank(*after) < leastRank)
    return false;
  sequence = std::move(changed);
  score = *after;
  return true;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// Makes further drops while the moment is over the limit and they are worth about what
/// they were before others were made.
void Search::acceptMore(const std::vector<Drop> &drops, int64_t moment) {
  unsigned failures = 0;
  std::set<unsigned> dropped;
  for (Drop drop : drops) {
    if (failures > 4 || drop.rank <= 0 || !profile.compute(sequence) ||
        profile.getBytes()[moment] <= limit)
      return;
    copies = profile.getCopies();
    if (dropped.count(drop.tensor) || !isAlive(drop.tensor, moment) || !locate(drop, moment))
      continue;
    visited += static_cast<int64_t>(sequence.size());
    if (accept(drop, moment, drop.rank / 2))
      dropped.insert(drop.tensor);
    else
      ++failures;
  }
}

/// Makes the best change for a moment. Where none removes bytes over the limit, one that lowers
/// the highest moment, if only to add elsewhere.
bool Search::applyBest(int64_t moment) {
  std::vector<Drop> drops = findDrops(moment);
  if (drops.empty())
    return false;
  size_t choice = 0;
  while (isVarying && choice + 1 < drops.size() && drops[choice + 1].rank > 0 && random() % 4 == 0)
    ++choice;
  if (drops[choice].rank > 0 && accept(drops[choice], moment)) {
    acceptMore(drops, moment);
    return true;
  }
  std::optional<Score> lowest;
  Sequence chosen;
  for (const Drop &drop : drops) {
    Sequence changed = apply(drop, moment);
    Sequence shorter = removeLaterRepeats(changed, drop, changed.size() - sequence.size());
    for (Sequence *candidate : {&changed, &shorter}) {
      std::optional<Score> after = evaluate(*candidate);
      if (after && after->peak < score.peak &&
          (!lowest ||
           std::pair(after->excess, after->cost) < std::pair(lowest->excess, lowest->cost))) {
        lowest = after;
        chosen = *candidate;
      }
    }
  }
  if (!lowest)
    return false;
  sequence = std::move(chosen);
  score = *lowest;
  return true;
}

/// Lowers the highest moments until all are within the limit, or nothing helps.
bool Search::descend() {
  while (score.peak > limit && visited < budget) {
    if (!profile.compute(sequence))
      return false;
    copies = profile.getCopies();
    const std::vector<int64_t> &bytes = profile.getBytes();
    int64_t moment = std::max_element(bytes.begin(), bytes.end()) - bytes.begin();
    if (!applyBest(moment))
      return false;
    remember();
  }
  return score.peak <= limit;
}

std::vector<size_t> Search::findRepeats(const Sequence &of) const {
  std::vector<size_t> repeats;
  std::vector<bool> isDone(problem.steps.size(), false);
  for (size_t at = 0; at < of.size(); ++at) {
    if (isDone[of[at]])
      repeats.push_back(at);
    isDone[of[at]] = true;
  }
  std::stable_sort(repeats.begin(), repeats.end(), [&](size_t a, size_t b) {
    return problem.steps[of[a]].cost > problem.steps[of[b]].cost;
  });
  return repeats;
}

/// Removes repetitions, the dearest first, that the limit doesn't need.
void Search::cleanUp() {
  for (bool isChanged = true; isChanged && visited < budget;) {
    isChanged = false;
    for (size_t at : findRepeats(sequence)) {
      Sequence shorter = sequence;
      shorter.erase(shorter.begin() + static_cast<int64_t>(at));
      if (std::optional<Score> after = evaluate(shorter); after && after->peak <= limit) {
        sequence = std::move(shorter);
        score = *after;
        isChanged = true;
        break;
      }
    }
  }
}

/// Keeps the better of the best plan and the present one.
void Search::remember() {
  int64_t peak = std::max(score.peak, limit), bestPeak = std::max(best.peak, limit);
  if (best.sequence.empty() || std::pair(peak, score.cost) < std::pair(bestPeak, best.extraCost))
    best = {sequence, score.cost, score.peak, 0};
}

/// Removes a few repetitions at a time and lets the descent mend it, in which it doesn't always
/// take the best change; what comes out better stays.
void Search::improve() {
  int64_t end = std::min(budget, visited + kImprovementBudget);
  isVarying = true;
  for (unsigned idle = 0; visited < end && idle < kIdleRounds; ++idle) {
    sequence = best.sequence;
    std::vector<size_t> repeats = findRepeats(sequence);
    std::sort(repeats.begin(), repeats.end());
    if (!repeats.empty()) {
      size_t count = 1 + random() % std::min<size_t>(repeats.size(), 6);
      size_t first = random() % (repeats.size() - count + 1);
      for (size_t i = count; i-- > 0;)
        sequence.erase(sequence.begin() + static_cast<int64_t>(repeats[first + i]));
    }
    std::optional<Score> start = evaluate(sequence);
    if (!start)
      continue;
    score = *start;
    int64_t peak = best.peak, cost = best.extraCost;
    if (descend())
      cleanUp();
    remember();
    if (std::pair(best.peak, best.extraCost) != std::pair(peak, cost))
      idle = 0;
  }
}

Plan Search::reach() {
  sequence.resize(problem.steps.size());
  std::iota(sequence.begin(), sequence.end(), 0u);
  std::optional<Score> start = evaluate(sequence);
  if (!start)
    return {};
  score = *start;
  remember();
  if (score.peak > limit && descend()) {
    cleanUp();
    remember();
  }
  return best;
}

Plan Search::run() {
  if (reach().extraCost > 0 || best.peak > limit)
    improve();
  return best;
}

/// Replaces a plan by the cheapest within the limit, or proves it the cheapest, where the problem
/// is small enough.
static void makeExact(const Problem &problem, int64_t limit, Plan &plan) {
  bool fits = plan.peak <= limit;
  ExactPlan exact = findCheapest(problem, limit, fits ? plan.extraCost : INT64_MAX);
  if (exact.exactness == Exactness::Solved) {
    Profile profile(problem);
    profile.compute(exact.sequence);
    plan = {exact.sequence, 0, profile.getPeak(), 0};
    for (unsigned number : exact.sequence)
      plan.extraCost += problem.steps[number].cost;
    for (const Step &step : problem.steps)
      plan.extraCost -= step.cost;
  }
  if (exact.exactness != Exactness::Unknown)
    plan.lowerBound = plan.extraCost;
}

Plan lgc::recomputation::planRecomputation(const Problem &problem, int64_t limit) {
  Plan plan = Search(problem, limit).run();
  if (!plan.sequence.empty() && (plan.extraCost > 0 || plan.peak > limit))
    makeExact(problem, limit, plan);
  return plan;
}

Plan lgc::recomputation::findMinimumPeak(const Problem &problem) {
  Plan best = Search(problem, INT64_MAX).reach();
  int64_t low = 0, high = best.peak;
  while (high - low > std::max<int64_t>(high / 128, 64)) {
    int64_t middle = low + (high - low) / 2;
    Plan plan = Search(problem, middle).reach();
    if (plan.peak > middle && !plan.sequence.empty())
      makeExact(problem, middle, plan);
    if (plan.peak < best.peak)
      best = plan;
    if (plan.peak <= middle)
      high = plan.peak;
    else
      low = middle;
  }
  return best;
}
