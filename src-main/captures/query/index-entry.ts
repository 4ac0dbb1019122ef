import type { Asset } from '../../../src-preload/contract/chain.ts'
import type { Searchable } from '../store/index/search.ts'
import type { Terms } from '../store/index/terms.ts'
import type { LateTraits, Traits } from '../store/index/traits.ts'
import { digestOfTold, everyToken, facetsOf, termToken, wordsOfSubject } from './facets.ts'
import type { Subject } from './subject.ts'

/** What the index keeps of a capture, to be found by words and facets. */
export function searchableOf(subject: Subject, terms: Terms): Searchable {
  const words = wordsOfSubject(subject)
  const { shared, tokens } = facetsOf(subject, words)
  const ids = shared.map(({ key, value }) => terms.idOf(key, value))
  const facets = [everyToken, ...tokens, ...new Set(ids)]
    .map((token) => (typeof token === 'number' ? termToken(token) : token))
    .join(' ')
  return { ...words, facets }
}

/** What the index keeps of a capture, to be compared. */
export function traitsOf(subject: Subject, terms: Terms): Traits {
  return {
    receivedAt: subject.receivedAt,
    isReceived: subject.origin === 'received',
    lt: subject.lt,
    size: subject.bodyBytes,
    took: subject.durationUs ?? 0,
    ...lateTraitsOf(subject, terms),
  }
}

/** More units of an asset than these stand in the index as these. */
export const largestUnits = 2n ** 63n - 1n

export function lateTraitsOf(subject: Subject, terms: Terms): LateTraits {
  const meaning = subject.later?.meaning
  const amount = meaning?.amount ?? null
  const idOf = (key: string, value: string | null | undefined) =>
    value === null || value === undefined ? null : terms.idOf(key, value)
  const units = amount === null ? null : BigInt(amount.units)
  const success = meaning?.success ?? null
  return {
    network: idOf('network', subject.network),
    meaning: idOf('meaning', meaning?.state),
    asset: amount === null ? null : terms.idOf('asset', formatAsset(amount.asset)),
    amount: units !== null && units > largestUnits ? largestUnits : units,
    direction: idOf('direction', amount?.direction),
    opcode: idOf('opcode', meaning?.opcode?.toLowerCase()),
    exit: idOf('exit', meaning?.exitCode?.toString()),
    success: success === null ? null : terms.idOf('success', success ? 'yes' : 'no'),
    told: digestOfTold(subject),
  }
}

/** An asset as one value, and back. */
function formatAsset({ jetton, symbol, decimals }: Asset): string {
  return [symbol.replaceAll('\n', ' '), decimals, jetton ?? ''].join('\n')
}

export function readAsset(value: string): Asset {
  const [symbol = '', decimals = '0', jetton = ''] = value.split('\n')
  return { symbol, decimals: Number(decimals), jetton: jetton === '' ? null : jetton }
}
