/**
 * Splits a transaction or an event into movements: one row for each message, jetton transfer or
 * action, so that the rows add up to the change of balance.
 */
import type { Address } from '@ton/core'
import type { AccountRef, Asset } from '../../../src-preload/contract/chain/references.ts'
import type { SentencePart } from '../../../src-preload/contract/chain/transaction.ts'
import { formatAssetAmount } from '../../../src-preload/domain/amount.ts'
import { describeAction, endsOf, partiesOf } from '../../chain/actions.ts'
import { createNamer } from '../../chain/addresses.ts'
import { changesOf } from '../transactions/events.ts'
import { failureOf } from '../../chain/failure.ts'
import { type ReadTransaction, feesOf, readTransaction } from '../../chain/history-row.ts'
import { type ReadMessage, assetOfExtra, jettonsIn, valueOf } from '../../chain/read-trace.ts'
import { formatSentence } from '../../chain/compose-sentence.ts'
import type { AccountEventResponse, ActionResponse } from '../../gateway/event-responses.ts'
import type { TransactionResponse } from '../../gateway/query-responses.ts'
import { formatFriendly, rawAddress, readAddress } from '../../ton/address.ts'
import type { StoredRow } from './store/history-exports.ts'

/** A hostile gateway may send any number of transactions; the service sends tens. */
const maxTransactions = 200
const maxSentence = 2000

type Movement = Pick<StoredRow, 'direction' | 'peer' | 'asset' | 'comment' | 'kind'> & {
  /** The amount in minimal units with a sign, without the fee. */
  readonly units: bigint
  /** Nanotons that the account paid; never negative. */
  readonly fee: bigint
  readonly status: 'ok' | 'failed' | 'unknown'
} & Partial<Pick<StoredRow, 'action' | 'sentence' | 'transactions' | 'isScam'>>

export type Moved = {
  readonly movements: readonly Movement[]
  /** Assets by key: the extra currencies of a transaction, or all assets of an event. */
  readonly assets: ReadonlyMap<string, Asset>
  /**
   * Addresses that the account's messages name as its jetton wallets. Anyone can claim this, so
   * they must be verified.
   */
  readonly jettonWallets: readonly string[]
}

const extraKey = (id: number) => `extra:${id}`

function keyOf({ jetton, extraCurrency }: Asset): string {
  if (jetton !== null) return rawAddress(jetton)
  return extraCurrency === undefined ? 'TON' : extraKey(extraCurrency)
}

/** Returns the movements of the account that the transaction belongs to. */
export function moveCoins(transaction: TransactionResponse): Moved {
  const read = readTransaction(transaction)
  const status = failureOf(transaction) === null ? 'ok' : 'failed'
  const assets = new Map<string, Asset>()
  const movements: Movement[] = []

  function add(message: ReadMessage, direction: 'in' | 'out'): void {
    const sign = direction === 'in' ? 1n : -1n
    const { answer, comment } = message
    const peer = (direction === 'in' ? answer.source : answer.destination)?.address ?? null
    const row = { direction, peer, comment, status, fee: 0n, kind: kindOf(message) } as const
    movements.push({ ...row, asset: 'TON', units: sign * valueOf(answer) })
    for (const extra of answer.value_extra) {
      const asset = extraKey(extra.preview.id)
      assets.set(asset, assetOfExtra(extra))
      movements.push({ ...row, asset, units: sign * BigInt(extra.amount), comment: null })
    }
  }

  if (read.incoming !== null) add(read.incoming, 'in')
  for (const message of read.outgoing) add(message, 'out')
  const fee = feesOf(read.transaction)
  const [first] = movements
  if (first !== undefined) movements[0] = { ...first, fee }
  else {
    const none = { direction: 'none', peer: null, comment: null, asset: 'TON', units: 0n } as const
    movements.push({ ...none, fee, status, kind: transaction.in_msg ? 'message' : 'tick_tock' })
  }
  return { movements, assets, jettonWallets: jettonWalletsIn(read) }
}

function jettonWalletsIn({ incoming, outgoing }: ReadTransaction): string[] {
  const messages = incoming === null ? outgoing : [incoming, ...outgoing]
  return messages.flatMap((message) => {
    const name = message.body?.name
    const isOwn =
      message === incoming
        ? name === 'jetton_notify'
        : name === 'jetton_transfer' || name === 'jetton_burn'
    return isOwn ? (jettonsIn(message)?.wallet ?? []) : []
  })
}

function kindOf({ operation, opcode, answer }: ReadMessage): string {
  if (answer.bounced) return 'bounce'
  if (operation === 'text_comment' || operation === 'encrypted_text_comment') return 'transfer'
  return operation ?? opcode ?? 'transfer'
}

/**
 * Returns changes of a jetton wallet's balance as TEP-74 defines them. A reverted transaction
 * changes nothing.
 */
