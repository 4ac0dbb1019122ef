/** Being built in this very series of commits. */
export function CompareView() {
  return null
}
