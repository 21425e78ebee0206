// What is said of a race.

export function listed(words, joint = "and") {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${joint} ${words[words.length - 1]}`;
}

// The rule by which a race was decided.
export const RULES = {
  solution: "The first to solve the puzzle wins, by processor time of its own.",
  proof: "To prove that there is no solution wins, too.",
  loss: "Nobody solved it within the budget: the lowest loss wins.",
  tie: "Nobody is ahead of all others, by solving or by loss.",
};
