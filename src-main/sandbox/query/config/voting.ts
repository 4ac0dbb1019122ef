/** 5 to 12: what is burnt and minted, who may change what, the workchains. */
import type { Slice } from '@ton/core'
import {
  entries,
  directEntries,
  expectTag,
  hex256,
  int64,
  keys,
  nothing,
  read,
  values,
} from './reading.ts'

export function readBurning(slice: Slice) {
  expectTag(slice, 0x01)
  const blackhole = slice.loadBit() ? `-1:${hex256(slice)}` : null
  return {
    ...(blackhole === null ? {} : { blackhole_addr: blackhole }),
    fee_burn_nom: slice.loadUint(32),
    fee_burn_denom: slice.loadUint(32),
  }
}

export function readMintPrices(slice: Slice) {
  return { mint_new_price: slice.loadCoins(), mint_add_price: slice.loadCoins() }
}

export function readToMint(slice: Slice) {
  return {
    currencies: entries(slice, keys.Uint(32), values.BigVarUint(5)).map(([id, amount]) => ({
      currency_id: id,
      amount: amount.toString(),
    })),
  }
}

export function readVersion(slice: Slice) {
  expectTag(slice, 0xc4)
  return { version: slice.loadUint(32), capabilities: int64(slice) }
}

/** Numbers of parameters. */
export function readNumbers(slice: Slice): number[] {
  return directEntries(slice, keys.Int(32), nothing).map(([key]) => key)
}

export function readVoting(slice: Slice) {
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

export function readWorkchains(slice: Slice) {
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
