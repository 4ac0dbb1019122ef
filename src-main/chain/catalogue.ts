/** Messages and exit codes of public standards and of well-known contracts, read from ton/catalogue.json. */
import { isDeepStrictEqual } from 'node:util'
import type { Cell } from '@ton/core'
import type { DecodedBody } from '../../src-preload/contract/chain/transaction.ts'
import catalogue from '../ton/catalogue.json' with { type: 'json' }
import { walletVersionOf } from '../ton/wallet.ts'
import { decodeBody } from './body-codec.ts'
import { parseTlb } from './tl-b.ts'

type Entry = {
  readonly source: string
  /** If set, the entry applies only to wallets of these versions. */
  readonly wallets?: readonly string[]
  /**
   * If set, the entry applies only to contracts with these code hashes. An entry without `wallets`
   * and `codes` applies to every contract.
   */
  readonly codes?: readonly string[]
  /** Each text declares one message in TL-B. */
  readonly messages?: readonly string[]
  readonly errors?: Readonly<Record<string, string>>
}

const entries = (catalogue.contracts satisfies readonly Entry[] as readonly Entry[]).map(
  ({ messages = [], ...entry }) => ({
    ...entry,
    content: messages.length === 0 ? null : parseTlb(messages.join('\n')),
  }),
)
const standards = entries.filter(({ wallets, codes }) => wallets === undefined && !codes)

function ownEntries(codeHash: string): typeof entries {
  const version = walletVersionOf(codeHash)
  return entries.filter(
    ({ wallets, codes }) =>
      codes?.includes(codeHash) || (version !== null && wallets?.includes(version)),
  )
}

/**
 * Reads the entries for a contract's code, else the standards. Returns null where they disagree.
 * @param codeHash undefined while the code of the contract is unknown
 */
function find<T>(
  codeHash: string | undefined,
  read: (entry: (typeof entries)[number]) => T | null | undefined,
): T | null {
  const own = codeHash === undefined ? [] : ownEntries(codeHash)
  for (const some of [own, standards]) {
    const [first, ...others] = some.flatMap((entry) => read(entry) ?? [])
    if (first === undefined) continue
    return others.every((each) => isDeepStrictEqual(each, first)) ? first : null
  }
  return null
}

export const decodeByCatalogue = (codeHash: string | undefined, body: Cell): DecodedBody | null =>
  find(codeHash, ({ content, source }) => {
    const decoded = content && decodeBody(content, body)
    return decoded && { ...decoded, source }
  })

export const nameByCatalogue = (codeHash: string | undefined, opcode: number) =>
  find(codeHash, ({ content, source }) => {
    const message = content?.messages.find((each) => each.opcode === opcode)
    return message && { operation: message.name, operationSource: source }
  })

/** Exit codes mean different things in different contracts, so only a known code names them. */
export function describeExitByCatalogue(codeHash: string | undefined, code: number): string | null {
  return find(codeHash, ({ errors }) => errors?.[code])
}
