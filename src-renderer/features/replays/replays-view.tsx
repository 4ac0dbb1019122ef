/** Being built in this very series of commits. */
export function ReplaysView() {
  return null
}
