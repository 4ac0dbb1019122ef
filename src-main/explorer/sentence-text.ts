import type { AccountRef, SentencePart } from '../../src-preload/contract/chain.ts'
import { formatAssetAmount } from '../ton/amount.ts'

/** A sentence as plain text, for where no link can stand. Addresses are shortened. */
export function formatSentence(parts: readonly SentencePart[]): string {
  return parts.map(formatPart).join('')
}

function formatPart(part: SentencePart): string {
  switch (part.kind) {
    case 'words':
      return part.text
    case 'quote':
      return `“${part.text}”`
    case 'account':
      return nameOf(part.account)
    case 'amount':
      return `${formatAssetAmount(BigInt(part.units), part.asset)} ${part.asset.symbol}`
  }
}

function nameOf({ address, name, label }: AccountRef): string {
  return label ?? name ?? `${address.slice(0, 6)}…${address.slice(-4)}`
}
