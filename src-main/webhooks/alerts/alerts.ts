import { setImmediate } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import type { Matter } from '../store/told.ts'
import { formatFriendly } from '../../ton/address.ts'
import type { WebhookRoom } from '../room.ts'
import { type Condition, follow, type Survey, emptySurvey, surveyPage } from './survey.ts'
import { createMutex } from '../../../src-preload/domain/mutex.ts'
import type { Notice } from '../../../src-preload/contract/app.ts'
import { hostOf } from '../endpoint.ts'

const matters: readonly Matter[] = ['offline', 'suspended', 'failing', 'lagging']
const pageRows = 250

export function createAlerts(room: WebhookRoom) {
  const { book, mirror, notices, now } = room
  const settings = () => room.settings.get().monitoring
  const { told } = room.store
  /** Networks that were checked since the start. */
  const checked = new Set<NetworkId>()
  const mutex = createMutex()

  const noticesOf = (network: NetworkId) =>
    notices
      .list()
      .map(({ id }) => id)
      .filter((id) => id.startsWith(`webhook.${network}.`) && !id.endsWith('.missed'))

  async function survey(network: NetworkId, webhook: string): Promise<Survey> {
    const { failedAttempts, lagMinutes } = settings()
    const limits = { failedAttempts, lagMs: lagMinutes * 60_000 }
    let result = emptySurvey
    let after = ''
    for (;;) {
      const page = mirror.page(network, webhook, after, pageRows)
      const before = told.accounts(network, webhook, after, pageRows)
      // Two pages are compared up to the lower of their last addresses; either list may continue after it.
      const ends = [page.at(pageRows - 1)?.account, [...before.keys()].at(pageRows - 1)]
      const end = ends.filter((each) => each !== undefined).sort()[0] ?? null
      const isWithin = (account: string) => end === null || account <= end
      const at = now()
      const step = surveyPage(
        result,
        page.filter(({ account }) => isWithin(account)),
        new Map([...before].filter(([account]) => isWithin(account))),
        { limits, at },
      )
      told.change(network, webhook, step.changes, at)
      result = step.survey
      if (end === null) return result
      after = end
      // Yielding lets deliveries be stored between two pages.
      await setImmediate()
    }
  }

  function conditionOf(matter: Matter, webhook: Webhook, found: Survey): Condition | null {
    const { failing, offline, lagging } = settings()
    switch (matter) {
      case 'failing':
        return !failing ? 'over' : found.failing > 0 ? 'bad' : 'well'
      case 'lagging':
        return !lagging ? 'over' : found.lagging > 0 ? 'bad' : 'well'
      case 'offline':
      case 'suspended':
        if (!offline) return 'over'
        if (webhook.status === null) return null
        if (webhook.status === matter) return 'bad'
        return webhook.status === 'online' ? 'well' : 'over'
    }
  }

  function tell(network: NetworkId, webhook: string, id: string, saying: Saying): void {
    notices.raise({ id, ...saying, dismissible: true })
    const { native, quietHours } = settings()
    if (!native || isQuiet(quietHours, new Date(now()))) return
    room.events.emit('notification.raised', {
      ...{ id, network, webhook, title: saying.title, body: saying.detail },
    })
  }

  function attend(
    network: NetworkId,
    webhook: Webhook,
    matter: Matter,
    { found, subject, isFirst, isSilent }: Attending,
  ): void {
    const condition = conditionOf(matter, webhook, found)
    if (condition === null) return
    const before = told.get(network, webhook.id, matter)
    const hasNews = matter === 'failing' && found.hasNews
    const after = follow(before, { condition, hasNews, at: now() })
    if (after.told !== before) told.set(network, webhook.id, matter, after.told)

    const id = noticeId(network, webhook.id, matter)
    const isShown = () => notices.list().some((notice) => notice.id === id)
    if (condition === 'over') {
      notices.clear(id)
    } else if (after.says === 'bad') {
      tell(network, webhook.id, id, sayBad(matter, subject, found))
    } else if (condition === 'bad') {
      if (isFirst || after.says === 'back' || isShown()) {
        notices.raise({ id, ...sayBad(matter, subject, found), dismissible: true })
      }
    } else if (after.says === 'well') {
      if (settings().recovery && !isSilent) {
        tell(network, webhook.id, id, sayWell(matter, subject))
      } else notices.clear(id)
    }
  }

  async function look(network: NetworkId, isSilent: boolean): Promise<void> {
    const isFirst = !checked.has(network)
    checked.add(network)
    const webhooks = book.known(network)
    const { name, testOnly } = room.access.info(network)
    for (const webhook of webhooks) {
      const found = await survey(network, webhook.id)
      const named = [...found.firstFailing, ...(found.slowest ? [found.slowest.account] : [])]
      const labels = room.labelsOf(network, named)
      const subject: Subject = {
        ...webhook,
        network: name,
        nameOf: (account) =>
          labels.get(account) ?? shorten(formatFriendly(account, { bounceable: true, testOnly })),
      }
      for (const matter of matters) {
        attend(network, webhook, matter, { found, subject, isFirst, isSilent })
      }
    }
    const there = new Set(
      webhooks.flatMap(({ id }) => matters.map((matter) => noticeId(network, id, matter))),
    )
    for (const id of noticesOf(network)) if (!there.has(id)) notices.clear(id)
  }

  /** Networks whose labels changed and whose notices are not renewed yet: an import is many changes. */
  const relabelled = new Set<NetworkId>()

  return {
    look: (network: NetworkId) => mutex.run(() => look(network, false)),
    /** Shown notices contain labels of accounts. */
    async labelsChanged(network: NetworkId): Promise<void> {
      if (noticesOf(network).length === 0 || relabelled.has(network)) return
      relabelled.add(network)
      await mutex.run(() => {
        relabelled.delete(network)
        return look(network, false)
      })
    },
    /** Applies changed settings at once; what they end is not reported as a recovery. */
    settingsChanged: () =>
      mutex.run(async () => {
        for (const network of checked) await look(network, true)
      }),
    async forget(network: NetworkId): Promise<void> {
      await mutex.settled()
      for (const id of noticesOf(network)) notices.clear(id)
      checked.delete(network)
    },
    stop: () => mutex.settled(),
  }
}

