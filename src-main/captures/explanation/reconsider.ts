/** Explains captures again after the user has set their network, webhooks were read, or the user retries. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { CaptureExplanations, StoredExplanation } from '../store/capture-explanations.ts'
import { slicesOf } from '../../database/pages.ts'
import { emptyFacts } from './facts.ts'
import type { CaptureReader } from './read-capture.ts'

export type Reconsider = ReturnType<typeof createReconsider>

const step = 200
const maxUnknown = 20_000
const spanOfIds = 20_000

export function createReconsider(
  meanings: CaptureExplanations,
  captureReader: CaptureReader,
  onChanged: (ids: readonly number[]) => void,
  onWritten: () => void,
) {
  let isStopped = false

  function written(rows: readonly StoredExplanation[]): void {
    if (rows.length === 0) return
    meanings.write(rows)
    onChanged(rows.map(({ capture }) => capture))
    onWritten()
  }

  async function captures(ids: readonly number[], isSame?: (row: StoredExplanation) => boolean) {
    const rows = await captureReader.rows(ids)
    written(isSame === undefined ? rows : rows.filter((row) => !isSame(row)))
  }

  async function each(
    network: NetworkId | null,
    max: number,
    isSame?: (row: StoredExplanation) => boolean,
  ): Promise<void> {
    let before = Number.MAX_SAFE_INTEGER
    for (let seen = 0; seen < max && !isStopped; seen += step) {
      const ids = meanings.unavailable(network, before, step)
      await captures(ids, isSame)
      before = ids.at(-1) ?? 0
      if (ids.length < step) return
      await yieldToEventLoop()
    }
  }

  async function ofNetwork(
    network: NetworkId,
    change: (row: StoredExplanation) => StoredExplanation | null,
  ): Promise<void> {
    const newest = meanings.newest()
    for (let after = 0; after < newest && !isStopped; after += spanOfIds) {
      const ids = meanings.ofNetwork(network, after, after + spanOfIds)
      for (const some of slicesOf(ids, step)) {
        const rows = meanings.byIds(some).values()
        written([...rows].flatMap((row) => change(row) ?? []))
        await yieldToEventLoop()
      }
    }
  }

  return {
    captures,
    async setNetwork(ids: readonly number[], network: NetworkId | null): Promise<void> {
      for (const some of slicesOf(ids, step)) {
        if (isStopped) return
        meanings.setWords(some, network)
        const before = meanings.byIds(some)
        const rows = await captureReader.rows(some)
        const explained = new Set(rows.map(({ capture }) => capture))
        // A capture that is no delivery has a row only while the user has set its network.
        const emptied = some.filter((id) => before.has(id) && !explained.has(id))
        meanings.remove(emptied)
        if (emptied.length > 0) onChanged(emptied)
        const changed = rows.map((row) => {
          const earlier = before.get(row.capture)
          const isSame = earlier?.network === row.network && earlier.hash === row.hash
          return isSame && earlier.facts.state === 'known' ? { ...earlier, by: row.by } : row
        })
        written(changed)
        await yieldToEventLoop()
      }
    },
    async unavailable(): Promise<void> {
      for (const network of [null, ...meanings.networks()]) {
        await each(network, Number.MAX_SAFE_INTEGER, (row) => row.facts.state === 'unavailable')
      }
    },
    /** Selects the newest captures without a network, because changed webhooks may identify it now. */
    unknown: () => each(null, maxUnknown, (row) => row.network === null),
    withoutChain: (network: NetworkId) =>
      ofNetwork(network, (row) => (row.hash === null ? null : withoutChain(row))),
    withoutNetwork: (network: NetworkId) =>
      ofNetwork(network, (row) => {
        const isOpen = row.facts.state === 'waiting'
        const facts = isOpen ? { ...row.facts, state: 'unavailable' as const } : row.facts
        return { ...row, network: null, by: null, facts }
      }),
    stop(): void {
      isStopped = true
    },
  }
}

function withoutChain(row: StoredExplanation): StoredExplanation {
  const problem =
    'The chain of this transaction no longer exists: the sandbox was reset, or the network’s URL was changed.'
  const none = { tries: 0, nextAt: 0, blockAt: null, understoodAt: null, explanation: null }
  return { ...row, ...none, trace: null, facts: emptyFacts('unavailable'), problem }
}
