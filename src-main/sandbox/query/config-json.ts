import {
  type Cell,
  type DictionaryKey,
  type DictionaryValue,
  type Slice,
  Dictionary,
} from '@ton/core'
import { formatCell } from '../../ton/boc.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

/**
 * Reads a part of a cell with a layout of block.tlb. Only the parameters and versions are known that the
 * configuration of `@ton/sandbox` has, which is fixed; a test fails if an update brings others.
 */
type Reader<T = unknown> = (slice: Slice) => T
type Fields = Readonly<Record<string, unknown>>

class ConfigError extends Error {}

const hash: Reader<string> = (slice) => slice.loadBuffer(32).toString('hex')
const masterAddress: Reader<string> = (slice) => `-1:${hash(slice)}`
/** The service writes a uint64 as the int64 with the same bits. */
const int64: Reader<bigint> = (slice) => BigInt.asIntN(64, slice.loadUintBig(64))
const coins: Reader<bigint> = (slice) => slice.loadCoins()

const types: Readonly<Record<string, Reader>> = lookupTable({
  hash,
  int64,
  coins,
  address: masterAddress,
  bool: (slice) => slice.loadBit(),
  coinsText: (slice) => slice.loadCoins().toString(),
})

/**
 * Reads fields in order.
 * @param layout `name:type` of each field; `uN` is an unsigned number with N bits
 * @param own types besides the common ones
 */
function record(layout: string, own: Readonly<Record<string, Reader>> = {}): Reader<Fields> {
  const fields = layout.split(' ').map((field) => {
    const [name = '', type = ''] = field.split(':')
    const bits = /^u(\d+)$/.exec(type)?.[1]
    const reader = bits === undefined ? (own[type] ?? types[type]) : undefined
    if (bits === undefined && reader === undefined) throw new Error(`no type ${type}`)
    return [name, reader ?? ((slice: Slice) => slice.loadUint(Number(bits)))] as const
  })
  return (slice) => Object.fromEntries(fields.map(([name, read]) => [name, read(slice)]))
}

const tagged =
  <T>(cases: Readonly<Record<number, Reader<T>>>): Reader<T> =>
  (slice) => {
    const tag = slice.loadUint(8)
    const reader = cases[tag]
    if (reader === undefined) throw new ConfigError(`unknown tag ${tag.toString(16)}`)
    return reader(slice)
  }

const inRef =
  <T>(reader: Reader<T>): Reader<T> =>
  (slice) =>
    reader(slice.loadRef().beginParse())

const named =
  (name: string, reader: Reader): Reader<Fields> =>
  (slice) => ({ [name]: reader(slice) })

const { Keys: keys, Values: values } = Dictionary

const valueOf = <T>(parse: Reader<T>): DictionaryValue<T> => ({
  serialize: () => {
    throw new ConfigError('the configuration is only read')
  },
  parse,
})

const nothing = valueOf(() => null)

/** Reads a dictionary: in a reference and possibly empty, or inline (`direct`) and not empty. */
function list<K extends bigint | number | Buffer, V>(
  key: DictionaryKey<K>,
  value: DictionaryValue<V>,
  entry: (key: K, value: V) => unknown,
  form: 'inRef' | 'direct' = 'inRef',
): Reader {
  return (slice) => {
    const found = form === 'direct' ? slice.loadDictDirect(key, value) : slice.loadDict(key, value)
    return [...found].map(([each, content]) => entry(each, content))
  }
}

const numbers = list(keys.Int(32), nothing, (number) => number, 'direct')

const burning: Reader = tagged({
  0x01: (slice) => ({
    ...(slice.loadBit() ? { blackhole_addr: masterAddress(slice) } : {}),
    ...record('fee_burn_nom:u32 fee_burn_denom:u32')(slice),
  }),
})

const currencies = list(keys.Uint(32), values.BigVarUint(5), (id, amount) => ({
  currency_id: id,
  amount: amount.toString(),
}))

