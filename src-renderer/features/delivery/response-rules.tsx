/** The texts of response rules, the values of their form, and the actions on a rule. */
import type { ResponseAction, ResponseRule } from '../../../src-preload/contract/response-rule.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { attempt, request, put, useData } from '../../app/bridge.ts'
import { type Parsed, parseInteger } from '../../app/use-form.ts'
import type { DeliveryRoute } from '../../app/delivery-route.ts'
import { Banner } from '../../app/frame/notices.tsx'
import { routeHref } from '../../app/route.ts'
import { announce } from '../../ui/toast.tsx'
import { formatCount, formatDuration, formatNumber } from '../../ui/format.ts'
import { Button } from '../../ui/button.tsx'

export const responsesHome: DeliveryRoute = { page: 'delivery', view: 'responses' }

/** Describes the action of a rule: `500`, `200 after 3 s`, `no response`. */
export function formatAction(action: ResponseAction): string {
  switch (action.kind) {
    case 'answer':
      return action.delayMs === 0
        ? String(action.status)
        : `${action.status} after ${formatDuration(action.delayMs * 1000)}`
    case 'hang':
      return 'no response'
    case 'cut':
      return action.after === 0
        ? 'connection closed'
        : `connection closed after ${formatCount(action.after, 'byte')}`
  }
}

/** Describes to which of the matching deliveries the rule applies: `all`, `the next 3 of 10`. */
export function formatLimit({ next, left }: ResponseRule): string {
  if (next === null) return 'all'
  return left === 0
    ? `${formatNumber(next)}, all used`
    : `the next ${formatNumber(left ?? next)} of ${formatNumber(next)}`
}

/** Describes the rule in one line. */
export function formatRule(rule: ResponseRule): string {
  const filter = rule.filter.trim() === '' ? 'all deliveries' : rule.filter
  const limit = rule.next === null ? '' : ` (${formatLimit(rule)})`
  return `${filter} → ${formatAction(rule.action)}${limit}`
}

export const isActive = ({ enabled, problem }: ResponseRule): boolean => enabled && problem === null

/**
 * The typed values of the form: `delay` is in seconds, `after` in bytes, and each line of `headers`
 * is one header. `next` is empty if there is no limit.
 */
export type RuleValues = Readonly<
  Record<'status' | 'delay' | 'headers' | 'body' | 'after' | 'next', string>
> &
  Pick<ResponseRule, 'filter' | 'enabled'> & {
    readonly id: number | null
    readonly kind: ResponseAction['kind']
  }

export const newRule: RuleValues = {
  id: null,
  filter: '',
  kind: 'answer',
  status: '500',
  delay: '0',
  headers: '',
  body: '',
  after: '0',
  next: '',
  enabled: true,
}

export function valuesOf(rule: ResponseRule): RuleValues {
  const { id, filter, action, next, enabled } = rule
  const common = {
    ...newRule,
    id,
    filter,
    enabled,
    kind: action.kind,
    next: next === null ? '' : String(next),
  }
  switch (action.kind) {
    case 'hang':
      return common
    case 'cut':
      return { ...common, after: String(action.after) }
    case 'answer':
      return {
        ...common,
        status: String(action.status),
        delay: String(action.delayMs / 1000),
        headers: action.headers.map(([name, value]) => `${name}: ${value}`).join('\n'),
        body: action.body,
      }
  }
}

/** Returns the rule to save, or a problem for each field. */
export function parseRule(values: RuleValues): Parsed<Input<'responseRule.save'>> {
  const errors: Record<string, string> = {}
  const whole = (field: 'status' | 'after' | 'next', from: number, to: number) => {
    const number = parseInteger(values[field].trim())
    if (number !== null && number >= from && number <= to) return number
    errors[field] = `Enter a whole number from ${from} to ${to}.`
    return from
  }
  const parseAction = (): ResponseAction => {
    switch (values.kind) {
      case 'hang':
        return { kind: 'hang' }
      case 'cut':
        return { kind: 'cut', after: whole('after', 0, 1000) }
      case 'answer': {
        const status = whole('status', 200, 599)
        const seconds = Number(values.delay.trim().replace(',', '.'))
        const isDelay = /^\d{1,3}([.,]\d{1,3})?$/.test(values.delay.trim()) && seconds <= 600
        if (!isDelay) errors['delay'] = 'Enter 0 to 600 seconds, for example 2.5.'
        const headers = parseHeaders(values.headers)
        if (typeof headers === 'string') errors['headers'] = headers
        return {
          kind: 'answer',
          status,
          delayMs: isDelay ? Math.round(seconds * 1000) : 0,
          headers: typeof headers === 'string' ? [] : headers,
          body: values.body,
        }
      }
    }
  }
  const action = parseAction()
  const next = values.next.trim() === '' ? null : whole('next', 1, 1_000_000)
  if (Object.keys(errors).length > 0) return { input: null, errors }
  const { id, enabled } = values
  const filter = values.filter.trim()
  return { input: { id, filter, action, next, enabled }, errors: null }
}

const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):\s*([\t\x20-\x7e]{0,1000})$/
const ownHeader =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|date)$/i

/** @returns a sentence that describes the problem, if there is one */
function parseHeaders(text: string): [string, string][] | string {
  const headers: [string, string][] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const [, name, value] = headerLine.exec(line) ?? []
    if (name === undefined || value === undefined) {
      return `Line ${index + 1} is not a header. Write Name: value in ASCII.`
    }
    if (ownHeader.test(name)) return `Tondesk sets ${name} itself. Remove this header.`
    headers.push([name, value.trim()])
  }
  return headers.length > 30 ? 'Enter at most 30 headers.' : headers
}

/** Moves a rule one place up (-1) or down (1). The first rule that matches a delivery applies. */
export async function moveRule(
  rules: readonly ResponseRule[],
  rule: ResponseRule,
  by: -1 | 1,
): Promise<void> {
  const ids = rules.map(({ id }) => id)
  const from = ids.indexOf(rule.id)
  const to = from + by
  if (from === -1 || to < 0 || to >= ids.length) return
  ids.splice(from, 1)
  ids.splice(to, 0, rule.id)
  const sorted = await attempt('Could not move the rule', () =>
    request('responseRule.sort', { ids }),
  )
  if (sorted === undefined) return
  put('responseRule.list', undefined, sorted)
  announce(`The rule is now number ${to + 1}`)
}

export async function turnAllOff(): Promise<void> {
  const rules = await attempt('Could not turn the rules off', () => request('responseRule.allOff'))
  if (rules === undefined) return
  put('responseRule.list', undefined, rules)
  announce('All response rules are off')
}

/** The banner on every page while a rule is active, because the gateway then repeats deliveries. */
export function ResponseRulesBanner() {
  const active = (useData('responseRule.list').data ?? []).filter(isActive)
  const [first] = active
  if (first === undefined) return null
  const more = active.length === 1 ? '' : `, and ${formatCount(active.length - 1, 'more rule')}`
  return (
    <Banner
      level="warning"
      title="Response rules are on"
      detail={`${formatRule(first)}${more}. Response rules stay on, even after a restart, until you turn them off or they reach their limit.`}
      isShort
      end={
        <>
          <a href={routeHref(responsesHome)}>Show rules</a>
          <Button onClick={() => void turnAllOff()}>Turn off all rules</Button>
        </>
      }
    />
  )
}
