/** 13, 14, 18, 20 to 25, 43, 45: prices and limits. */
import type { Slice } from '@ton/core'
import { directEntries, entries, expectTag, int64, keys, read } from './reading.ts'

export function readComplaintPrices(slice: Slice) {
  expectTag(slice, 0x1a)
  return { deposit: slice.loadCoins(), bit_price: slice.loadCoins(), cell_price: slice.loadCoins() }
}

export function readBlockFees(slice: Slice) {
  expectTag(slice, 0x6b)
  return { masterchain_block_fee: slice.loadCoins(), basechain_block_fee: slice.loadCoins() }
}

export function readStoragePrices(slice: Slice) {
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

export function readGas(slice: Slice) {
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

export function readBlockLimits(slice: Slice) {
  // The second has limits of collated data behind these, of which the service does not tell.
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

export function readForwardPrices(slice: Slice) {
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

export function readSizeLimits(slice: Slice) {
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

export function readPrecompiled(slice: Slice) {
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
