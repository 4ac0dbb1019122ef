import type { Cell, Slice } from '@ton/core'
import { formatCell } from '../../ton/boc.ts'
import {
  ConfigError,
  directEntries,
  entries,
  expectTag,
  hex256,
  int64,
  keys,
  masterAddress,
  nothing,
  read,
  values,
} from './config-cells.ts'

/** Parameters 5 to 12: burning, minting, voting, workchains. */

function readBurning(slice: Slice) {
  expectTag(slice, 0x01)
  const blackhole = slice.loadBit() ? `-1:${hex256(slice)}` : null
  return {
    ...(blackhole === null ? {} : { blackhole_addr: blackhole }),
    fee_burn_nom: slice.loadUint(32),
    fee_burn_denom: slice.loadUint(32),
  }
}

function readMintPrices(slice: Slice) {
  return { mint_new_price: slice.loadCoins(), mint_add_price: slice.loadCoins() }
}

function readToMint(slice: Slice) {
  return {
    currencies: entries(slice, keys.Uint(32), values.BigVarUint(5)).map(([id, amount]) => ({
      currency_id: id,
      amount: amount.toString(),
    })),
  }
}

function readVersion(slice: Slice) {
  expectTag(slice, 0xc4)
  return { version: slice.loadUint(32), capabilities: int64(slice) }
}

function readNumbers(slice: Slice): number[] {
  return directEntries(slice, keys.Int(32), nothing).map(([key]) => key)
}

function readVoting(slice: Slice) {
  expectTag(slice, 0x91)
  return {
    normal_params: readProposal(slice.loadRef().beginParse()),
    critical_params: readProposal(slice.loadRef().beginParse()),
  }
}

function readProposal(slice: Slice) {
  expectTag(slice, 0x36)
  return {
    min_tot_rounds: slice.loadUint(8),
    max_tot_rounds: slice.loadUint(8),
    min_wins: slice.loadUint(8),
    max_losses: slice.loadUint(8),
    min_store_sec: slice.loadUint(32),
    max_store_sec: slice.loadUint(32),
    bit_price: slice.loadUint(32),
    cell_price: slice.loadUint(32),
  }
}

function readWorkchains(slice: Slice) {
  return {
    workchains: entries(slice, keys.Int(32), read(readWorkchain)).map(
      ([workchain, description]) => ({
        workchain,
        ...description,
      }),
    ),
  }
}

function readWorkchain(slice: Slice) {
  expectTag(slice, 0xa6, 0xa7)
  return {
    enabled_since: slice.loadUint(32),
    actual_min_split: slice.loadUint(8),
    min_split: slice.loadUint(8),
    max_split: slice.loadUint(8),
    basic: slice.loadUint(1),
    active: slice.loadBit(),
    accept_msgs: slice.loadBit(),
    flags: slice.loadUint(13),
    zerostate_root_hash: hex256(slice),
    zerostate_file_hash: hex256(slice),
    version: slice.loadUint(32),
  }
}

/** Parameters 13, 14, 18, 20 to 25, 43, 45: prices and limits. */

function readComplaintPrices(slice: Slice) {
  expectTag(slice, 0x1a)
  return { deposit: slice.loadCoins(), bit_price: slice.loadCoins(), cell_price: slice.loadCoins() }
}

function readBlockFees(slice: Slice) {
  expectTag(slice, 0x6b)
  return { masterchain_block_fee: slice.loadCoins(), basechain_block_fee: slice.loadCoins() }
}

function readStoragePrices(slice: Slice) {
  const prices = directEntries(slice, keys.Uint(32), read(readStoragePrice))
  return { storage_prices: prices.map(([, price]) => price) }
}

function readStoragePrice(slice: Slice) {
  expectTag(slice, 0xcc)
  return {
    utime_since: slice.loadUint(32),
    bit_price_ps: int64(slice),
    cell_price_ps: int64(slice),
    mc_bit_price_ps: int64(slice),
    mc_cell_price_ps: int64(slice),
  }
}

function readGas(slice: Slice) {
  return { gas_limits_prices: readGasPrices(slice) }
}

const flatGas = 0xd1
const gasPrices = 0xdd
const gasPricesExtended = 0xde

function readGasPrices(slice: Slice) {
  const tag = expectTag(slice, flatGas, gasPrices, gasPricesExtended)
  if (tag !== flatGas) return readPlainGas(slice, tag)
  const flat = { flat_gas_limit: int64(slice), flat_gas_price: int64(slice) }
  return { ...flat, ...readPlainGas(slice, expectTag(slice, gasPrices, gasPricesExtended)) }
}

function readPlainGas(slice: Slice, tag: number) {
  const first = { gas_price: int64(slice), gas_limit: int64(slice) }
  const special = tag === gasPricesExtended ? { special_gas_limit: int64(slice) } : {}
  return {
    ...special,
    ...first,
    gas_credit: int64(slice),
    block_gas_limit: int64(slice),
    freeze_due_limit: int64(slice),
    delete_due_limit: int64(slice),
  }
}

