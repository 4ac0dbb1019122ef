import type { AnswerAction, AnswerRule } from '../../../../src-preload/contract/answer-rule.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { readWhole } from '../../../app/form-values.ts'

/** A rule while a person writes it: numbers as they are typed. */
export type RuleDraft = {
  readonly id: number | null
  readonly filter: string
  readonly kind: AnswerAction['kind']
  readonly status: string
  /** Seconds. */
  readonly delay: string
  /** A line each, `Name: value`. */
  readonly headers: string
  readonly body: string
  /** Bytes. */
  readonly after: string
  /** Empty: all. */
  readonly next: string
  readonly sharePercent: string
  readonly enabled: boolean
}

export const newRule: RuleDraft = {
  id: null,
  filter: '',
  kind: 'answer',
  status: '500',
  delay: '0',
  headers: '',
  body: '',
  after: '0',
  next: '',
  sharePercent: '',
  enabled: true,
}

export function draftOf({
  id,
  filter,
  action,
  next,
  sharePercent,
  enabled,
}: AnswerRule): RuleDraft {
  return {
    ...newRule,
    ...{ id, filter, enabled, kind: action.kind },
    next: next === null ? '' : String(next),
    sharePercent: sharePercent === null ? '' : String(sharePercent),
    ...(action.kind === 'answer' && {
      status: String(action.status),
      delay: String(action.delayMs / 1000),
      headers: action.headers.map(([name, value]) => `${name}: ${value}`).join('\n'),
      body: action.body,
    }),
    ...(action.kind === 'cut' && { after: String(action.after) }),
  }
}

export type RuleErrors = { readonly [F in keyof RuleDraft]?: string }

type Read =
  | { readonly input: Input<'answerRule.save'>; readonly errors: null }
  | { readonly input: null; readonly errors: RuleErrors }

/** What is saved, or what is wrong at which field. */
export function readDraft(draft: RuleDraft): Read {
  const errors: { -readonly [F in keyof RuleDraft]?: string } = {}
  const whole = (field: 'status' | 'after' | 'next' | 'sharePercent', from: number, to: number) => {
    const number = readWhole(draft[field].trim())
    if (number !== null && number >= from && number <= to) return number
    errors[field] = `A whole number from ${from} to ${to}.`
    return from
  }
  const readAction = (): AnswerAction => {
    switch (draft.kind) {
      case 'hang':
        return { kind: 'hang' }
      case 'cut':
        return { kind: 'cut', after: whole('after', 0, 1000) }
      case 'answer': {
        const status = whole('status', 200, 599)
        const seconds = Number(draft.delay.trim().replace(',', '.'))
        const isDelay = /^\d{1,3}([.,]\d{1,3})?$/.test(draft.delay.trim()) && seconds <= 600
        if (!isDelay) errors.delay = 'From 0 to 600 seconds, such as 2.5.'
        const headers = readHeaders(draft.headers)
        if (typeof headers === 'string') errors.headers = headers
        return {
          kind: 'answer',
          status,
          delayMs: isDelay ? Math.round(seconds * 1000) : 0,
          headers: typeof headers === 'string' ? [] : headers,
          body: draft.body,
        }
      }
    }
  }
  const action = readAction()
  const next = draft.next.trim() === '' ? null : whole('next', 1, 1_000_000)
  const sharePercent = draft.sharePercent.trim() === '' ? null : whole('sharePercent', 1, 99)
  if (Object.keys(errors).length > 0) return { input: null, errors }
  const { id, enabled } = draft
  const filter = draft.filter.trim()
  return { input: { id, filter, action, next, sharePercent, enabled }, errors: null }
}

/** @returns what is wrong with them, as a sentence, where something is */
function readHeaders(text: string): [string, string][] | string {
  const headers: [string, string][] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const [, name, value] =
      /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):\s*([\t\x20-\x7e]{0,1000})$/.exec(line) ?? []
    if (name === undefined || value === undefined) {
      return `Line ${index + 1} is no header: write Name: value, in plain characters.`
    }
    if (
      /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|date)$/i.test(
        name,
      )
    ) {
      return `${name} is set by Tondesk itself, as the answer needs it.`
    }
    headers.push([name, value.trim()])
  }
  return headers.length > 30 ? 'At most 30 headers.' : headers
}
