/** Being built in this very series of commits. */
export function TunnelsView() {
  return null
}
