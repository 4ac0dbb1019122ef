import type {
  DifferenceKind,
  Plan,
  SubscriptionsFormat,
} from '../../../../src-preload/contract/subscription.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import type { Tone } from '../../../ui/layout.tsx'

export const kindLabels: Record<DifferenceKind, string> = {
  missing: 'missing',
  extra: 'extra',
  'wrong-network': 'wrong network',
  duplicate: 'duplicate',
  invalid: 'invalid',
}

export const kindTones: Record<DifferenceKind, Tone> = {
  missing: 'ok',
  extra: 'warn',
  'wrong-network': 'warn',
  duplicate: 'plain',
  invalid: 'bad',
}

/** By the file's name, else by its beginning. */
export function formatOf(name: string, text: string): SubscriptionsFormat {
  if (/\.ya?ml$/i.test(name)) return 'yaml'
  if (/\.(csv|tsv)$/i.test(name)) return 'csv'
  const first = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#'))
  // YAML begins with a key, a list or a map; an endpoint has a colon too, but no space behind it.
  return first !== undefined && !/^(["']?\w+["']?:(\s|$)|- |[[{]|---)/.test(first) ? 'csv' : 'yaml'
}

/** A short file of each format, as it is read and written. */
export function exampleOf(format: SubscriptionsFormat, network: NetworkId): string {
  return format === 'csv'
    ? `endpoint,kind,value,label,id
https://example.com/hook,mempool,false,,
https://example.com/hook,opcode,0x0f8a7ea5,,
https://example.com/hook,account,${friendly},,
https://example.com/hook,account,${raw},Treasury,`
    : `version: 1
network: ${network}
webhooks:
  - endpoint: https://example.com/hook
    new_contracts: false
    mempool: false
    opcodes:
      - "0x0f8a7ea5"
    accounts:
      - ${friendly}
      - address: ${raw}
        label: Treasury`
}

const friendly = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const raw = '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8'

/** The command that does the same in a terminal. */
export function commandLine(act: 'plan' | 'apply', file: string, network: string): string {
  const name = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`
  return `tondesk webhooks ${act} ${name} --network ${network}`
}

/** The number of steps that applying takes. */
export function countSteps({ counts }: Plan): number {
  return counts.missing + counts.extra
}

/** The changes that applying makes, a sentence for each webhook that is changed. */
export function describeApply({ webhooks }: Plan): string[] {
  return webhooks
    .filter(({ id, missing, extra }) => id === null || missing + extra > 0)
    .map(({ id, endpoint, missing, extra }) => {
      const parts = [
        id === null && 'created',
        missing > 0 && `${formatNumber(missing)} subscribed`,
        extra > 0 && `${formatNumber(extra)} unsubscribed`,
      ]
      return `${endpoint}: ${parts.filter(Boolean).join(', ')}`
    })
}

/** All differences in a sentence, for screen readers. */
export function describePlan({ counts, same }: Plan): string {
  const kinds = Object.entries(counts).filter(([, count]) => count > 0)
  if (kinds.length === 0)
    return `No differences: ${formatCount(same, 'subscription')} as in the file`
  return kinds
    .map(([kind, count]) => `${formatNumber(count)} ${kindLabels[kind as DifferenceKind]}`)
    .join(', ')
}
