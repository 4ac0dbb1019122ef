import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Address, type Cell, type Message, loadTransaction } from '@ton/core'
import {
  type MessageResponse,
  type Row,
  type TransactionResponse,
  readableRows,
} from '../gateway/query-responses.ts'
import { readAddress } from '../ton/address.ts'
import { formatCell, readBoc } from '../ton/boc.ts'
import { hashOfBigint, messageHashesOf, readHash } from '../ton/hash.ts'

export type CheckedTransaction = {
  /** Includes the message bodies of the raw cell, if there is one. */
  readonly transaction: TransactionResponse
  /** How the response contradicts the raw cell, as the end of a sentence about the transaction. */
  readonly problem: string | null
  /** False if the gateway sent no raw cell. */
  readonly isChecked: boolean
}

export function checkTransaction(response: TransactionResponse): CheckedTransaction {
  if (response.raw === '') return { transaction: response, problem: null, isChecked: false }
  const wrong = (problem: string) => ({ transaction: response, problem, isChecked: true })
  const cell = readBoc(response.raw)
  if (cell === null) return wrong('its raw data is not a BOC')
  const hash = cell.hash().toString('hex')
  if (hash !== readHash(response.hash)) return wrong(`its raw data has a different hash, ${hash}`)
  const raw = parseTransaction(cell)
  // @ton/core cannot parse some kinds, such as splits; for these only the hash is verified.
  if (raw === null) return { transaction: response, problem: null, isChecked: true }
  const contradictions = contradictionsOf(response, raw)
  const problem = `the gateway’s values for ${contradictions.join(', ')} differ from the raw data`
  return {
    transaction: withRawBodies(response, raw.messages),
    problem: contradictions.length === 0 ? null : problem,
    isChecked: true,
  }
}

const checkedAtOnce = 20

/** Each check takes up to a millisecond, so other work is done in between. */
export async function checkTransactions(
  responses: readonly TransactionResponse[],
): Promise<CheckedTransaction[]> {
  const checked: CheckedTransaction[] = []
  for (const response of responses) {
    checked.push(checkTransaction(response))
    if (checked.length % checkedAtOnce === 0) await yieldToEventLoop()
  }
  return checked
}

/** Transactions that differ from the chain's own data become unreadable. */
export async function checkRows(
  rows: readonly Row<TransactionResponse>[],
): Promise<Row<TransactionResponse>[]> {
  const checked = (await checkTransactions(readableRows(rows))).values()
  return rows.map((row) => {
    const found = 'value' in row ? checked.next().value : undefined
    if (found === undefined) return row
    const { transaction, problem } = found
    const { hash, lt } = transaction
    return problem === null
      ? { value: transaction }
      : { unread: { lt, why: `${hash} (differs from the chain: ${problem})` } }
  })
}

type RawMessages = ReadonlyMap<string, Message>

/** Null for kinds that @ton/core cannot parse, such as splits. */
export function parseTransaction(cell: Cell) {
  try {
    const transaction = loadTransaction(cell.beginParse())
    const { incoming, outgoing } = messageHashesOf(cell)
    const messages = new Map(
      transaction.outMessages.values().map((message, index) => [outgoing[index] ?? '', message]),
    )
    const { inMessage } = transaction
    if (incoming !== null && inMessage) messages.set(incoming, inMessage)
    return { transaction, messages }
  } catch {
    return null
  }
}

function contradictionsOf(
  response: TransactionResponse,
  { transaction, messages }: NonNullable<ReturnType<typeof parseTransaction>>,
): string[] {
  const { description } = transaction
  const compute = 'computePhase' in description ? description.computePhase : null
  const exitCode = compute?.type === 'vm' ? compute.exitCode : null
  const stated = [response.in_msg, ...response.out_msgs]
  const checks = {
    account:
      readAddress(response.account.address)?.raw.endsWith(hashOfBigint(transaction.address)) ===
      true,
    'logical time': response.lt === transaction.lt.toString(),
    time: response.utime === transaction.now,
    fees: response.total_fees === transaction.totalFees.coins.toString(),
    'exit code': (response.compute_phase?.exit_code ?? null) === exitCode,
    messages: stated.every((each) => !each || agreesWith(each, messageOf(each, messages))),
  }
  return Object.entries(checks).flatMap(([name, agrees]) => (agrees ? [] : [name]))
}

/** An external message may be listed by its normalized hash, which is not found in the raw cell. */
function agreesWith(response: MessageResponse, message: Message | undefined): boolean {
  if (message === undefined) return response.msg_type !== 'int_msg'
  const { info } = message
  return (
    info.type !== 'internal' ||
    (response.value === info.value.coins.toString() &&
      isAt(response.source, info.src) &&
      isAt(response.destination, info.dest))
  )
}

const isAt = (account: MessageResponse['source'], address: Address): boolean =>
  readAddress(account?.address ?? '')?.raw === address.toRawString()

const messageOf = ({ hash }: MessageResponse, messages: RawMessages) =>
  messages.get(readHash(hash) ?? hash)

function withRawBodies(response: TransactionResponse, messages: RawMessages): TransactionResponse {
  const withBody = (message: MessageResponse): MessageResponse => {
    const body = messageOf(message, messages)?.body
    return body === undefined ? message : { ...message, raw_body: formatCell(body) }
  }
  return {
    ...response,
    in_msg: response.in_msg && withBody(response.in_msg),
    out_msgs: response.out_msgs.map(withBody),
  }
}
