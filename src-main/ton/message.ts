import { type Cell, type Message, loadMessage } from '@ton/core'
import { BocError } from './boc.ts'

/** @throws BocError when the cell is no message */
export function parseMessage(cell: Cell): Message {
  try {
    return loadMessage(cell.beginParse())
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new BocError(`the BOC holds no message: ${why}`)
  }
}