type Attending = {
  readonly found: Survey
  readonly subject: Subject
  /** First check since the start: what is still wrong is shown without a notification. */
  readonly isFirst: boolean
  readonly isSilent: boolean
}

function noticeId(network: NetworkId, webhook: string, matter: Matter): string {
  return `webhook.${network}.${webhook}.${matter}`
}

function shorten(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}

/** `HH:MM`; `to` is excluded, and belongs to the next day when it is before `from`. */
type QuietHours = { readonly from: string; readonly to: string }

/** Compares local time, so that daylight saving changes do not move the quiet hours. */
export function isQuiet(hours: QuietHours | null, at: Date): boolean {
  if (hours === null) return false
  const { from, to } = hours
  const now = at.toTimeString().slice(0, 5)
  return from <= to ? from <= now && now < to : from <= now || now < to
}

type Subject = {
  readonly id: string
  readonly endpoint: string
  readonly failedAttempts: number | null
  readonly network: string
  readonly nameOf: (account: string) => string
}

type Saying = Pick<Notice, 'level' | 'title' | 'detail'>

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
        title: `Deliveries to ${host} fail for ${failing === 1 ? names : `${failing} accounts`}`,
        detail: `${which}: deliveries for ${names} fail. The webhook’s Failures tab shows why.`,
      }
    }
    case 'offline': {
      const attempts = count(subject.failedAttempts ?? 0, 'failed attempt')
      return {
        level: 'alarm',
        title: `Webhook to ${host} is offline`,
        detail: `The gateway took webhook ${id} on ${network} offline after ${attempts} and delivers no events. Fix the endpoint, then bring the webhook back online on its page.`,
      }
    }
    case 'suspended':
      return {
        level: 'alarm',
        title: `Webhook to ${host} is suspended`,
        detail: `The gateway suspended webhook ${id} on ${network} and delivers no events, usually because the project’s balance is used up. Top up the balance in the gateway’s console, then bring the webhook back online on its page.`,
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
        detail: `${which}: the oldest undelivered event of ${name} is ${span} old${behind}${others}. The webhook’s Failures tab has the details.`,
      }
    }
  }
}

export function sayWell(matter: Matter, { id, endpoint, network }: Subject): Saying {
  const host = hostOf(endpoint)
  const which = `Webhook ${id} on ${network} (${host})`
  const missed = 'The webhook’s Missed tab lists events that were not delivered.'
  switch (matter) {
    case 'failing':
      return {
        level: 'info',
        title: `Deliveries to ${host} succeed again`,
        detail: `${which} accepts the events of all accounts again. ${missed}`,
      }
    case 'offline':
    case 'suspended':
      return {
        level: 'info',
        title: `Webhook to ${host} is online again`,
        detail: `The gateway delivers to webhook ${id} on ${network} again. ${missed}`,
      }
    case 'lagging':
      return {
        level: 'info',
        title: `Deliveries to ${host} have caught up`,
        detail: `${which}: the deliveries for every watched account lag by no more than the “Minimum lag” in Settings.`,
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
