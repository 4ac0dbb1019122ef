import type { LineCounts, LineStatus, LookupLine } from '../../../src-preload/contract/lookup.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import type { Tone } from '../../ui/layout.tsx'

export const lineLabels: Record<LineStatus, string> = {
  valid: 'valid',
  duplicate: 'duplicate',
  'wrong-network': 'wrong network',
  invalid: 'invalid',
}

export const lineTones: Record<LineStatus, Tone> = {
  valid: 'ok',
  duplicate: 'plain',
  'wrong-network': 'warn',
  invalid: 'bad',
}

/** Counts the addresses and the invalid entries. */
export const countAll = (counts: LineCounts): number =>
  counts.valid + counts.duplicate + counts.wrongNetwork + counts.invalid

/** Describes all counts in one sentence, for screen readers. */
export function describeLineCounts(counts: LineCounts): string {
  const left = countAll(counts) === counts.valid ? '' : `, ${describeLeftOut(counts)}`
  return `${formatNumber(counts.valid)} valid${left}`
}

/** Describes the addresses that are not looked up, by reason. */
export function describeLeftOut(counts: LineCounts): string {
  const parts = [
    counts.duplicate > 0 && formatCount(counts.duplicate, 'duplicate'),
    counts.wrongNetwork > 0 && `${formatNumber(counts.wrongNetwork)} on the wrong network`,
    counts.invalid > 0 && `${formatNumber(counts.invalid)} invalid`,
  ]
  return parts.filter(Boolean).join(', ') || 'every line is an address of this network'
}

/** Formats lines for the clipboard: the number, the entry, and why it is not looked up. */
export const formatLines = (lines: readonly LookupLine[]): string =>
  lines.map(({ line, text, reason }) => [line, text, reason ?? ''].join('\t').trimEnd()).join('\n')
