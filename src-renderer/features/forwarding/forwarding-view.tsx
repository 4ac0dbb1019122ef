/** Being built in this very series of commits. */
export function ForwardingView() {
  return null
}
