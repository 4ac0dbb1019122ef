import { type Cell, Dictionary } from '@ton/core'
import type { ConfigParameter } from '../../src-preload/contract/chain.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { ConfigAnswer } from '../gateway/query-answers.ts'
import { formatAmount, tonDecimals } from '../ton/amount.ts'
import { parseBoc, formatCell } from '../ton/boc.ts'
import type { ChainAccess } from './chain-access.ts'
import { parameterName } from './config-names.ts'
import { type Leaf, flatten } from './flatten.ts'

/** A set of validators has four hundred, with three values each. */
const maxFields = 5_000

export function createChainConfig({
  networks,
}: {
  readonly networks: ChainAccess
}): Pick<Handlers, 'chain.config'> {
  return {
    async 'chain.config'({ network }) {
      const asking = { signal: networks.interest(network) }
      const answer = await networks.query(network).config(asking)
      return { network, parameters: showConfig(answer), raw: answer.raw }
    },
  }
}

/** Every parameter that is read or held in the raw cell, by its number. */
function showConfig(answer: ConfigAnswer): ConfigParameter[] {
  const cells = cellsOf(answer.raw)
  const told = Object.keys(answer).filter((key) => /^-?\d+$/.test(key))
  const numbers = new Set([...told.map(Number), ...cells.keys()])
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

/** Empty where the raw cell is laid out in a way not known here: what was read is shown all the same. */
function cellsOf(raw: string): ReadonlyMap<number, Cell> {
  try {
    const root = parseBoc(Buffer.from(raw, 'hex'))
    // The configuration contract's address may stand before the dictionary.
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

/** Many are an object of one object. */
function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const inner: unknown[] = Object.values(value)
  const [only] = inner
  return inner.length === 1 && typeof only === 'object' ? only : value
}

const momentNames = /(^|\.)(utime_since|utime_until|enabled_since|suspended_until)$/
const tonNames =
  /(^|\.)(min_stake|max_stake|min_total_stake|masterchain_block_fee|basechain_block_fee|mint_new_price|mint_add_price|default_flat_fine)$/

/** What is a moment or an amount of TON is told as such beside it. */
function formatLeaf({ name, value }: Leaf): string {
  const text = value.toString()
  if (!/^\d+$/.test(text)) return text
  if (momentNames.test(name) && text !== '0' && text.length <= 10) {
    return `${text} (${new Date(Number(text) * 1000).toISOString().replace('.000Z', ' UTC').replace('T', ' ')})`
  }
  return tonNames.test(name) ? `${text} (${formatAmount(BigInt(text), tonDecimals)} TON)` : text
}
