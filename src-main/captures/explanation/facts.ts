import type { HistoryRow } from '../../../src-preload/contract/chain/account.ts'
import type { AccountRef } from '../../../src-preload/contract/chain/references.ts'
import type { TransactionResult } from '../../../src-preload/contract/chain/transaction.ts'
import type { ExplanationFacts } from '../../../src-preload/contract/capture.ts'
import type { ExplanationState, CaptureKind } from '../../../src-preload/domain/capture-values.ts'
import { formatAmount } from '../../../src-preload/domain/amount.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'
import { operationName } from '../../ton/opcodes.ts'
import { isDeepStrictEqual } from 'node:util'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Facts } from '../store/index/facts.ts'
import type { StoredExplanation } from '../store/capture-explanations.ts'
import type { StoredCapture } from '../store/captures.ts'
import type { Arrived, NetworkOf } from './network-of.ts'
import type { AppContext } from '../../app/context.ts'

export const noFacts: ExplanationFacts = {
  state: 'none',
  amount: null,
  sender: null,
  recipient: null,
  comment: null,
  opcode: null,
  exitCode: null,
  success: null,
  invoice: null,
}

export const emptyFacts = (state: ExplanationState): ExplanationFacts => ({ ...noFacts, state })

/**
 * @param line the transaction as a line of its account's history: the amount, its direction, and
 * the other account
 */
export function factsOf(
  { transaction }: TransactionResult,
  line: HistoryRow,
  invoice: string | null,
): ExplanationFacts {
  const account = transaction.account.address
  const peer = line.peer?.address ?? null
  const { change } = line
  const isOut = change === null ? line.direction === 'out' : change.units.startsWith('-')
  const { compute, action } = transaction.phases
  const isComputed = compute?.success !== false
  return {
    state: 'known',
    amount: change && {
      units: change.units.replace(/^-/, ''),
      asset: change.asset,
      direction: isOut ? 'out' : 'in',
    },
    sender: line.direction === 'out' ? account : peer,
    recipient: line.direction === 'out' ? peer : account,
    comment: line.comment,
    opcode: transaction.inMessage?.opcode ?? null,
    // The exit code of the failed phase, else that of the compute phase.
    exitCode:
      isComputed && action?.success === false ? action.resultCode : (compute?.exitCode ?? null),
    success: line.success,
    invoice,
  }
}

/**
 * Describes the message of a transaction, without its comment. An opcode proves nothing, because anyone can send it to any
 * contract; only the amount of the account's own jetton wallet does.
 */
export function describeMessage(
  { amount, opcode }: ExplanationFacts,
  nameOf: (opcode: number) => string | null = operationName,
): string {
  if (amount !== null && amount.asset.jetton !== null) {
    return amount.direction === 'in' ? 'Jetton received' : 'Jetton sent'
  }
  if (opcode === null) return amount === null ? 'Transaction' : 'Transfer'
  const name = nameOf(Number(opcode))
  return name === null ? `Unknown message (${opcode})` : (messageNames[name] ?? `Message ${name}`)
}

const messageNames: Readonly<Record<string, string>> = lookupTable({
  excess: 'Excess returned',
  bounce: 'Returned message',
  new_bounce: 'Returned message',
  text_comment: 'Transfer',
  encrypted_text_comment: 'Encrypted comment',
})

/** The limit in characters is enough for any sentence. Longer comments are searched separately. */
const maxExplanation = 1000

/** Describes the transaction for the search by its trace and its body, with addresses instead of names. */
export function describeForSearch({ transaction, trace }: TransactionResult): string | null {
  const text = (trace?.sentence ?? []).map((part) => {
    switch (part.kind) {
      case 'account':
        return part.account.address
      case 'amount':
        return `${formatAmount(BigInt(part.units), part.asset.decimals)} ${part.asset.symbol}`
      case 'words':
      case 'quote':
        return part.text
    }
  })
  const { operation = null, body = null, opcode = null } = transaction.inMessage ?? {}
  // The sentence already describes messages of known operations.
  const isOwn = body !== null && (opcode === null || operationName(Number(opcode)) === null)
  const fields = isOwn ? body.fields.filter(({ kind }) => kind !== 'cell') : []
  const values = fields.map(({ name, value }) => `${name} ${value}`)
  const lines = [text.join(''), isOwn ? (operation ?? '') : '', ...values].filter(Boolean)
  return lines.length === 0 ? null : lines.join('\n').slice(0, maxExplanation)
}

