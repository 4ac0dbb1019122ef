import type { ForwardRule } from '../../../../src-preload/contract/forward.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { readWhole } from '../../../app/form-values.ts'
import type { DraftErrors } from '../../../app/use-draft.ts'

/** A rule while a person writes it: numbers as they are typed. */
export type RuleDraft = {
  readonly id: number | null
  readonly name: string
  readonly filter: string
  readonly targets: readonly string[]
  readonly mode: ForwardRule['mode']
  readonly enabled: boolean
  readonly keepHost: boolean
  readonly appendPath: boolean
  readonly timeoutSeconds: string
  readonly fullAnswer: boolean
  /** Null never gives up. */
  readonly giveUpHours: string | null
}

export const mostTargets = 10

export const newRule: RuleDraft = {
  id: null,
  name: '',
  filter: '',
  targets: [''],
  mode: 'after',
  enabled: true,
  keepHost: false,
  appendPath: false,
  timeoutSeconds: '15',
  fullAnswer: false,
  giveUpHours: null,
}

export function draftOf(rule: ForwardRule): RuleDraft {
  const { id, name, filter, targets, mode, enabled, keepHost, appendPath, fullAnswer } = rule
  return {
    ...{ id, name, filter, targets, mode, enabled, keepHost, appendPath, fullAnswer },
    timeoutSeconds: String(rule.timeoutSeconds),
    giveUpHours: rule.giveUpHours === null ? null : String(rule.giveUpHours),
  }
}

type Read =
  | { readonly input: Input<'forwardRule.save'>; readonly errors: null }
  | { readonly input: null; readonly errors: DraftErrors }

/** What is saved, or what is wrong at which field: `targets.1` is the second target. */
export function readDraft(draft: RuleDraft): Read {
  const errors: Record<string, string> = {}
  const targets = draft.targets.map((url) => url.trim())
  targets.forEach((url, index) => {
    if (url === '') errors[`targets.${index}`] = 'Give the URL to send to.'
    else if (targets.indexOf(url) < index) errors[`targets.${index}`] = 'It stands above already.'
  })
  const timeoutSeconds = readWhole(draft.timeoutSeconds)
  if (timeoutSeconds === null || timeoutSeconds < 1 || timeoutSeconds > 120) {
    errors['timeoutSeconds'] = 'From 1 to 120 seconds.'
  }
  // Each of these two belongs to one of the ways.
  const typedHours = draft.mode === 'after' ? draft.giveUpHours : null
  const giveUpHours = typedHours === null ? null : readWhole(typedHours)
  if (typedHours !== null && (giveUpHours === null || giveUpHours < 1 || giveUpHours > 720)) {
    errors['giveUpHours'] = 'From 1 to 720 hours.'
  }
  if (Object.keys(errors).length > 0) return { input: null, errors }
  const { id, mode, enabled, keepHost, appendPath } = draft
  return {
    input: {
      ...{ id, mode, enabled, keepHost, appendPath, targets },
      name: draft.name.trim(),
      filter: draft.filter.trim(),
      timeoutSeconds: timeoutSeconds ?? 15,
      fullAnswer: mode === 'through' && draft.fullAnswer,
      giveUpHours,
    },
    errors: null,
  }
}