export function moveJettons(transaction: TransactionResponse, jetton: string): readonly Movement[] {
  const { incoming, outgoing } = readTransaction(transaction)
  const isCommitted =
    !transaction.aborted && transaction.success && transaction.compute_phase?.success === true
  if (!isCommitted || incoming === null) return []
  const row = { asset: jetton, fee: 0n, status: 'ok', comment: incoming.comment } as const
  const { body } = incoming
  const movements: Movement[] = []
  if (incoming.answer.bounced) {
    const units = bouncedUnits(incoming)
    if (units === null) return []
    const peer = incoming.answer.source?.address ?? null
    return [{ ...row, direction: 'in', peer, units, kind: 'jetton_bounce', comment: null }]
  }
  if (body?.name === 'jetton_internal_transfer') {
    const peer = rawOf(body.from)
    const kind = peer === null ? 'jetton_mint' : 'jetton_transfer'
    movements.push({ ...row, direction: 'in', peer, units: body.amount, kind })
  }
  for (const message of outgoing) {
    const sent = message.body
    const isBurn = sent?.name === 'jetton_burn_notification'
    if (!isBurn && sent?.name !== 'jetton_internal_transfer') continue
    const owner = body?.name === 'jetton_transfer' ? rawOf(body.destination) : null
    const peer = isBurn ? (message.answer.destination?.address ?? null) : owner
    const kind = isBurn ? 'jetton_burn' : 'jetton_transfer'
    movements.push({ ...row, direction: 'out', peer, units: -sent.amount, kind })
  }
  return movements
}

const rawOf = (address: Address | null) => address?.toRawString() ?? null

const returned: ReadonlySet<number> = new Set([0x178d4519, 0x7bdd97de])

/**
 * The jettons of a transfer or burn that the receiver refused. A bounced body contains the first
 * 256 bits of the sent one.
 */
function bouncedUnits({ body }: ReadMessage): bigint | null {
  if (body?.name !== 'bounce') return null
  try {
    const slice = body.payload.beginParse()
    if (!returned.has(slice.loadUint(32))) return null
    return slice.skip(64).loadCoins()
  } catch {
    return null
  }
}

/**
 * Returns a row for each asset that an action moved for the account, or one row of zero if the
 * action moved nothing.
 */
export function moveEvent(event: AccountEventResponse, account: string, testOnly: boolean): Moved {
  const { named, plain } = partiesOf(event.actions)
  // Labels can change, so they are added only when a file is written.
  const name = createNamer(named, plain, () => new Map())
  const assets = new Map<string, Asset>()
  const movements: Movement[] = []
  const common = { fee: 0n, isScam: event.is_scam }

  for (const [index, action] of event.actions.entries()) {
    const { type, status, transactions } = action
    const raws = endsOf(action).map((each) => readAddress(each)?.raw ?? null)
    const ends = new Set(raws.filter((each) => each !== account))
    const [end = null] = ends
    const row = {
      ...common,
      peer: ends.size === 1 ? end : null,
      comment: commentOf(action),
      kind: type.slice(0, 100),
      status,
      action: index,
      transactions: transactions.slice(0, maxTransactions).join(' '),
      sentence: toText(describeAction(action, { name, viewer: account }), testOnly),
    } as const
    const changes = changesOf([action], account)
    for (const { asset, units } of changes) {
      const key = keyOf(asset)
      assets.set(key, asset)
      const direction = units.startsWith('-') ? 'out' : 'in'
      movements.push({ ...row, direction, asset: key, units: BigInt(units) })
    }
    if (changes.length === 0) {
      movements.push({ ...row, direction: 'none', asset: 'TON', units: 0n })
    }
  }

  const extra = BigInt(event.extra)
  const [first] = movements
  if (first !== undefined && extra < 0n) movements[0] = { ...first, fee: -extra }
  else if (extra !== 0n || first === undefined) {
    movements.push({
      ...common,
      peer: null,
      comment: null,
      kind: 'extra',
      status: 'ok',
      asset: 'TON',
      ...(extra < 0n
        ? { direction: 'none', units: 0n, fee: -extra }
        : { direction: 'in', units: extra }),
      action: null,
      transactions: '',
      sentence: 'TON beside the actions of the event.',
    })
  }
  return { movements, assets, jettonWallets: [] }
}

function commentOf({ known }: ActionResponse): string | null {
  const { comment } = (known?.details ?? {}) as { readonly comment?: string | null }
  return comment || null
}

/** Files keep the code TON, whatever coin name is displayed, and contain whole addresses. */
function toText(sentence: readonly SentencePart[], testOnly: boolean): string {
  const words = sentence.map((part): SentencePart => {
    if (part.kind === 'amount') {
      const { units, asset } = part
      return { kind: 'words', text: `${formatAssetAmount(BigInt(units), asset)} ${asset.symbol}` }
    }
    return part
  })
  const nameOf = ({ address, name }: AccountRef) => {
    const raw = readAddress(address)?.raw
    if (name !== null || raw === undefined) return name ?? address
    return formatFriendly(raw, { bounceable: false, testOnly })
  }
  return formatSentence(words, nameOf).slice(0, maxSentence)
}