/**
 * Returns this transaction and its consequences, whose payments count as its own. Emulated
 * transactions did not happen.
 */
export function causedBy({ transaction, trace }: TransactionResult) {
  const own = { account: transaction.account.address, lt: transaction.lt }
  const nodes = trace?.nodes ?? []
  const start = nodes.findIndex(({ hash }) => hash === transaction.hash)
  const caused = new Set([start])
  const found = [own]
  for (const [index, node] of nodes.entries()) {
    if (node.parent === null || !caused.has(node.parent)) continue
    caused.add(index)
    if (node.hash !== null) found.push({ account: node.account.address, lt: node.lt })
  }
  return found
}

/** The trace was only emulated by a gateway, so the transaction may never happen. */
export const isEmulated = ({ transaction, trace }: TransactionResult): boolean =>
  trace !== null && !trace.nodes.some(({ hash }) => hash === transaction.hash)

export type RowExplanation = Pick<StoredExplanation, 'network' | 'by' | 'facts'>

/** @param row undefined for a capture that is not explained yet or is not a delivery */
export function explanationOfRow(
  capture: StoredCapture,
  facts: Facts | undefined,
  row: StoredExplanation | undefined,
  networkOf: NetworkOf,
): RowExplanation {
  return row ?? firstExplanation({ ...capture, kind: facts?.kind ?? null }, networkOf)
}

export function firstExplanation(
  arrived: Arrived & Pick<StoredCapture, 'origin'>,
  networkOf: NetworkOf,
): RowExplanation {
  const { kind, origin } = arrived
  const found = networkOf(arrived)
  const network = found?.network ?? null
  const rest = { network, by: found?.by ?? null }
  if (!isAboutTransaction(kind) || origin === 'test') return { ...rest, facts: noFacts }
  return { ...rest, facts: emptyFacts(network === null ? 'unavailable' : 'waiting') }
}

/** True if a row contains no more than `firstExplanation`, also in a thread that learns of webhooks late. */
export function isUnchanged({ network, by, facts }: StoredExplanation): boolean {
  if (by !== 'token' && by !== null) return false
  return isDeepStrictEqual(facts, emptyFacts(network === null ? 'unavailable' : 'waiting'))
}

export const isAboutTransaction = (kind: CaptureKind | null): boolean =>
  kind !== null && kind !== 'unknown' && kind !== 'invoice'

/** Names accounts by the names in the transaction, else by the user's labels. */
export function createRefs(
  network: NetworkId | null,
  answer: TransactionResult | null,
  addresses: readonly (string | null)[],
  labelsOf: AppContext['labelsOf'],
): (address: string | null) => AccountRef | null {
  const refsByAddress = new Map<string, AccountRef>()
  for (const ref of answer === null ? [] : refsOf(answer)) refsByAddress.set(ref.address, ref)
  const others = addresses.flatMap((address) =>
    address === null || refsByAddress.has(address) ? [] : [address],
  )
  const labels = network === null ? new Map<string, string>() : labelsOf(network, others)
  return (address) =>
    address === null
      ? null
      : (refsByAddress.get(address) ?? {
          address,
          name: null,
          label: labels.get(address) ?? null,
          isScam: false,
          isWallet: false,
        })
}

function* refsOf({ transaction, trace }: TransactionResult): Generator<AccountRef> {
  const { inMessage, outMessages } = transaction
  for (const message of inMessage === null ? outMessages : [inMessage, ...outMessages]) {
    if (message.source !== null) yield message.source
    if (message.destination !== null) yield message.destination
  }
  yield transaction.account
  for (const { account } of trace?.nodes ?? []) yield account
  for (const part of trace?.sentence ?? []) if (part.kind === 'account') yield part.account
}
