import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Address, type Cell, type Message, loadTransaction } from '@ton/core'
import type { MessageResponse, TransactionResponse } from '../gateway/query-answers.ts'
import { readAddress } from '../ton/address.ts'
import { formatCell, readBoc } from '../ton/boc.ts'
import { hashOfBigint, messageHashesOf, readHash } from '../ton/hash.ts'

export type CheckedTransaction = {
  /** Includes the message bodies of the raw cell, if there is one. */
  readonly transaction: TransactionResponse
  /** The contradiction to the raw cell, as the end of a sentence about the transaction. */
  readonly problem: string | null
  /** False if the gateway sent no raw cell. */
  readonly isChecked: boolean
}

export function checkTransaction(answer: TransactionResponse): CheckedTransaction {
  if (answer.raw === '') return { transaction: answer, problem: null, isChecked: false }
  const wrong = (problem: string) => ({ transaction: answer, problem, isChecked: true })
  const cell = readBoc(answer.raw)
  if (cell === null) return wrong('its raw data is not a BOC')
  const hash = cell.hash().toString('hex')
  if (hash !== readHash(answer.hash)) return wrong(`its raw data has a different hash, ${hash}`)
  const raw = parseTransaction(cell)
  // @ton/core cannot parse some kinds, such as splits; their hash alone is checked.
  if (raw === null) return { transaction: answer, problem: null, isChecked: true }
  const contradictions = contradictionsOf(answer, raw)
  const problem = `the gateway’s values for ${contradictions.join(', ')} differ from the raw data`
  return {
    transaction: withRawBodies(answer, raw.messages),
    problem: contradictions.length === 0 ? null : problem,
    isChecked: true,
  }
}

const checkedAtOnce = 20

/** Each check takes up to a millisecond, so other work is done in between. */
export async function checkTransactions(
  answers: readonly TransactionResponse[],
): Promise<CheckedTransaction[]> {
  const checked: CheckedTransaction[] = []
  for (const answer of answers) {
    checked.push(checkTransaction(answer))
    if (checked.length % checkedAtOnce === 0) await yieldToEventLoop()
  }
  return checked
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
  answer: TransactionResponse,
  { transaction, messages }: NonNullable<ReturnType<typeof parseTransaction>>,
): string[] {
  const { description } = transaction
  const compute = 'computePhase' in description ? description.computePhase : null
  const exitCode = compute?.type === 'vm' ? compute.exitCode : null
  const stated = [answer.in_msg, ...answer.out_msgs]
  const checks = {
    account:
      readAddress(answer.account.address)?.raw.endsWith(hashOfBigint(transaction.address)) === true,
    'logical time': answer.lt === transaction.lt.toString(),
    time: answer.utime === transaction.now,
    fees: answer.total_fees === transaction.totalFees.coins.toString(),
    'exit code': (answer.compute_phase?.exit_code ?? null) === exitCode,
    messages: stated.every((each) => !each || agreesWith(each, messageOf(each, messages))),
  }
  return Object.entries(checks).flatMap(([name, agrees]) => (agrees ? [] : [name]))
}

/** An external message may be listed by its normalized hash, which is not found in the raw cell. */
function agreesWith(answer: MessageResponse, message: Message | undefined): boolean {
  if (message === undefined) return answer.msg_type !== 'int_msg'
  const { info } = message
  return (
    info.type !== 'internal' ||
    (answer.value === info.value.coins.toString() &&
      isAt(answer.source, info.src) &&
      isAt(answer.destination, info.dest))
  )
}

function isAt(account: MessageResponse['source'], address: Address): boolean {
  return readAddress(account?.address ?? '')?.raw === address.toRawString()
}

const messageOf = ({ hash }: MessageResponse, messages: RawMessages) =>
  messages.get(readHash(hash) ?? hash)

function withRawBodies(answer: TransactionResponse, messages: RawMessages): TransactionResponse {
  const withBody = (message: MessageResponse): MessageResponse => {
    const body = messageOf(message, messages)?.body
    return body === undefined ? message : { ...message, raw_body: formatCell(body) }
  }
  return {
    ...answer,
    in_msg: answer.in_msg && withBody(answer.in_msg),
    out_msgs: answer.out_msgs.map(withBody),
  }
}
