/** Messages of public standards by opcode, and wallets by the hash of their code. */
import type { Cell } from '@ton/core'
import type { DecodedBody } from '../../src-preload/contract/chain/transaction.ts'
import catalogue from '../ton/catalogue.json' with { type: 'json' }
import { walletVersionOf } from '../ton/wallet.ts'
import { decodeBody } from './body-codec.ts'
import { parseTlb } from './tl-b.ts'

type Entry = {
  readonly source: string
  /** Only for wallets with the code of one of these versions; without any, for every contract. */
  readonly wallets?: readonly string[]
  /** TL-B, one message each. */
  readonly messages?: readonly string[]
  readonly errors?: Readonly<Record<string, string>>
}

const entries = (catalogue.contracts satisfies readonly Entry[] as readonly Entry[]).map(
  (entry) => ({
    ...entry,
    content: entry.messages ? parseTlb(entry.messages.join('\n')) : null,
  }),
)

/** @param codeHash undefined while the code of the contract is unknown */
function entriesFor(codeHash: string | undefined) {
  const version = codeHash === undefined ? null : walletVersionOf(codeHash)
  return entries.filter(
    ({ wallets }) => wallets === undefined || (version !== null && wallets.includes(version)),
  )
}

export function decodeByCatalogue(codeHash: string | undefined, body: Cell): DecodedBody | null {
  for (const { content, source } of entriesFor(codeHash)) {
    const decoded = content && decodeBody(content, body)
    if (decoded !== null) return { ...decoded, source }
  }
  return null
}

export function nameByCatalogue(codeHash: string | undefined, opcode: number): string | null {
  const messages = entriesFor(codeHash).flatMap(({ content }) => content?.messages ?? [])
  return messages.find((each) => each.opcode === opcode)?.name ?? null
}

/** Exit codes mean different things in different contracts, so only a known code names them. */
export function describeExitByCatalogue(codeHash: string | undefined, code: number): string | null {
  const found = entriesFor(codeHash).find(({ errors }) => errors?.[code] !== undefined)
  return found?.errors?.[code] ?? null
}
