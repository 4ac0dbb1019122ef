/** What captures are about as far as they tell it themselves, and what is to be asked for. */
import type { MeaningFacts } from '../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Facts, FactsReader } from '../store/index/facts.ts'
import type { CaptureMeanings, LookedAt, StoredMeaning } from '../store/capture-meanings.ts'
import type { Captures } from '../store/captures.ts'
import type { InvoiceTraces } from '../../invoices/store/invoice-traces.ts'
import { readHash } from '../../ton/hash.ts'
import { decodeBody, headerValue } from '../decode-body.ts'
import { emptyFacts } from './facts.ts'
import { type FoundNetwork, type NetworkOf, isOfSandboxTestnet } from './network-of.ts'
import { readMempool } from './read-mempool.ts'
import { readToldBoc, readToldInvoice } from './read-told.ts'

type UnderstandDeps = {
  readonly meanings: Pick<CaptureMeanings, 'lookAt'>
  readonly facts: Pick<FactsReader, 'byIds'>
  readonly captures: Pick<Captures, 'get' | 'body'>
  readonly invoices: Pick<InvoiceTraces, 'reportedTo'>
  readonly networkOf: NetworkOf
  /** It is among those that can be chosen. */
  readonly isNetwork: (network: NetworkId) => boolean
  readonly now: () => number
}

export type Understand = {
  /** Those of these that are classified and tell of something, or whose network a person has named. */
  rows(ids: readonly number[]): Promise<StoredMeaning[]>
  /** Text of a body, unpacked; null for what is longer than any delivery of the gateway. */
  text(id: number): Promise<string | null>
}

/** What is asked for first: of many messages only few concern one. */
const rankOf = { account_tx: 0, opcode_msg: 1, new_contracts: 1, mempool_msg: 2, invoice: 0 }
/** A message on its way may hold a contract's code. */
const largestBytes = 512 * 1024

export function createUnderstand(deps: UnderstandDeps): Understand {
  async function text(id: number): Promise<string | null> {
    const capture = deps.captures.get(id)
    const raw = capture === null ? null : deps.captures.body(id)
    if (capture === null || raw === null || raw.byteLength > largestBytes) return null
    const encoding = headerValue(capture.headers, 'content-encoding')
    const { bytes, problem } = await decodeBody(raw, encoding, largestBytes)
    return problem === null ? Buffer.from(bytes).toString('utf8') : null
  }

  function found(seen: LookedAt, { kind }: Facts): FoundNetwork | null {
    if (seen.word !== null && deps.isNetwork(seen.word)) return { network: seen.word, by: 'person' }
    const told = deps.networkOf({ ...seen, kind })
    if (told !== null || kind !== 'invoice') return told
    const network = deps.invoices.reportedTo(seen.id)
    return network === null ? null : { network, by: 'invoice' }
  }

  async function rowOf(seen: LookedAt, facts: Facts): Promise<StoredMeaning | null> {
    const network = found(seen, facts)
    const { kind } = facts
    const row = (told: Partial<StoredMeaning> & { readonly facts: MeaningFacts }) => ({
      capture: seen.id,
      network: network?.network ?? null,
      by: network?.by ?? null,
      hash: null,
      rank: kind === 'unknown' ? 0 : rankOf[kind],
      tries: 0,
      nextAt: 0,
      problem: null,
      blockAt: null,
      understoodAt: null,
      explanation: null,
      ...told,
    })
    const lost = (problem: string | null) => row({ facts: emptyFacts('unavailable'), problem })

    // What a person sends to try the way is of nothing that happened.
    if (kind === 'unknown' || seen.origin === 'test') {
      return seen.word === null ? null : row({ facts: emptyFacts('none') })
    }
    if (kind === 'invoice') {
      const told = readToldInvoice((await text(seen.id)) ?? '')
      if (told === null) return lost('What it tells of its invoice cannot be read.')
      return row({ facts: told.facts, understoodAt: deps.now() })
    }
    const isAskable =
      network !== null && !(network.by === 'token' && isOfSandboxTestnet(seen.tokenId))
    const why = network === null || isAskable ? null : noTestnet
    const state = isAskable ? 'waiting' : 'unavailable'
    if (kind === 'mempool_msg') {
      const message = readMempool(readToldBoc((await text(seen.id)) ?? '') ?? '')
      if (message === null) return lost('Its BOC holds no external message.')
      return row({ hash: message.hash, facts: { ...message.facts, state }, problem: why })
    }
    const hash = readHash(facts.txHash ?? '')
    if (hash === null) return lost('It names no transaction: its tx_hash is no hash.')
    return row({ hash, facts: emptyFacts(state), problem: why })
  }

  return {
    text,
    async rows(ids) {
      const facts = deps.facts.byIds(ids)
      const known = deps.meanings.lookAt(ids.filter((id) => facts.has(id)))
      const rows: StoredMeaning[] = []
      for (const seen of known) {
        const told = facts.get(seen.id)
        const row = told === undefined ? null : await rowOf(seen, told)
        if (row !== null) rows.push(row)
      }
      return rows
    },
  }
}

const noTestnet =
  'It is of the sandbox’s test network, whose transactions are not read here. They are on the Sandbox page.'
