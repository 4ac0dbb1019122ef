import type { Notice } from '../../../src-preload/contract/app.ts'
import type { Matter } from '../store/told.ts'
import { hostOf } from '../endpoint.ts'
import type { Survey } from './survey.ts'

export type Subject = {
  readonly id: string
  readonly endpoint: string
  readonly failedAttempts: number | null
  readonly network: string
  readonly nameOf: (account: string) => string
}

export type Saying = Pick<Notice, 'level' | 'title' | 'detail'>

export function sayBad(matter: Matter, subject: Subject, survey: Survey): Saying {
  const { id, endpoint, network, nameOf } = subject
  const host = hostOf(endpoint)
  const which = `Webhook ${id} on ${network} (${host})`
  switch (matter) {
    case 'failing': {
      const { failing } = survey
      const names = list(survey.firstFailing.map(nameOf), failing)
      return {
        level: 'warning',
        title: `Deliveries of ${failing === 1 ? names : `${failing} accounts`} to ${host} fail`,
        detail: `${which} does not accept the events of ${names}. The webhook’s page shows why, under Failures.`,
      }
    }
    case 'offline': {
      const attempts = count(subject.failedAttempts ?? 0, 'failed attempt')
      return {
        level: 'alarm',
        title: `${host} is offline`,
        detail: `The gateway took webhook ${id} on ${network} offline after ${attempts}. Nothing is delivered. Fix the endpoint, then bring the webhook back online on its page.`,
      }
    }
    case 'suspended':
      return {
        level: 'alarm',
        title: `${host} is suspended`,
        detail: `The gateway suspended webhook ${id} on ${network}. Nothing is delivered. Usually the balance of the project is used up: top it up in the gateway’s console, then bring the webhook back online on its page.`,
      }
    case 'lagging': {
      const { slowest, lagging } = survey
      const { transactions = null, more = false, milliseconds = null } = slowest?.lag ?? {}
      const span = spanOf(milliseconds ?? 0)
      const name = slowest === null ? 'an account' : nameOf(slowest.account)
      const least = `${more ? 'more than ' : ''}${count(transactions ?? 0, 'transaction')}`
      const behind = transactions === null ? '' : ` (${least} behind)`
      const others = lagging > 1 ? `, and ${count(lagging - 1, 'other account')} lag as well` : ''
      return {
        level: 'warning',
        title: `Deliveries to ${host} lag by ${span}`,
        detail: `${which}: the oldest undelivered event of ${name} is ${span} old${behind}${others}. The webhook’s page has more, under Failures.`,
      }
    }
  }
}

export function sayWell(matter: Matter, { id, endpoint, network }: Subject): Saying {
  const host = hostOf(endpoint)
  const which = `Webhook ${id} on ${network} (${host})`
  const missed = 'Events that were not delivered meanwhile are listed under Missed.'
  switch (matter) {
    case 'failing':
      return {
        level: 'info',
        title: `Deliveries to ${host} succeed again`,
        detail: `${which} accepts the events of all accounts whose deliveries had failed. ${missed}`,
      }
    case 'offline':
    case 'suspended':
      return {
        level: 'info',
        title: `${host} is online again`,
        detail: `The gateway delivers to webhook ${id} on ${network} again. ${missed}`,
      }
    case 'lagging':
      return {
        level: 'info',
        title: `Deliveries to ${host} have caught up`,
        detail: `${which} is within the limit again for every account whose lag is watched.`,
      }
  }
}

function count(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? '' : 's'}`
}

function list(names: readonly string[], total: number): string {
  const more = total - names.length
  const parts = more > 0 ? [...names, `${more} more`] : names
  if (parts.length <= 1) return parts[0] ?? 'accounts'
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`
}

export function spanOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 120) return count(minutes, 'minute')
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? count(hours, 'hour') : count(Math.floor(hours / 24), 'day')
}