const proposal = inRef(
  tagged({
    0x36: record(
      'min_tot_rounds:u8 max_tot_rounds:u8 min_wins:u8 max_losses:u8 min_store_sec:u32 max_store_sec:u32 bit_price:u32 cell_price:u32',
    ),
  }),
)

const workchain = record(
  'enabled_since:u32 actual_min_split:u8 min_split:u8 max_split:u8 basic:u1 active:bool accept_msgs:bool flags:u13 zerostate_root_hash:hash zerostate_file_hash:hash version:u32',
)
const workchains = list(
  keys.Int(32),
  valueOf(tagged({ 0xa7: workchain })),
  (number, description) => ({ workchain: number, ...description }),
)

const storagePrice = tagged({
  0xcc: record(
    'utime_since:u32 bit_price_ps:int64 cell_price_ps:int64 mc_bit_price_ps:int64 mc_cell_price_ps:int64',
  ),
})
const storagePrices = list(keys.Uint(32), valueOf(storagePrice), (_, price) => price, 'direct')

const gasLimits =
  'gas_credit:int64 block_gas_limit:int64 freeze_due_limit:int64 delete_due_limit:int64'
const plainGas = tagged({
  0xde: record(`gas_price:int64 gas_limit:int64 special_gas_limit:int64 ${gasLimits}`),
})
const flatGas = record('flat_gas_limit:int64 flat_gas_price:int64')
const gas = tagged({ 0xd1: (slice) => ({ ...flatGas(slice), ...plainGas(slice) }) })

const limits = tagged({ 0xc3: record('underload:u32 soft_limit:u32 hard_limit:u32') })
const blockLimits = record('bytes:limits gas:limits lt_delta:limits', { limits })

const forwardPrices = record(
  'lump_price:int64 bit_price:int64 cell_price:int64 ihr_price_factor:u32 first_frac:u16 next_frac:u16',
)

const precompiled = list(
  keys.Buffer(32),
  valueOf(tagged({ 0xb0: int64 })),
  (codeHash, gas_usage) => ({ code_hash: codeHash.toString('hex'), gas_usage }),
)

const catchain =
  'flags:u7 shuffle_mc_validators:bool mc_catchain_lifetime:u32 shard_catchain_lifetime:u32 shard_validators_lifetime:u32 shard_validators_num:u32'

const consensus =
  'flags:u7 new_catchain_ids:bool round_candidates:u8 next_candidate_delay_ms:u32 consensus_timeout_ms:u32 fast_attempts:u32 attempt_duration:u32 catchain_max_deps:u32 max_block_bytes:u32 max_collated_bytes:u32 proto_version:u16 catchain_max_blocks_coeff:u32'

const publicKey: Reader<string> = (slice) => {
  if (slice.loadUint(32) !== 0x8e81278a) throw new ConfigError('no Ed25519 key')
  return hash(slice)
}
const validator = valueOf(
  tagged({
    0x73: record('public_key:key weight:int64 adnl_addr:hash', { key: publicKey }),
  }),
)
const validatorSet = 'utime_since:u32 utime_until:u32 total:u16 main:u16'
const validators = tagged({
  0x12: record(`${validatorSet} total_weight:weight list:validators`, {
    weight: (slice) => int64(slice).toString(),
    validators: list(keys.Uint(16), validator, (_, each) => each),
  }),
})

const fundamental = list(keys.Buffer(32), nothing, (each) => `-1:${each.toString('hex')}`)

const suspended = list(
  keys.Buffer(36),
  nothing,
  (each) => `${each.readInt32BE(0)}:${each.subarray(4).toString('hex')}`,
)

const oracles = list(keys.Buffer(32), values.Buffer(32), (address, key) => ({
  address: `-1:${address.toString('hex')}`,
  secp_pubkey: key.toString('hex'),
}))

const oracleBridge = record(
  'bridge_addr:address oracle_multisig_address:address oracles:oracles external_chain_address:hash',
  { oracles },
)

