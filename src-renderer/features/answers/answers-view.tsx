/** Being built in this very series of commits. */
export function AnswersView() {
  return null
}
