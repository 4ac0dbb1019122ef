import { type Cell, Dictionary } from '@ton/core'
import type { ConfigParameter } from '../../src-preload/contract/chain.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { ConfigAnswer } from '../gateway/query-answers.ts'
import { formatMoney } from '../../src-preload/domain/amount.ts'
import { parseBoc, formatCell } from '../ton/boc.ts'
import type { ExplorerContext } from '../chain/access.ts'
import { type Leaf, flatten } from '../chain/decoded-fields.ts'

/** A validator set has four hundred validators with three values each. */
const maxFields = 5_000

export function createChainConfig({ access }: ExplorerContext): Pick<Handlers, 'chain.config'> {
  return {
    async 'chain.config'({ network }) {
      const asking = { signal: access.interest(network) }
      const answer = await access.query(network).config(asking)
      return { network, parameters: showConfig(answer), raw: answer.raw }
    },
  }
}

function showConfig(answer: ConfigAnswer): ConfigParameter[] {
  const cells = cellsOf(answer.raw)
  const decoded = Object.keys(answer).filter((key) => /^-?\d+$/.test(key))
  const numbers = new Set([...decoded.map(Number), ...cells.keys()])
  return [...numbers]
    .sort((a, b) => a - b)
    .map((number) => {
      const cell = cells.get(number)
      const fields = flatten(unwrap(answer[String(number)]), maxFields)
      return {
        number,
        ...parameterName(number),
        fields: fields.map((leaf) => ({ name: leaf.name, value: formatLeaf(leaf) })),
        raw: cell === undefined ? null : formatCell(cell),
      }
    })
}

/** Empty for an unknown layout of the raw cell; the decoded parameters are shown anyway. */
function cellsOf(raw: string): ReadonlyMap<number, Cell> {
  try {
    const root = parseBoc(Buffer.from(raw, 'hex'))
    // The configuration contract's address may precede the dictionary.
    const isWithAddress = root.bits.length === 256 && root.refs.length === 1
    const [inner] = root.refs
    const entries = Dictionary.loadDirect(
      Dictionary.Keys.Int(32),
      Dictionary.Values.Cell(),
      isWithAddress && inner !== undefined ? inner : root,
    )
    return new Map(entries)
  } catch {
    return new Map()
  }
}

function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const inner: unknown[] = Object.values(value)
  const [only] = inner
  return inner.length === 1 && typeof only === 'object' ? only : value
}

const momentNames = /(^|\.)(utime_since|utime_until|enabled_since|suspended_until)$/
const tonNames =
  /(^|\.)(min_stake|max_stake|min_total_stake|masterchain_block_fee|basechain_block_fee|mint_new_price|mint_add_price|default_flat_fine)$/

function formatLeaf({ name, value }: Leaf): string {
  const text = value.toString()
  if (!/^\d+$/.test(text)) return text
  if (momentNames.test(name) && text !== '0' && text.length <= 10) {
    return `${text} (${new Date(Number(text) * 1000).toISOString().replace('.000Z', ' UTC').replace('T', ' ')})`
  }
  return tonNames.test(name) ? `${text} (${formatMoney(text, 'TON')})` : text
}

/** Parameters of the blockchain's configuration, as its own scheme (block.tlb) has them. */
type ParameterName = readonly [name: string, description: string]

const gas = (chain: string): ParameterName => [
  `Gas prices of the ${chain}`,
  `Price of gas in the ${chain}, and the gas limits of transactions and blocks.`,
]
const blockLimits = (chain: string): ParameterName => [
  `Block limits of the ${chain}`,
  `Maximum size of a block of the ${chain}: bytes, gas and range of logical time.`,
]
const forward = (chain: string): ParameterName => [
  `Message prices of the ${chain}`,
  `Price of a message in the ${chain}, by its bits and cells.`,
]
const validators = (which: string): ParameterName => [
  `${which} validators`,
  'Public keys, weights and term of the validators.',
]
const oracle = (chain: string): ParameterName => [
  `${chain} bridge`,
  `Contracts and oracles of the bridge between TON and ${chain}.`,
]
const jettonBridge = (chain: string): ParameterName => [
  `${chain} token bridge`,
  `Contracts, oracles and fees of the bridge for tokens of ${chain}.`,
]

const names: Readonly<Record<number, ParameterName>> = {
  0: ['Configuration contract', 'The contract that holds this configuration.'],
  1: ['Elector contract', 'The contract that elects validators.'],
  2: ['Minter contract', 'The contract that mints the coin; the configuration contract if absent.'],
  3: ['Fee collector', 'The contract that receives fees. If absent, the elector receives them.'],
  4: ['DNS root contract', 'The contract that resolves names ending in .ton.'],
  5: ['Fee burning', 'The share of fees that is burned, and where.'],
  6: ['Minting prices', 'Price of minting an extra currency.'],
  7: ['Currencies to mint', 'Extra currencies and the supply of each.'],
  8: ['Global version', 'Version of the protocol and its enabled capabilities.'],
  9: ['Mandatory parameters', 'Parameters that every configuration must have.'],
  10: ['Critical parameters', 'Parameters that only a vote under the stricter rules can change.'],
  11: ['Voting rules', 'Rules for votes on changes of the configuration.'],
  12: ['Workchains', 'All workchains, with how each is split and how it began.'],
  13: ['Complaint prices', 'Price of a complaint about a validator.'],
  14: ['Block rewards', 'Reward that validators receive for creating a block.'],
  15: ['Election times', 'Term of validators and times of elections.'],
  16: ['Numbers of validators', 'Minimum and maximum number of validators.'],
  17: ['Stake limits', 'Minimum and maximum stake of a validator.'],
  18: ['Storage prices', 'Prices of storing a bit and a cell, each with its start time.'],
  19: ['Global id', 'The number that identifies this network in signatures.'],
  20: gas('masterchain'),
  21: gas('basechain'),
  22: blockLimits('masterchain'),
  23: blockLimits('basechain'),
  24: forward('masterchain'),
  25: forward('basechain'),
  28: ['Catchain', 'Lifetimes and sizes of validator groups.'],
  29: ['Consensus', 'Rounds, delays and sizes of the validators’ consensus.'],
  30: ['New consensus', 'Settings of the consensus protocol that replaces catchain.'],
  31: ['Fundamental contracts', 'Contracts that pay no fees for gas or storage.'],
  32: validators('Previous'),
  33: validators('Previous temporary'),
  34: validators('Current'),
  35: validators('Current temporary'),
  36: validators('Next'),
  37: validators('Next temporary'),
  39: ['Signed temporary keys', 'Temporary keys that validators have signed.'],
  40: ['Punishments', 'Fines for validators that misbehave.'],
  43: ['Size limits', 'Maximum size of messages, libraries and account states.'],
  44: ['Suspended addresses', 'Addresses that cannot be initialized, and until when.'],
  45: ['Precompiled contracts', 'Contracts that cost a fixed amount of gas.'],
  71: oracle('Ethereum'),
  72: oracle('BNB Smart Chain'),
  73: oracle('Polygon'),
  79: jettonBridge('Ethereum'),
  81: jettonBridge('BNB Smart Chain'),
  82: jettonBridge('Polygon'),
}

function parameterName(number: number) {
  const [name, description] = names[number] ?? [
    `Parameter ${number}`,
    'No description is available. You can inspect the cell.',
  ]
  return { name, description }
}
