/** 15 to 17, 28, 29, 32 to 37, 40: validators, their elections and their consensus. */
import type { Slice } from '@ton/core'
import {
  ConfigError,
  directEntries,
  entries,
  expectTag,
  hex256,
  int64,
  keys,
  read,
} from './reading.ts'

export function readElections(slice: Slice) {
  return {
    validators_elected_for: slice.loadUint(32),
    elections_start_before: slice.loadUint(32),
    elections_end_before: slice.loadUint(32),
    stake_held_for: slice.loadUint(32),
  }
}

export function readValidatorNumbers(slice: Slice) {
  return {
    max_validators: slice.loadUint(16),
    max_main_validators: slice.loadUint(16),
    min_validators: slice.loadUint(16),
  }
}

export function readStakes(slice: Slice) {
  return {
    min_stake: slice.loadCoins().toString(),
    max_stake: slice.loadCoins().toString(),
    min_total_stake: slice.loadCoins().toString(),
    max_stake_factor: slice.loadUint(32),
  }
}

export function readCatchain(slice: Slice) {
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

export function readConsensus(slice: Slice) {
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

export function readValidatorSet(slice: Slice) {
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

export function readPunishment(slice: Slice) {
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
