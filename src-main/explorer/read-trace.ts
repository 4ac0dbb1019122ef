import type { MessageAnswer, TraceNodeAnswer, TransactionAnswer } from '../gateway/query-answers.ts'
import { exitCodeOf, failureOf } from './exit-words.ts'
import { addressesIn, readMessage, type ReadMessage } from './read-message.ts'

/** A transaction of a trace, with what caused it and what came of it. */
export type ReadNode = {
  readonly transaction: TransactionAnswer
  readonly interfaces: readonly string[]
  /** It has not happened: the gateway tells what is to come of a message under way, too. */
  readonly isEmulated: boolean
  readonly index: number
  readonly depth: number
  readonly parent: ReadNode | null
  readonly children: readonly ReadNode[]
  /** What came in; null for a tick-tock. */
  readonly message: ReadMessage | null
  /** Internal messages it sent that have not arrived anywhere yet. */
  readonly underWay: readonly ReadMessage[]
  readonly exitCode: number | null
  /** Null when nothing went wrong. */
  readonly failure: string | null
}

type GrowingNode = ReadNode & { readonly children: ReadNode[] }

/** @param answer parents before their children */
export function readTrace(answer: readonly TraceNodeAnswer[]): ReadNode[] {
  const arrived = new Set(answer.map(({ transaction }) => transaction.in_msg?.hash))
  const isUnderWay = (message: MessageAnswer) =>
    message.msg_type === 'int_msg' && !arrived.has(message.hash)
  const nodes: GrowingNode[] = []
  for (const [index, answered] of answer.entries()) {
    const { transaction, interfaces, emulated, depth, parent: parentIndex } = answered
    const parent = parentIndex === null ? null : (nodes[parentIndex] ?? null)
    const node: GrowingNode = {
      transaction,
      interfaces,
      isEmulated: emulated,
      index,
      depth,
      parent,
      children: [],
      message: transaction.in_msg ? readMessage(transaction.in_msg) : null,
      underWay: transaction.out_msgs.filter(isUnderWay).map(readMessage),
      exitCode: exitCodeOf(transaction),
      failure: failureOf(transaction),
    }
    nodes.push(node)
    if (parent !== null) nodes[parent.index]?.children.push(node)
  }
  return nodes
}

/** Addresses that the bodies of a trace name, besides those who took part. */
export function* namedIn(nodes: readonly ReadNode[]): Generator<string> {
  for (const { message, underWay } of nodes) {
    for (const each of message === null ? underWay : [message, ...underWay]) {
      yield* addressesIn(each.body)
    }
  }
}