function readBlockLimits(slice: Slice) {
  // The second version appends limits of collated data, which the service omits.
  expectTag(slice, 0x5d, 0x5e)
  return {
    block_limits: {
      bytes: readLimits(slice),
      gas: readLimits(slice),
      lt_delta: readLimits(slice),
    },
  }
}

function readLimits(slice: Slice) {
  expectTag(slice, 0xc3)
  return {
    underload: slice.loadUint(32),
    soft_limit: slice.loadUint(32),
    hard_limit: slice.loadUint(32),
  }
}

function readForwardPrices(slice: Slice) {
  expectTag(slice, 0xea)
  return {
    msg_forward_prices: {
      lump_price: int64(slice),
      bit_price: int64(slice),
      cell_price: int64(slice),
      ihr_price_factor: slice.loadUint(32),
      first_frac: slice.loadUint(16),
      next_frac: slice.loadUint(16),
    },
  }
}

function readSizeLimits(slice: Slice) {
  const tag = expectTag(slice, 0x01, 0x02)
  const first = {
    max_msg_bits: slice.loadUint(32),
    max_msg_cells: slice.loadUint(32),
    max_library_cells: slice.loadUint(32),
    max_vm_data_depth: slice.loadUint(16),
    max_ext_msg_size: slice.loadUint(32),
    max_ext_msg_depth: slice.loadUint(16),
  }
  if (tag === 0x01) return { size_limits_config: first }
  const ofAccounts = {
    max_acc_state_cells: slice.loadUint(32),
    max_acc_state_bits: slice.loadUint(32),
  }
  return { size_limits_config: { ...first, ...ofAccounts } }
}

function readPrecompiled(slice: Slice) {
  expectTag(slice, 0xc0)
  return {
    contracts: entries(slice, keys.Buffer(32), read(readPrecompiledContract)).map(
      ([hash, gas_usage]) => ({ code_hash: hash.toString('hex'), gas_usage }),
    ),
  }
}

function readPrecompiledContract(slice: Slice) {
  expectTag(slice, 0xb0)
  return int64(slice)
}

/** Parameters 15 to 17, 28, 29, 32 to 37, 40: validators, elections, consensus. */

function readElections(slice: Slice) {
  return {
    validators_elected_for: slice.loadUint(32),
    elections_start_before: slice.loadUint(32),
    elections_end_before: slice.loadUint(32),
    stake_held_for: slice.loadUint(32),
  }
}

function readValidatorNumbers(slice: Slice) {
  return {
    max_validators: slice.loadUint(16),
    max_main_validators: slice.loadUint(16),
    min_validators: slice.loadUint(16),
  }
}

function readStakes(slice: Slice) {
  return {
    min_stake: slice.loadCoins().toString(),
    max_stake: slice.loadCoins().toString(),
    min_total_stake: slice.loadCoins().toString(),
    max_stake_factor: slice.loadUint(32),
  }
}

function readCatchain(slice: Slice) {
  const tag = expectTag(slice, 0xc1, 0xc2)
  const added =
    tag === 0xc1 ? {} : { flags: slice.loadUint(7), shuffle_mc_validators: slice.loadBit() }
  return {
    ...added,
    mc_catchain_lifetime: slice.loadUint(32),
    shard_catchain_lifetime: slice.loadUint(32),
    shard_validators_lifetime: slice.loadUint(32),
    shard_validators_num: slice.loadUint(32),
  }
}

function readConsensus(slice: Slice) {
  const tag = expectTag(slice, 0xd6, 0xd7, 0xd8, 0xd9)
  const isFirst = tag === 0xd6
  const added = isFirst ? {} : { flags: slice.loadUint(7), new_catchain_ids: slice.loadBit() }
  return {
    ...added,
    round_candidates: slice.loadUint(isFirst ? 32 : 8),
    next_candidate_delay_ms: slice.loadUint(32),
    consensus_timeout_ms: slice.loadUint(32),
    fast_attempts: slice.loadUint(32),
    attempt_duration: slice.loadUint(32),
    catchain_max_deps: slice.loadUint(32),
    max_block_bytes: slice.loadUint(32),
    max_collated_bytes: slice.loadUint(32),
    ...(tag >= 0xd8 ? { proto_version: slice.loadUint(16) } : {}),
    ...(tag === 0xd9 ? { catchain_max_blocks_coeff: slice.loadUint(32) } : {}),
  }
}

function readValidatorSet(slice: Slice) {
  const tag = expectTag(slice, 0x11, 0x12)
  const head = {
    utime_since: slice.loadUint(32),
    utime_until: slice.loadUint(32),
    total: slice.loadUint(16),
    main: slice.loadUint(16),
  }
  if (tag === 0x11) {
    const list = directEntries(slice, keys.Uint(16), read(readValidator))
    return { ...head, list: list.map(([, validator]) => validator) }
  }
  const total_weight = int64(slice).toString()
  const list = entries(slice, keys.Uint(16), read(readValidator))
  return { ...head, total_weight, list: list.map(([, validator]) => validator) }
}

