import { defaultConfig } from '@ton/sandbox/dist/config/defaultConfig.js'
import type { NetworkName } from './chain.ts'

/** Parameter 19, which contracts see as GLOBALID. */
export const globalIds: Readonly<Record<NetworkName, number>> = { mainnet: -239, testnet: -3 }

/**
 * The configuration the TVM runs with, a BOC in base64: the main network's as @ton/sandbox has it, and
 * for the test network the same with its own global id.
 */
export function networkConfig(network: NetworkName): string {
  return network === 'mainnet' ? defaultConfig : withGlobalId(globalIds[network])
}

/**
 * Parsing and writing its 600 cells anew would take longer than all the rest of a start, so the one
 * number is changed where it stands: in a cell without references, of 4 bytes.
 */
function withGlobalId(globalId: number): string {
  const boc = Buffer.from(defaultConfig, 'base64')
  const cellOf = (id: number) => {
    const cell = Buffer.from([0, 8, 0, 0, 0, 0])
    cell.writeInt32BE(id, 2)
    return cell
  }
  const at = boc.indexOf(cellOf(globalIds.mainnet))
  if (at < 0) throw new Error('the configuration has no global id')
  cellOf(globalId).copy(boc, at)
  // Its checksum is of another text; it may be left out.
  const flagsAt = 4
  const hasChecksum = 0x40
  const flags = boc.readUInt8(flagsAt)
  boc.writeUInt8(flags & ~hasChecksum, flagsAt)
  return boc.subarray(0, flags & hasChecksum ? -4 : undefined).toString('base64')
}
