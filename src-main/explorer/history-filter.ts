import type { HistoryFilter } from '../../src-preload/contract/chain.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { readOpcode } from '../ton/opcodes.ts'
import { requireAddress } from './address-input.ts'
import type { EntryFilter, HistoryEntry } from './read-history.ts'

/**
 * What a person filters by, understood; null when it is by nothing.
 * @throws AppError INVALID_INPUT, CHAIN_BAD_ADDRESS
 */
export function readHistoryFilter(filter: HistoryFilter): EntryFilter | null {
  const { direction, from, to } = filter
  if (Object.values(filter).every((value) => value === null)) return null
  const asset = filter.asset === null ? null : readAsset(filter.asset)
  const opcode = filter.opcode === null ? null : requireOpcode(filter.opcode)
  return {
    from,
    to,
    matches({ row, opcodes }: HistoryEntry) {
      if (direction !== null && row.direction !== direction) return false
      if (opcode !== null && !opcodes.includes(opcode)) return false
      if (asset === null) return true
      return row.change !== null && row.change.asset.jetton === asset.jetton
    },
  }
}

function readAsset(text: string): { readonly jetton: string | null } {
  const isTon = /^(ton|gram)$/i.test(text.trim())
  return { jetton: isTon ? null : requireAddress(text.trim(), true) }
}

function requireOpcode(text: string): number {
  const trimmed = text.trim()
  const opcode = /^\d{1,10}$/.test(trimmed) ? Number(trimmed) : readOpcode(trimmed.toLowerCase())
  if (opcode !== null && opcode <= 0xffffffff) return opcode
  throw new AppError(
    bridgeCodes.invalidInput,
    'An opcode is 0x and up to eight hexadecimal digits, or a decimal number below 4294967296.',
  )
}
