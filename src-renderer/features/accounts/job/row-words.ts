import type { AccountStatus, LookupRow } from '../../../../src-preload/contract/index.ts'
import { formatNumber } from '../../../format.ts'
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

export type Flag = { readonly word: string; readonly tone: Tone; readonly why: string }

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
    flags.push({ word: 'comment needed', tone: 'warn', why })
  }
  return flags
}

/** What the account is: a wallet of a kind, else the interfaces the gateway recognised. */
export function kindOf({ walletKind, interfaces }: LookupRow): string {
  return walletKind ?? interfaces.join(', ')
}

/** A decimal fraction as the gateway gave it, grouped, with at least two decimals. */
export function formatDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  // Something like 3e-7: told as it stands rather than wrongly.
  if (whole === '') return text
  return `${sign === '' ? '' : '−'}${formatNumber(BigInt(whole))}.${fraction.padEnd(2, '0')}`
}
