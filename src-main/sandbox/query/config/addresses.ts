/** 31, 44, 71 to 73, 79 to 82: accounts with a part to play, bridges to other chains. */
import type { Slice } from '@ton/core'
import { entries, expectTag, hex256, keys, masterAddress, nothing, values } from './reading.ts'

export function readFundamental(slice: Slice) {
  return {
    fundamental_smc_addr: entries(slice, keys.Buffer(32), nothing).map(
      ([hash]) => `-1:${hash.toString('hex')}`,
    ),
  }
}

export function readSuspended(slice: Slice) {
  expectTag(slice, 0x00)
  const addresses = entries(slice, keys.Buffer(36), nothing)
  return {
    accounts: addresses.map(([key]) => `${key.readInt32BE(0)}:${key.subarray(4).toString('hex')}`),
    suspended_until: slice.loadUint(32),
  }
}

export function readOracleBridge(slice: Slice) {
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

export function readJettonBridge(slice: Slice) {
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
