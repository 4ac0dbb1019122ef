/** Reads the calls of a running sandbox for commands. */
import type { SandboxCall } from '../../src-preload/contract/sandbox.ts'
import type { ControlInput } from '../../src-preload/contract/sandbox-control.ts'
import { type Ready, connectSandbox } from './start-sandbox.ts'

/**
 * Reports the calls that match filters such as `status=4xx`, oldest first, and new ones while `isFollowing`.
 * @throws ControlError for a wrong filter
 */
export async function readCalls(
  ready: Pick<Ready, 'controlUrl' | 'controlKey'>,
  filters: readonly string[],
  isFollowing: () => boolean,
  report: (call: SandboxCall) => Promise<unknown>,
): Promise<void> {
  const { calls: fetchCalls } = connectSandbox(ready)
  const typed = filters.map((filter) => filter.split(/=(.*)/s))
  let query = Object.fromEntries(typed) as ControlInput<'calls'>
  do {
    const { calls, last } = await fetchCalls(query)
    for (const call of query.after === undefined ? calls.toReversed() : calls) await report(call)
    // A limit may have left calls before the last one.
    const after = query.after === undefined ? last : (calls.at(-1)?.number ?? last)
    query = { ...query, after, waitMs: 1000 }
  } while (isFollowing())
}

export function formatCall({ number, at, method, path, client, ...call }: SandboxCall): string {
  const status = call.status ?? 'aborted'
  const cause = call.delivery === null ? '' : `  delivery ${call.delivery.id}?`
  const time = new Date(at).toISOString()
  const request = `#${number}  ${time}  ${status}  ${method} ${path}  ${call.durationMs} ms`
  return `${request}  ${client}${cause}`
}
