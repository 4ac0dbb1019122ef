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
  const host = hostOf(subject.endpoint)
  const which = `Webhook ${subject.id} on ${subject.network} (${host})`
  switch (matter) {
    case 'failing': {
      const names = list(survey.firstFailing.map(subject.nameOf), survey.failing)
      return {
        level: 'warning',
        title:
          survey.failing === 1
            ? `Deliveries of ${names} to ${host} fail`
            : `Deliveries of ${survey.failing} accounts to ${host} fail`,
        detail: `${which} does not take the events of ${names}. Its page says why, under Failures.`,
      }
    }
    case 'offline':
      return {
        level: 'alarm',
        title: `${host} is offline`,
        detail:
          `The gateway has set webhook ${subject.id} on ${subject.network} offline after ` +
          `${count(subject.failedAttempts ?? 0, 'failed attempt')}, and delivers nothing to it. ` +
          'Mend the endpoint, then choose Back online on its page.',
      }
    case 'suspended':
      return {
        level: 'alarm',
        title: `${host} is suspended`,
        detail:
          `The gateway has suspended webhook ${subject.id} on ${subject.network}, and delivers ` +
          'nothing to it. As a rule the balance of the project is used up: top it up in the ' +
          'gateway’s console, then choose Back online on the webhook’s page.',
      }
    case 'lagging': {
      const { slowest, lagging } = survey
      const lag = slowest?.lag ?? null
      const name = slowest === null ? 'an account' : subject.nameOf(slowest.account)
      const behind =
        lag?.transactions === null || lag === null
          ? ''
          : ` (${lag.more ? 'more than ' : ''}${count(lag.transactions, 'transaction')} behind)`
      const others = lagging > 1 ? `, and ${count(lagging - 1, 'other account')} lag as well` : ''
      return {
        level: 'warning',
        title: `Deliveries to ${host} lag by ${spanOf(lag?.milliseconds ?? 0)}`,
        detail:
          `${which} has not been given the oldest waiting event of ${name} for ` +
          `${spanOf(lag?.milliseconds ?? 0)}${behind}${others}. Its page says more, under Failures.`,
      }
    }
  }
}

export function sayWell(matter: Matter, subject: Subject): Saying {
  const host = hostOf(subject.endpoint)
  const which = `Webhook ${subject.id} on ${subject.network} (${host})`
  switch (matter) {
    case 'failing':
      return {
        level: 'info',
        title: `Deliveries to ${host} get through again`,
        detail: `${which} takes the events of all accounts that had failed. Whether one was lost meanwhile is told under Missed.`,
      }
    case 'offline':
    case 'suspended':
      return {
        level: 'info',
        title: `${host} is online again`,
        detail: `The gateway delivers to webhook ${subject.id} on ${subject.network} again. Whether an event was lost meanwhile is told under Missed.`,
      }
    case 'lagging':
      return {
        level: 'info',
        title: `Deliveries to ${host} have caught up`,
        detail: `${which} is within the limit again for every account whose lag is followed.`,
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
