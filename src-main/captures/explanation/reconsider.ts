/** Looks at captures once more: a person has named their network, webhooks became known, or somebody asks. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { CaptureMeanings, StoredMeaning } from '../store/capture-meanings.ts'
import type { Understand } from './understand.ts'
import { withoutChain } from './requester.ts'

type ReconsiderDeps = {
  readonly meanings: CaptureMeanings
  readonly understand: Pick<Understand, 'rows'>
  /** What is known of these is another now. */
  readonly onChanged: (ids: readonly number[]) => void
  /** There may be more to ask for. */
  readonly onWritten: () => void
}

export type Reconsider = {
  /** Those that are classified. */
  these(ids: readonly number[]): Promise<void>
  /** By a person's word; null takes it back. */
  say(ids: readonly number[], network: NetworkId | null): Promise<void>
  /** All that is unavailable: asked for again. */
  unavailable(): Promise<void>
  /** Those of no known network may be known now; the newest of them. */
  unknown(): Promise<void>
  /** Its chain is another: what was learnt of it holds no more. */
  withoutChain(network: NetworkId): Promise<void>
  /** It was removed: its captures are of no known network, and what was learnt of them stays. */
  withoutNetwork(network: NetworkId): Promise<void>
  stop(): void
}

const step = 200
/** Of captures whose network is not known, when a webhook becomes known. */
const maxUnknown = 20_000
const spanOfIds = 20_000

export function createReconsider(deps: ReconsiderDeps): Reconsider {
  const { meanings } = deps
  let isStopped = false

  function written(rows: readonly StoredMeaning[]): void {
    if (rows.length === 0) return
    meanings.write(rows)
    deps.onChanged(rows.map(({ capture }) => capture))
    deps.onWritten()
  }

  async function these(ids: readonly number[], isSame?: (row: StoredMeaning) => boolean) {
    const rows = await deps.understand.rows(ids)
    written(isSame === undefined ? rows : rows.filter((row) => !isSame(row)))
  }

  async function each(
    network: NetworkId | null,
    max: number,
    isSame?: (row: StoredMeaning) => boolean,
  ): Promise<void> {
    let before = Number.MAX_SAFE_INTEGER
    for (let seen = 0; seen < max && !isStopped; seen += step) {
      const ids = meanings.unavailable(network, before, step)
      await these(ids, isSame)
      before = ids.at(-1) ?? 0
      if (ids.length < step) return
      await breathe()
    }
  }

  async function ofNetwork(
    network: NetworkId,
    change: (row: StoredMeaning) => StoredMeaning | null,
  ): Promise<void> {
    const newest = meanings.newest()
    for (let after = 0; after < newest && !isStopped; after += spanOfIds) {
      const ids = meanings.ofNetwork(network, after, after + spanOfIds)
      for (let at = 0; at < ids.length; at += step) {
        const rows = meanings.byIds(ids.slice(at, at + step)).values()
        written([...rows].flatMap((row) => change(row) ?? []))
        await breathe()
      }
    }
  }

  return {
    these,
    async say(ids, network) {
      for (let at = 0; at < ids.length && !isStopped; at += step) {
        const some = ids.slice(at, at + step)
        meanings.setWords(some, network)
        const before = meanings.byIds(some)
        const rows = await deps.understand.rows(some)
        const told = new Set(rows.map(({ capture }) => capture))
        // What tells of nothing has a row only as long as somebody has named its network.
        const emptied = some.filter((id) => before.has(id) && !told.has(id))
        meanings.remove(emptied)
        if (emptied.length > 0) deps.onChanged(emptied)
        // What is known of the same transaction stays.
        written(rows.map((row) => keepKnown(row, before.get(row.capture))))
        await breathe()
      }
    },
    async unavailable() {
      for (const network of [null, ...meanings.networks()]) {
        await each(network, Number.MAX_SAFE_INTEGER, (row) => row.facts.state === 'unavailable')
      }
    },
    unknown: () => each(null, maxUnknown, (row) => row.network === null),
    withoutChain: (network) =>
      ofNetwork(network, (row) => (row.hash === null ? null : withoutChain(row))),
    withoutNetwork: (network) =>
      ofNetwork(network, (row) => {
        const isOpen = row.facts.state === 'waiting'
        const facts = isOpen ? { ...row.facts, state: 'unavailable' as const } : row.facts
        return { ...row, network: null, by: null, facts }
      }),
    stop() {
      isStopped = true
    },
  }
}

function keepKnown(row: StoredMeaning, before: StoredMeaning | undefined): StoredMeaning {
  const isSame = before?.network === row.network && before.hash === row.hash
  return isSame && before.facts.state === 'known' ? { ...before, by: row.by } : row
}
