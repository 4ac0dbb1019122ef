import type { AnswerRule } from '../../../../src-preload/contract/answer-rule.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { answerRules } from './answer-rules.ts'
import { sayRule } from './answer-words.ts'

export async function setEnabled(rule: AnswerRule, enabled: boolean): Promise<void> {
  const changed = await attempt(`Could not turn it ${enabled ? 'on' : 'off'}`, () =>
    request('answerRule.setEnabled', { id: rule.id, enabled }),
  )
  if (changed === undefined) return
  await answerRules.reload()
  announce(`The rule is ${enabled ? 'on' : 'off'}`)
}

export async function removeRule(rule: AnswerRule): Promise<void> {
  const yes = await confirm({
    title: 'Remove this answer rule?',
    detail: `${sayRule(rule)}. What it takes is answered by the rules behind it, or 200.`,
    action: 'Remove the rule',
    destructive: true,
  })
  if (!yes) return
  const gone = await attempt('Could not remove the rule', () =>
    request('answerRule.remove', { id: rule.id }),
  )
  if (gone === undefined) return
  await answerRules.reload()
  announce('The rule is removed')
}

/** One place up (-1) or down (1): the first that matches wins. */
export async function moveRule(
  rules: readonly AnswerRule[],
  rule: AnswerRule,
  by: -1 | 1,
): Promise<void> {
  const ids = rules.map(({ id }) => id)
  const from = ids.indexOf(rule.id)
  const to = from + by
  if (from === -1 || to < 0 || to >= ids.length) return
  ids.splice(from, 1)
  ids.splice(to, 0, rule.id)
  const sorted = await attempt('Could not move the rule', () => request('answerRule.sort', { ids }))
  if (sorted === undefined) return
  answerRules.set(sorted)
  announce(`The rule is number ${to + 1} now`)
}

export async function allOff(): Promise<void> {
  const rules = await attempt('Could not turn them off', () => request('answerRule.allOff'))
  if (rules === undefined) return
  answerRules.set(rules)
  announce('All answer rules are off: the gateway gets 200 again')
}