function bridgePrices(slice: Slice) {
  const [burnFee, mintFee, wallet, walletGas, minter] = Array.from({ length: 5 }, () =>
    coins(slice),
  )
  return {
    bridge_burn_fee: burnFee,
    bridge_mint_fee: mintFee,
    wallet_min_tons_for_storage: wallet,
    wallet_min_gram_for_storage: wallet,
    wallet_gas_consumption: walletGas,
    minter_min_tons_for_storage: minter,
    minter_min_gram_for_storage: minter,
    discover_gas_consumption: coins(slice),
  }
}

const jettonBridge = tagged({
  0x01: record(
    'bridge_address:address oracles_address:address oracles:oracles state_flags:u8 prices:prices external_chain_address:hash',
    { oracles, prices: inRef(bridgePrices) },
  ),
})

const shared = (numbers: readonly number[], reader: Reader): Readonly<Record<number, Reader>> =>
  Object.fromEntries(numbers.map((number) => [number, reader]))

const readers: Readonly<Record<number, Reader>> = {
  ...shared([0, 1, 2, 4], masterAddress),
  5: burning,
  7: named('currencies', currencies),
  8: tagged({ 0xc4: record('version:u32 capabilities:int64') }),
  9: named('mandatory_params', numbers),
  10: named('critical_params', numbers),
  11: tagged({ 0x91: record('normal_params:proposal critical_params:proposal', { proposal }) }),
  12: named('workchains', workchains),
  13: tagged({ 0x1a: record('deposit:coins bit_price:coins cell_price:coins') }),
  14: tagged({ 0x6b: record('masterchain_block_fee:coins basechain_block_fee:coins') }),
  15: record(
    'validators_elected_for:u32 elections_start_before:u32 elections_end_before:u32 stake_held_for:u32',
  ),
  16: record('max_validators:u16 max_main_validators:u16 min_validators:u16'),
  17: record(
    'min_stake:coinsText max_stake:coinsText min_total_stake:coinsText max_stake_factor:u32',
  ),
  18: named('storage_prices', storagePrices),
  ...shared([20, 21], named('gas_limits_prices', gas)),
  ...shared([22, 23], named('block_limits', tagged({ 0x5d: blockLimits }))),
  ...shared([24, 25], named('msg_forward_prices', tagged({ 0xea: forwardPrices }))),
  28: tagged({ 0xc2: record(catchain) }),
  29: tagged({ 0xd9: record(consensus) }),
  31: named('fundamental_smc_addr', fundamental),
  ...shared([32, 34, 36], validators),
  44: tagged({ 0x00: record('accounts:suspended suspended_until:u32', { suspended }) }),
  45: named('contracts', tagged({ 0xc0: precompiled })),
  ...shared([71, 72], named('oracle_bridge_params', oracleBridge)),
  79: named('jetton_bridge_params', jettonBridge),
}

/** Required fields that are missing on some chains. */
const absent = {
  2: `-1:${'0'.repeat(64)}`,
  4: `-1:${'0'.repeat(64)}`,
  44: { accounts: [], suspended_until: 0 },
}

export function serializeConfig(config: Cell): object {
  const text = [...parametersOf(config)].map(
    ([number, cell]) => [number, readParameter(number, cell)] as const,
  )
  const present = text.filter(([, value]) => value !== undefined)
  return { raw: formatCell(config), ...absent, ...Object.fromEntries(present) }
}

/** Serializes a RawBlockchainConfig of the service; unknown parameters are BOCs. */
export function serializeRawConfig(config: Cell): object {
  const text = [...parametersOf(config)].map(([number, cell]) => [
    `config_param${number}`,
    readParameter(number, cell) ?? { raw: formatCell(cell) },
  ])
  return { config: Object.fromEntries(text) as object }
}

const parametersOf = (config: Cell): ReadonlyMap<number, Cell> =>
  new Map(config.beginParse().loadDictDirect(keys.Int(32), values.Cell()))

function readParameter(number: number, cell: Cell): unknown {
  try {
    return readers[number]?.(cell.beginParse())
  } catch {
    return undefined
  }
}
