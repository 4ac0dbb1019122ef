import type { AccountStatus } from '../../../../src-preload/contract/chain.ts'
import type { LookupRow } from '../../../../src-preload/contract/lookup.ts'
import { formatUnits } from '../../../amount.ts'
import type { Tone } from '../../../ui/tag.tsx'

export const statusTones: Record<AccountStatus, Tone> = {
  active: 'ok',
  uninit: 'plain',
  nonexist: 'plain',
  frozen: 'warn',
}

export const stateWords: Record<LookupRow['state'], string> = {
  waiting: 'waiting',
  answered: 'answered',
  failed: 'failed',
  duplicate: 'duplicate',
  'wrong-network': 'wrong network',
  invalid: 'invalid',
}

export const stateTones: Record<LookupRow['state'], Tone> = {
  waiting: 'plain',
  answered: 'ok',
  failed: 'bad',
  duplicate: 'plain',
  'wrong-network': 'warn',
  invalid: 'bad',
}

type Flag = { readonly word: string; readonly tone: Tone; readonly why: string }

/** What is to be minded before money is sent there. */
export function flagsOf({ isScam, isSuspended, memoRequired }: LookupRow): Flag[] {
  const flags: Flag[] = []
  if (isScam) {
    const why = 'The gateway has this account on its list of scams.'
    flags.push({ word: 'scam', tone: 'bad', why })
  }
  if (isSuspended) {
    const why = 'The network’s configuration has suspended this account.'
    flags.push({ word: 'suspended', tone: 'warn', why })
  }
  if (memoRequired) {
    const why = 'What is sent without a comment may be lost: its owner tells senders apart by it.'
    flags.push({ word: 'memo', tone: 'warn', why })
  }
  return flags
}

/** Whether its friendly form is the bounceable one, as in exported files: a contract lives there. */
export function isContract({ status, walletKind }: LookupRow): boolean {
  return status === 'active' && walletKind === null
}

/** What the account is: a wallet of a kind, else the interfaces the gateway recognised. */
export function kindOf({ walletKind, interfaces }: LookupRow): string {
  return walletKind ?? interfaces.join(', ')
}

/**
 * A decimal fraction in a currency, grouped and rounded: two decimals, or eight below one. Worked out
 * on digits: a float would round a second time.
 */
export function formatDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  // Something like 3e-7: told as it stands rather than wrongly.
  if (whole === '') return text
  const decimals = BigInt(whole) > 0n || /^0*$/.test(fraction) ? 2 : 8
  const kept = fraction.slice(0, decimals).padEnd(decimals, '0')
  const up = (fraction[decimals] ?? '0') >= '5' ? 1n : 0n
  const units = (BigInt(whole + kept) + up).toString()
  return formatUnits(sign + units, decimals)
}
