import type { Cell, Slice } from '@ton/core'
import { formatCell } from '../../ton/boc.ts'
import {
  readFundamental,
  readJettonBridge,
  readOracleBridge,
  readSuspended,
} from './config/addresses.ts'
import {
  readBlockFees,
  readBlockLimits,
  readComplaintPrices,
  readForwardPrices,
  readGas,
  readPrecompiled,
  readSizeLimits,
  readStoragePrices,
} from './config/fees.ts'
import { directEntries, keys, masterAddress, values } from './config/reading.ts'
import {
  readCatchain,
  readConsensus,
  readElections,
  readPunishment,
  readStakes,
  readValidatorNumbers,
  readValidatorSet,
} from './config/validators.ts'
import {
  readBurning,
  readMintPrices,
  readNumbers,
  readToMint,
  readVersion,
  readVoting,
  readWorkchains,
} from './config/voting.ts'

type Reader = (slice: Slice) => unknown

/** Those the service tells of, by number. */
const readers: ReadonlyMap<number, Reader> = new Map<number, Reader>([
  ...[0, 1, 2, 3, 4].map((number) => [number, masterAddress] as const),
  [5, readBurning],
  [6, readMintPrices],
  [7, readToMint],
  [8, readVersion],
  [9, (slice) => ({ mandatory_params: readNumbers(slice) })],
  [10, (slice) => ({ critical_params: readNumbers(slice) })],
  [11, readVoting],
  [12, readWorkchains],
  [13, readComplaintPrices],
  [14, readBlockFees],
  [15, readElections],
  [16, readValidatorNumbers],
  [17, readStakes],
  [18, readStoragePrices],
  [20, readGas],
  [21, readGas],
  [22, readBlockLimits],
  [23, readBlockLimits],
  [24, readForwardPrices],
  [25, readForwardPrices],
  [28, readCatchain],
  [29, readConsensus],
  [31, readFundamental],
  ...[32, 33, 34, 35, 36, 37].map((number) => [number, readValidatorSet] as const),
  [40, readPunishment],
  [43, readSizeLimits],
  [44, readSuspended],
  [45, readPrecompiled],
  ...[71, 72, 73].map((number) => [number, readOracleBridge] as const),
  ...[79, 81, 82].map((number) => [number, readJettonBridge] as const),
])

/** What must be there, and is not on every chain. */
const absent = {
  2: `-1:${'0'.repeat(64)}`,
  4: `-1:${'0'.repeat(64)}`,
  44: { accounts: [], suspended_until: 0 },
}

/** BlockchainConfig of the service. */
export function serializeConfig(config: Cell): object {
  const parameters = parametersOf(config)
  const printed = [...readers].flatMap(([number, reader]) => {
    const cell = parameters.get(number)
    const value = cell === undefined ? undefined : readParameter(cell, reader)
    return value === undefined ? [] : [[number, value] as const]
  })
  return { raw: formatCell(config), ...absent, ...Object.fromEntries(printed) }
}

/** RawBlockchainConfig of the service: all there is, with what cannot be read as a BOC. */
export function serializeRawConfig(config: Cell): object {
  const printed = [...parametersOf(config)].map(([number, cell]) => {
    const reader = readers.get(number)
    const value = reader === undefined ? undefined : readParameter(cell, reader)
    return [`config_param${number}`, value ?? { raw: formatCell(cell) }] as const
  })
  return { config: Object.fromEntries(printed) }
}

function parametersOf(config: Cell): ReadonlyMap<number, Cell> {
  return new Map(directEntries(config.beginParse(), keys.Int(32), values.Cell()))
}

/** Undefined for one that is laid out otherwise: it is left out rather than told wrongly. */
function readParameter(cell: Cell, reader: Reader): unknown {
  try {
    return reader(cell.beginParse())
  } catch {
    return undefined
  }
}
