import type { Input } from '../../../../src-preload/contract/routes.ts'
import type { ReplaySubject } from '../../../../src-preload/contract/replay.ts'
import { formatCount } from '../../../ui/format.ts'
import { readWhole } from '../../../app/form-values.ts'
import type { DraftErrors } from '../../../app/use-draft.ts'

type ReplayEdit = NonNullable<Input<'replay.start'>['edit']>

export type Order = NonNullable<Input<'replay.start'>['order']>
export type PaceKind = 'fast' | 'original' | 'rate'

/** How something is sent again, while a person writes it: numbers as they are typed. */
export type ReplayDraft = {
  readonly target: string
  readonly pace: PaceKind
  readonly factor: string
  readonly perSecond: string
  readonly parallel: string
  readonly times: string
  readonly order: Order
  readonly keepHost: boolean
  readonly appendPath: boolean
  readonly timeoutSeconds: string
  readonly stopAtFailure: boolean
}

export const newDraft: ReplayDraft = {
  target: '',
  pace: 'fast',
  factor: '1',
  perSecond: '10',
  parallel: '1',
  times: '1',
  order: 'arrival',
  keepHost: false,
  appendPath: false,
  timeoutSeconds: '15',
  stopAtFailure: false,
}

type Read =
  | { readonly order: Input<'replay.start'>; readonly errors: null }
  | { readonly order: null; readonly errors: DraftErrors }

export function readDraft(
  subject: ReplaySubject,
  draft: ReplayDraft,
  edit: ReplayEdit | null,
): Read {
  const errors: Record<string, string> = {}
  const whole = (field: 'parallel' | 'times' | 'timeoutSeconds', most: number): number => {
    const value = readWhole(draft[field])
    if (value !== null && value >= 1 && value <= most) return value
    errors[field] = `From 1 to ${String(most)}.`
    return 1
  }
  const decimal = (field: 'factor' | 'perSecond', least: number, most: number): number => {
    const value = readDecimal(draft[field])
    if (value !== null && value >= least && value <= most) return value
    errors[field] = `From ${String(least)} to ${String(most)}.`
    return 1
  }
  const target = draft.target.trim()
  if (target === '') errors['target'] = 'Give the URL to send to.'
  const order = {
    subject,
    target,
    edit,
    pace: readPace(draft.pace, decimal),
    parallel: whole('parallel', 256),
    times: whole('times', 1000),
    order: draft.order,
    keepHost: draft.keepHost,
    appendPath: draft.appendPath,
    timeoutSeconds: whole('timeoutSeconds', 120),
    stopAtFailure: draft.stopAtFailure,
  }
  return Object.keys(errors).length > 0 ? { order: null, errors } : { order, errors: null }
}

function readPace(
  kind: PaceKind,
  decimal: (field: 'factor' | 'perSecond', least: number, most: number) => number,
): NonNullable<Input<'replay.start'>['pace']> {
  switch (kind) {
    case 'fast':
      return { kind }
    case 'original':
      return { kind, factor: decimal('factor', 0.1, 1000) }
    case 'rate':
      return { kind, perSecond: decimal('perSecond', 0.01, 10_000) }
  }
}

/** A rate, and no amount of money: a float will do. */
function readDecimal(text: string): number | null {
  const plain = text.trim().replace(',', '.')
  return /^\d{1,9}(\.\d{1,6})?$/.test(plain) ? Number(plain) : null
}

/** What would be sent, in words: `capture 12`, `3 captures`, `what event:invoice finds`. */
export function saySubject(subject: ReplaySubject): string {
  switch (subject.kind) {
    case 'captures': {
      const [only = 0] = subject.ids
      return subject.ids.length === 1
        ? `capture ${String(only)}`
        : formatCount(subject.ids.length, 'capture')
    }
    case 'query':
      return subject.text.trim() === '' ? 'all captures' : `what “${subject.text}” finds`
    case 'since':
      return 'everything since'
  }
}

export const orders: readonly {
  readonly value: Order
  readonly label: string
  readonly why: string
}[] = [
  { value: 'arrival', label: 'As they came', why: 'In the order of arrival.' },
  {
    value: 'lt',
    label: 'By logical time',
    why: 'As the chain has them, whatever the order of arrival was.',
  },
  {
    value: 'shuffled',
    label: 'Shuffled',
    why: 'The events of each account out of order on purpose, by a seed that is told: does your handler cope?',
  },
  {
    value: 'doubled',
    label: 'Doubled',
    why: 'Each twice in a row on purpose: does your handler take it once?',
  },
]

/** Those that are few and go nowhere far need no second question. */
export const fewRequests = 20
