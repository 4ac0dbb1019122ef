import type { CaptureRow } from '../../../../src-preload/contract/capture.ts'
import type { SendRequest } from '../../../../src-renderer/features/captures/capture-rows.ts'

export function rowOf(id: number, over: Partial<CaptureRow> = {}): CaptureRow {
  return {
    id,
    origin: 'received',
    receivedAt: id * 1000,
    method: 'POST',
    subpath: '',
    bodyBytes: 10,
    completeness: 'complete',
    status: 200,
    durationUs: 300,
    token: 'unchecked',
    kind: 'account_tx',
    account: null,
    lt: null,
    txHash: null,
    summary: '',
    duplicateOf: null,
    outOfOrder: false,
    pinned: false,
    note: '',
    network: null,
    message: '',
    payment: null,
    meaning: {
      state: 'none',
      amount: null,
      sender: null,
      recipient: null,
      comment: null,
      opcode: null,
      exitCode: null,
      success: null,
      invoice: null,
    },
    forward: null,
    ...over,
  }
}

type Call = { readonly name: string; readonly input: Record<string, unknown> }

/**
 * Simulates a store of captures that responds like the main process. Responses can be delayed and
 * released one by one, so that they arrive late or in another order.
 */
export function fakeCaptures(count: number) {
  const rows = Array.from({ length: count }, (_, index) => rowOf(index + 1))
  const calls: Call[] = []
  const held: { call: Call; release: () => void; fail: (error: Error) => void }[] = []
  let holding = false
  let failure: Error | null = null

  const counts = () => ({
    total: rows.length,
    others: 0,
    unread: 0,
    readTo: 0,
    pinned: 0,
    newestId: rows.at(-1)?.id ?? null,
  })

  function list(input: Record<string, unknown>) {
    const { before = Infinity, after = 0, limit = 100 } = input as Record<string, number>
    const { text = '' } = input['query'] as { text?: string }
    const found = rows
      .filter((row) => row.id < before && row.id > after && row.summary.includes(text))
      .toReversed()
    const shown = found.slice(0, limit)
    const nextBefore = found.length > limit ? (shown.at(-1)?.id ?? null) : null
    return { rows: shown, nextBefore, scannedBack: null, notYetSearchable: 0 }
  }

  function answer({ name, input }: Call): unknown {
    if (name === 'capture.list') return list(input)
    if (name === 'capture.delete') {
      const ids = input['ids'] as number[]
      for (const id of ids) {
        rows.splice(
          rows.findIndex((row) => row.id === id),
          1,
        )
      }
      return { deleted: ids.length }
    }
    return counts()
  }

  const ask = ((name: string, input: unknown) => {
    const call = { name, input: (input ?? {}) as Record<string, unknown> }
    calls.push(call)
    if (failure !== null) return Promise.reject(failure)
    if (!holding) return Promise.resolve(answer(call))
    return new Promise<unknown>((resolve, reject) => {
      // The value is computed at the time of the request, although the response arrives later.
      const value = answer(call)
      held.push({ call, release: () => resolve(value), fail: reject })
    })
  }) as SendRequest

  return {
    ask,
    calls,
    held,
    rows,
    counts,
    hold: (on: boolean) => (holding = on),
    failWith: (error: Error | null) => (failure = error),
    arrive(many: number, over: Partial<CaptureRow> = {}) {
      for (let index = 0; index < many; index += 1) {
        rows.push(rowOf((rows.at(-1)?.id ?? 0) + 1, over))
      }
      return counts()
    },
  }
}

/** Creates a clock that advances only on request. */
export function fakeClock() {
  let waiting: (() => void)[] = []
  return {
    later: (work: () => void) => void waiting.push(work),
    async pass() {
      const due = waiting
      waiting = []
      for (const work of due) work()
      await processResponses()
    },
  }
}

/** Lets all pending responses be processed. */
export async function processResponses(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}
