import { type Cell, type Message, beginCell, loadMessage, storeMessage } from '@ton/core'
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
  if (byteLength(cell) > longestMessage) {
    throw new UnreadableMessageError(`the message is longer than ${longestMessage} bytes`)
  }
  return { destination: info.dest.toRawString(), cell: () => cell, mayBeRefused: true }
}

/** Of a BOC, about; each cell counts once. */
function byteLength(root: Cell): number {
  if (root.refs.length === 0) return Math.ceil(root.bits.length / 8)
  const seen = new Set<string>()
  const open = [root]
  let bytes = 0
  for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
    const hash = cell.hash().toString('latin1')
    if (seen.has(hash)) continue
    seen.add(hash)
    bytes += 2 + Math.ceil(cell.bits.length / 8) + 2 * cell.refs.length
    open.push(...cell.refs)
  }
  return bytes
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
