import type { Cell, Message } from '@ton/core'
import { beginCell, loadMessage, storeMessage } from '@ton/core'
import type { RootMessage } from './batch.ts'
import { UnreadableMessageError } from './chain.ts'

/** Of the real chain, for messages from outside. */
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
    const why = error instanceof Error ? error.message : String(error)
    throw new UnreadableMessageError(`the cell is not a message: ${why}`)
  }
}

/** Stamped with the moment at which it appears. @throws UnreadableMessageError */
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
