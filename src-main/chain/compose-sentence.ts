import {
  type AccountRef,
  type Asset,
  assetName,
} from '../../src-preload/contract/chain/references.ts'
import type { SentencePart } from '../../src-preload/contract/chain/transaction.ts'
import { formatAssetAmount } from '../../src-preload/domain/amount.ts'

const toWords = (text: string): SentencePart => ({ kind: 'words', text })

export const accountPart = (ref: AccountRef): SentencePart => ({ kind: 'account', account: ref })

export const amount = (units: string, asset: Asset): SentencePart => ({
  kind: 'amount',
  units,
  asset,
})

export const quotePart = (text: string): SentencePart => ({ kind: 'quote', text })

/** Joins adjacent words into one part. */
export function compose(
  texts: TemplateStringsArray,
  ...values: readonly (string | SentencePart | readonly SentencePart[])[]
): SentencePart[] {
  const joined: SentencePart[] = []
  for (const value of texts.flatMap((text, index) => [text, values[index] ?? ''])) {
    for (const part of typeof value === 'string' ? [toWords(value)] : [value].flat()) {
      const last = joined.at(-1)
      if (part.kind !== 'words') joined.push(part)
      else if (last?.kind === 'words') joined.splice(-1, 1, toWords(last.text + part.text))
      else if (part.text !== '') joined.push(part)
    }
  }
  return joined
}

export const countNoun = (number: number, noun: string): string =>
  number === 1 ? `1 ${noun}` : `${number} ${noun}s`

export const enumerateClauses = (clauses: readonly SentencePart[][]): SentencePart[] =>
  clauses.flatMap((clause, index) => {
    if (index === 0) return clause
    return [toWords(index === clauses.length - 1 ? ' and ' : ', '), ...clause]
  })

export function formatSentence(
  sentence: readonly SentencePart[],
  nameOf: (account: AccountRef) => string,
): string {
  return sentence.map((part) => formatPart(part, nameOf)).join('')
}

function formatPart(part: SentencePart, nameOf: (account: AccountRef) => string): string {
  switch (part.kind) {
    case 'words':
      return part.text
    case 'quote':
      return `“${part.text}”`
    case 'account':
      return nameOf(part.account)
    case 'amount':
      return `${formatAssetAmount(BigInt(part.units), part.asset)} ${assetName(part.asset)}`
  }
}
