import { type Cell, type Message, beginCell, loadMessage, storeMessage } from '@ton/core'
import { type StateView, createOverlay } from './account-states.ts'
import { UnreadableMessageError } from './chain.ts'
import {
  type Emulator,
  EmulatorRefusal,
  type BlockTerms,
  type MessageExecution,
  type SentMessage,
  executeMessage,
} from './emulator.ts'
import { messageOf } from '../../../src-preload/domain/app-error.ts'

type Origin = {
  readonly traceId: string
  readonly traceLt: bigint
  readonly parent: string
}

export type Waiting = Pick<SentMessage, 'cell' | 'destination' | 'createdLt'> & {
  readonly origin: Origin
}

/** A message that no transaction has sent: an external one, or one of the faucet. */
export type RootMessage = {
  readonly destination: string
  readonly cell: (createdLt: bigint, createdAt: number) => Cell
  /** True if a refusal by the contract is an expected result. */
  readonly mayBeRefused: boolean
}

export type BatchExecution = MessageExecution &
  Omit<Origin, 'parent'> & { readonly parent: string | null }

export type Batch = Awaited<ReturnType<typeof executeBatch>>

export type BatchWork = {
  readonly startLt: bigint
  readonly waiting: readonly Waiting[]
  readonly roots: readonly RootMessage[]
  /** Maximum number of transactions; roots are always executed. */
  readonly limit: number
  readonly ignoreSignature?: boolean | undefined
}

/** Executes the roots, then waiting and caused messages in order of logical time, without storing anything. */
export async function executeBatch(
  emulator: Emulator,
  terms: BlockTerms,
  base: Pick<StateView, 'get'>,
  work: BatchWork,
) {
  const states = createOverlay(base)
  /** Messages in order of logical time. */
  const queue = [...work.waiting]
  const executions: BatchExecution[] = []
  const refusals: EmulatorRefusal[] = []
  let lt = work.startLt

  async function execute(message: Cell, destination: string, origin: Origin | null): Promise<void> {
    const execution = await executeMessage(emulator, terms, states, {
      message,
      destination,
      // The emulator raises this logical time if the account or the message requires it.
      lt: origin === null ? lt + 1n : work.startLt + 1n,
      ignoreSignature: origin === null && work.ignoreSignature === true,
    })
    const { hash, transaction, endLt } = execution
    const traceId = origin?.traceId ?? hash
    const traceLt = origin?.traceLt ?? transaction.lt
    if (endLt > lt) lt = endLt
    for (const sent of execution.sent) {
      if (sent.kind === 'internal') {
        const at = queue.findLastIndex(({ createdLt }) => createdLt <= sent.createdLt)
        queue.splice(at + 1, 0, { ...sent, origin: { traceId, traceLt, parent: hash } })
      }
    }
    executions.push({ ...execution, traceId, traceLt, parent: origin?.parent ?? null })
  }

  for (const { cell, destination, mayBeRefused } of work.roots) {
    try {
      await execute(cell(lt, terms.now), destination, null)
    } catch (error) {
      if (!(mayBeRefused && error instanceof EmulatorRefusal)) throw error
      refusals.push(error)
    }
  }
  while (executions.length < work.limit) {
    const next = queue.shift()
    if (next === undefined) break
    try {
      await execute(next.cell, next.destination, next.origin)
    } catch (error) {
      if (!(error instanceof EmulatorRefusal)) throw error
      // A contract sent a message that the TVM cannot execute; only this message is lost.
      process.emitWarning(`a message to ${next.destination} was dropped: ${error.message}`)
    }
    await yieldToEventLoop()
  }
  return { executions, refusals, waiting: queue, changed: states.changed, endLt: lt }
}

/** The limits of the real chain for external messages. */
const deepestMessage = 512
const longestMessage = 65_535

/** @throws UnreadableMessageError */
export function readExternal(cell: Cell): RootMessage {
  const { info } = readMessage(cell)
  if (info.type !== 'external-in') {
    throw new UnreadableMessageError(`unsupported message type: ${info.type}`)
  }
  if (cell.depth() > deepestMessage) {
    throw new UnreadableMessageError(`the message is nested deeper than ${deepestMessage} cells`)
  }
  if (cell.toBoc().length > longestMessage) {
    throw new UnreadableMessageError(`the message is longer than ${longestMessage} bytes`)
  }
  return { destination: info.dest.toRawString(), cell: () => cell, mayBeRefused: true }
}

function readMessage(cell: Cell): Message {
  try {
    return loadMessage(cell.beginParse())
  } catch (error) {
    throw new UnreadableMessageError(`the cell is not a message: ${messageOf(error)}`)
  }
}

/** Sets the creation time on execution. @throws UnreadableMessageError */
export function fromNowhere(message: Message): RootMessage {
  const { info } = message
  if (info.type !== 'internal') {
    throw new UnreadableMessageError(`unsupported message type: ${info.type}`)
  }
  return {
    destination: info.dest.toRawString(),
    cell: (createdLt, createdAt) =>
      beginCell()
        .store(storeMessage({ ...message, info: { ...info, createdLt, createdAt } }))
        .endCell(),
    mayBeRefused: false,
  }
}

const longestMs = 15

let lastPause = performance.now()

/** Lets timers and sockets run if they have not run for `longestMs`. */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - lastPause < longestMs) return
  await new Promise((resolve) => setImmediate(resolve))
  lastPause = performance.now()
}
