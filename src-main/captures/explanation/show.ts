/** What is known of captures, as lists and their details show it. */
import { isDeepStrictEqual } from 'node:util'
import type { AccountRef, TransactionAnswer } from '../../../src-preload/contract/chain.ts'
import type { CaptureKind } from '../../../src-preload/domain/capture-words.ts'
import type { MeaningFacts } from '../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Facts } from '../store/index/facts.ts'
import type { NetworkClue, StoredMeaning } from '../store/capture-meanings.ts'
import type { StoredCapture } from '../store/captures.ts'
import { emptyFacts, noFacts } from './facts.ts'
import type { Arrived, NetworkOf } from './network-of.ts'
import type { LabelsOf } from './parts.ts'

export type RowMeaning = {
  readonly network: NetworkId | null
  readonly by: NetworkClue | null
  readonly facts: MeaningFacts
}

/** @param row null while it was not looked at yet, and for what tells of nothing */
export function meaningOfRow(
  capture: StoredCapture,
  facts: Facts | undefined,
  row: StoredMeaning | undefined,
  networkOf: NetworkOf,
): RowMeaning {
  return row ?? firstMeaning({ ...capture, kind: facts?.kind ?? null }, networkOf)
}

/** What is known of a capture by itself, before anybody was asked. */
export function firstMeaning(
  arrived: Arrived & Pick<StoredCapture, 'origin'>,
  networkOf: NetworkOf,
): RowMeaning {
  const { kind, origin } = arrived
  const found = networkOf(arrived)
  const network = found?.network ?? null
  const rest = { network, by: found?.by ?? null }
  if (!tellsOfTransaction(kind) || origin === 'test') return { ...rest, facts: noFacts }
  return { ...rest, facts: emptyFacts(network === null ? 'unavailable' : 'waiting') }
}

/** Whether a row says no more than `firstMeaning` does, also in a thread that hears of webhooks late. */
export function isAsAtFirst({ network, by, facts }: StoredMeaning): boolean {
  if (by !== 'token' && by !== null) return false
  return isDeepStrictEqual(facts, emptyFacts(network === null ? 'unavailable' : 'waiting'))
}

export function tellsOfTransaction(kind: CaptureKind | null): boolean {
  return kind !== null && kind !== 'unknown' && kind !== 'invoice'
}

export const clueWords: Readonly<Record<NetworkClue, string>> = {
  token: 'By its token, which is that of a webhook of this network.',
  endpoint: 'By its address: only webhooks of this network deliver there.',
  invoice: 'By the ledger of this network’s invoices, which has taken it.',
  person: 'By your word.',
}

export const unknownNetwork =
  'Nothing tells whose delivery this is: its token is of no webhook known here, and no webhook is ' +
  'known to deliver to its address. Read the webhooks of its network, or choose the network here.'

/** Names accounts as the transaction does, else by the person's own labels alone. */
export function createRefs(
  network: NetworkId | null,
  answer: TransactionAnswer | null,
  addresses: readonly (string | null)[],
  labelsOf: LabelsOf,
): (address: string | null) => AccountRef | null {
  const known = new Map<string, AccountRef>()
  for (const ref of answer === null ? [] : refsOf(answer)) known.set(ref.address, ref)
  const others = addresses.flatMap((address) =>
    address === null || known.has(address) ? [] : [address],
  )
  const labels = network === null ? new Map<string, string>() : labelsOf(network, others)
  return (address) =>
    address === null
      ? null
      : (known.get(address) ?? {
          address,
          name: null,
          label: labels.get(address) ?? null,
          isScam: false,
          isWallet: false,
        })
}

function* refsOf({ transaction, trace }: TransactionAnswer): Generator<AccountRef> {
  const { inMessage, outMessages } = transaction
  for (const message of inMessage === null ? outMessages : [inMessage, ...outMessages]) {
    if (message.source !== null) yield message.source
    if (message.destination !== null) yield message.destination
  }
  yield transaction.account
  for (const { account } of trace?.nodes ?? []) yield account
  for (const part of trace?.sentence ?? []) if (part.kind === 'account') yield part.account
}
