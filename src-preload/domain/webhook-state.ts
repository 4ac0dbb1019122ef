/**
 * The state of a webhook in one word, the same in lists, details and commands: one that the gateway calls online
 * may fail for accounts. Without accounts, only the webhook's own counter shows failures.
 */
export function webhookState<Status extends string>({
  status,
  failing,
  accounts,
  failedAttempts,
}: {
  readonly status: Status | null
  readonly failing: number
  readonly accounts: number | null
  readonly failedAttempts: number | null
}): Status | 'failing' | null {
  const fails = failing > 0 || (accounts === 0 && (failedAttempts ?? 0) > 0)
  return fails && status !== 'offline' && status !== 'suspended' ? 'failing' : status
}