function readValidator(slice: Slice) {
  const tag = expectTag(slice, 0x53, 0x73)
  if (slice.loadUint(32) !== 0x8e81278a) throw new ConfigError('no Ed25519 key')
  return {
    public_key: hex256(slice),
    weight: int64(slice),
    ...(tag === 0x73 ? { adnl_addr: hex256(slice) } : {}),
  }
}

function readPunishment(slice: Slice) {
  expectTag(slice, 0x01)
  return {
    misbehaviour_punishment_config: {
      default_flat_fine: slice.loadCoins(),
      default_proportional_fine: slice.loadUint(32),
      severity_flat_mult: slice.loadUint(16),
      severity_proportional_mult: slice.loadUint(16),
      unpunishable_interval: slice.loadUint(16),
      long_interval: slice.loadUint(16),
      long_flat_mult: slice.loadUint(16),
      long_proportional_mult: slice.loadUint(16),
      medium_interval: slice.loadUint(16),
      medium_flat_mult: slice.loadUint(16),
      medium_proportional_mult: slice.loadUint(16),
    },
  }
}

/** Parameters 31, 44, 71 to 73, 79 to 82: special accounts and bridges. */

function readFundamental(slice: Slice) {
  return {
    fundamental_smc_addr: entries(slice, keys.Buffer(32), nothing).map(
      ([hash]) => `-1:${hash.toString('hex')}`,
    ),
  }
}

function readSuspended(slice: Slice) {
  expectTag(slice, 0x00)
  const addresses = entries(slice, keys.Buffer(36), nothing)
  return {
    accounts: addresses.map(([key]) => `${key.readInt32BE(0)}:${key.subarray(4).toString('hex')}`),
    suspended_until: slice.loadUint(32),
  }
}

function readOracleBridge(slice: Slice) {
  const bridge_addr = masterAddress(slice)
  const oracle_multisig_address = masterAddress(slice)
  const oracles = readOracles(slice)
  const external_chain_address = hex256(slice)
  return {
    oracle_bridge_params: {
      bridge_addr,
      oracle_multisig_address,
      oracles,
      external_chain_address,
    },
  }
}

function readJettonBridge(slice: Slice) {
  const tag = expectTag(slice, 0x00, 0x01)
  const head = {
    bridge_address: masterAddress(slice),
    oracles_address: masterAddress(slice),
    oracles: readOracles(slice),
    state_flags: slice.loadUint(8),
  }
  if (tag === 0x00) {
    return { jetton_bridge_params: { ...head, burn_bridge_fee: slice.loadCoins() } }
  }
  const prices = readBridgePrices(slice.loadRef().beginParse())
  return { jetton_bridge_params: { ...head, prices, external_chain_address: hex256(slice) } }
}

function readBridgePrices(slice: Slice) {
  const bridge_burn_fee = slice.loadCoins()
  const bridge_mint_fee = slice.loadCoins()
  const wallet = slice.loadCoins()
  const wallet_gas_consumption = slice.loadCoins()
  const minter = slice.loadCoins()
  return {
    bridge_burn_fee,
    bridge_mint_fee,
    wallet_min_tons_for_storage: wallet,
    wallet_min_gram_for_storage: wallet,
    wallet_gas_consumption,
    minter_min_tons_for_storage: minter,
    minter_min_gram_for_storage: minter,
    discover_gas_consumption: slice.loadCoins(),
  }
}

function readOracles(slice: Slice) {
  return entries(slice, keys.Buffer(32), values.Buffer(32)).map(([address, key]) => ({
    address: `-1:${address.toString('hex')}`,
    secp_pubkey: key.toString('hex'),
  }))
}

type Reader = (slice: Slice) => unknown

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

/** Required fields that some chains lack. */
const absent = {
  2: `-1:${'0'.repeat(64)}`,
  4: `-1:${'0'.repeat(64)}`,
  44: { accounts: [], suspended_until: 0 },
}

export function serializeConfig(config: Cell): object {
  const parameters = parametersOf(config)
  const printed = [...readers].flatMap(([number, reader]) => {
    const cell = parameters.get(number)
    const value = cell === undefined ? undefined : readParameter(cell, reader)
    return value === undefined ? [] : [[number, value] as const]
  })
  return { raw: formatCell(config), ...absent, ...Object.fromEntries(printed) }
}

/** RawBlockchainConfig of the service; unknown parameters are BOCs. */
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

/** A parameter with an unknown layout is omitted. */
function readParameter(cell: Cell, reader: Reader): unknown {
  try {
    return reader(cell.beginParse())
  } catch {
    return undefined
  }
}
