/** Reports to the incidents which webhooks work and which do not, with cause and next step. */
import { setImmediate } from 'node:timers/promises'
import type { Condition } from '../../src-preload/contract/incident.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'
import { countOf, describeSpan } from '../../src-preload/domain/time-span.ts'
import type { AppContext } from '../app/context.ts'
import { hostOf } from './endpoint.ts'
import type { Cause } from './explain/causes.ts'
import type { Room } from './room.ts'
import { type SubscribedAccount, growthOf } from './store/subscriptions.ts'

const pageRows = 250
/** Accounts that an incident names; the others are counted. */
const maxNamed = 3

type Survey = {
  readonly failing: number
  readonly firstFailing: readonly SubscribedAccount[]
  /** The most failed attempts of an account since its last delivery. */
  readonly failuresInARow: number
  readonly lagging: number
  readonly slowest: SubscribedAccount | null
}

export const emptySurvey: Survey = {
  failing: 0,
  firstFailing: [],
  failuresInARow: 0,
  lagging: 0,
  slowest: null,
}

export function addToSurvey(
  survey: Survey,
  accounts: readonly SubscribedAccount[],
  maxLagMs: number,
): Survey {
  const failing = accounts.filter(({ isFailing }) => isFailing)
  const lagging = accounts.filter(({ lag }) => (lag?.milliseconds ?? 0) > maxLagMs)
  return {
    failing: survey.failing + failing.length,
    firstFailing: [...survey.firstFailing, ...failing].slice(0, maxNamed),
    failuresInARow: failing.reduce(
      (limit, { failedAttempts }) => Math.max(limit, failedAttempts),
      survey.failuresInARow,
    ),
    lagging: survey.lagging + lagging.length,
    slowest: lagging.reduce(slower, survey.slowest),
  }
}

function slower(slowest: SubscribedAccount | null, account: SubscribedAccount): SubscribedAccount {
  const isSlower = (account.lag?.milliseconds ?? 0) > (slowest?.lag?.milliseconds ?? 0)
  return slowest === null || isSlower ? account : slowest
}

export function createConditions(
  room: Room<'access' | 'book' | 'mirror' | 'nameAccount' | 'settings' | 'store'> & {
    readonly incidents: Pick<AppContext['incidents'], 'report' | 'keepOnly'>
    readonly causeOf: (webhook: Webhook, account: SubscribedAccount) => Cause
  },
) {
  const { book, incidents, mirror } = room
  const settings = () => room.settings.get().monitoring
  /** Networks that were checked since the start. */
  const checked = new Set<NetworkId>()
  const failedBefore = new Map<string, number | null>()
  const mutex = createMutex()

  async function survey(network: NetworkId, webhook: string): Promise<Survey> {
    const maxLagMs = settings().lagMinutes * 60_000
    let result = emptySurvey
    let after = ''
    for (;;) {
      const page = mirror.page(network, webhook, after, pageRows)
      result = addToSurvey(result, page, maxLagMs)
      const last = page.at(pageRows - 1)
      if (last === undefined) return result
      after = last.account
      // Yielding lets deliveries be stored between two pages.
      await setImmediate()
    }
  }

  function subjectOf(network: NetworkId, webhook: Webhook): Subject {
    return {
      ...webhook,
      network: room.access.info(network).name,
      nameOf: (address) => room.nameAccount(network, { address }),
    }
  }

  function conditionOf(network: NetworkId, webhook: Webhook, found: Survey): Condition | null {
    const { failing, offline, lagging } = settings()
    const { status, accounts, failedAttempts } = webhook
    const isOff = status === 'offline' || status === 'suspended'
    // Without accounts, only the webhook's own counter shows failures.
    const fails = found.failing > 0 || (accounts === 0 && (failedAttempts ?? 0) > 0)
    const kind =
      offline && isOff
        ? status
        : failing && fails
          ? 'failing'
          : lagging && found.lagging > 0
            ? 'lagging'
            : null
    if (kind === null) return null
    const [first] = found.firstFailing
    const why = first === undefined ? null : room.causeOf(webhook, first)
    return describeCondition(kind, subjectOf(network, webhook), found, why)
  }

  /** New failures since the last call. */
  function takeFailures({ network, id, accounts, failedAttempts }: Webhook): number {
    const key = `${network} ${id}`
    const before = failedBefore.get(key) ?? null
    failedBefore.set(key, failedAttempts)
    const ofAccounts = mirror.takeFailures(network, id)
    return accounts === 0 ? growthOf(before, failedAttempts ?? 0) : ofAccounts
  }

  async function look(network: NetworkId, isSettingChange: boolean): Promise<void> {
    checked.add(network)
    // Without samples, nothing shows when a problem is over.
    if (!settings().sample) {
      incidents.keepOnly(network, 'webhook')
      return
    }
    const present: string[] = []
    for (const webhook of book.known(network)) {
      const subject = `webhook:${webhook.id}`
      const found = await survey(network, webhook.id)
      const condition = conditionOf(network, webhook, found)
      // A problem that a setting hides is over, but it did not recover.
      if (condition === null && isSettingChange) continue
      present.push(subject)
      const { failuresInARow } = found
      const failures = takeFailures(webhook)
      incidents.report(network, subject, { condition, failures, failuresInARow })
    }
    incidents.keepOnly(network, 'webhook', present)
  }

  /** Ends also what an earlier run left open of networks that were not checked since the start. */
  function endAll(): void {
    for (const network of new Set([...checked, ...room.store.samplerRecords.networks()])) {
      incidents.keepOnly(network, 'webhook')
    }
  }

  /** Networks whose labels changed and whose incidents are not updated yet: an import is many changes. */
  const relabelled = new Set<NetworkId>()

  return {
    /** An incident that an earlier run left open ends if nothing is sampled any more. */
    start(): void {
      if (!settings().sample) endAll()
    },
    look: (network: NetworkId) => mutex.run(() => look(network, false)),
    /** Incidents name accounts by their labels. */
    async labelsChanged(network: NetworkId): Promise<void> {
      if (!checked.has(network) || relabelled.has(network)) return
      relabelled.add(network)
      await mutex.run(() => {
        relabelled.delete(network)
        return look(network, false)
      })
    },
    settingsChanged: () =>
      mutex.run(async () => {
        if (!settings().sample) endAll()
        else for (const network of checked) await look(network, true)
      }),
    /** Ends the incidents of a network whose webhooks are not read any more. */
    async forget(network: NetworkId): Promise<void> {
      await mutex.settled()
      incidents.keepOnly(network, 'webhook')
      checked.delete(network)
    },
    stop: () => mutex.settled(),
  }
}

type Subject = Pick<Webhook, 'id' | 'endpoint' | 'failedAttempts'> & {
  readonly network: string
  readonly nameOf: (account: string) => string
}

/** Names the host and the webhook, never the path of the endpoint, which may be a secret. */
export function describeCondition(
  kind: 'failing' | 'offline' | 'suspended' | 'lagging',
  { id, endpoint, failedAttempts, network, nameOf }: Subject,
  { failing, firstFailing, lagging, slowest }: Survey,
  why: Cause | null,
): Condition {
  const host = hostOf(endpoint)
  const which = `Webhook ${id} on ${network}`
  const afterwards = 'The webhook’s Missed tab lists events that were not delivered.'
  const because = why === null ? '' : ` ${why.cause}`
  switch (kind) {
    case 'failing': {
      const names = list(
        firstFailing.map(({ account }) => nameOf(account)),
        failing,
      )
      const what =
        failing === 0 ? '' : ` for ${failing === 1 ? names : countOf(failing, 'account')}`
      const whose = failing === 0 ? '' : ` for ${names}`
      return {
        kind,
        level: 'warning',
        title: `Deliveries to ${host} fail${what}`,
        cause: `${which}: deliveries${whose} fail.${because}`,
        nextStep: why?.steps[0]?.text ?? 'Open the webhook to see its failures.',
        afterwards,
      }
    }
    case 'offline':
      return {
        kind,
        level: 'alarm',
        title: `Webhook to ${host} is offline`,
        cause: `The gateway took webhook ${id} on ${network} offline after ${countOf(failedAttempts ?? 0, 'failed attempt')} and delivers no events.`,
        nextStep: 'Fix the endpoint, then bring the webhook back online on its page.',
        afterwards,
      }
    case 'suspended':
      return {
        kind,
        level: 'alarm',
        title: `Webhook to ${host} is suspended`,
        cause: `The gateway suspended webhook ${id} on ${network} and delivers no events, usually because the project’s balance is used up.`,
        nextStep:
          'Top up the balance in the gateway’s console, then bring the webhook back online on its page.',
        afterwards,
      }
    case 'lagging': {
      const { transactions = null, more = false, milliseconds = null } = slowest?.lag ?? {}
      const span = describeSpan(milliseconds ?? 0)
      const name = slowest === null ? 'an account' : nameOf(slowest.account)
      const least = `${more ? 'more than ' : ''}${countOf(transactions ?? 0, 'transaction')}`
      const behind = transactions === null ? '' : ` (${least} behind)`
      const others = lagging > 1 ? `, and ${countOf(lagging - 1, 'other account')} lag as well` : ''
      return {
        kind,
        level: 'warning',
        title: `Deliveries to ${host} lag by ${span}`,
        cause: `${which}: the oldest undelivered event of ${name} is ${span} old${behind}${others}.`,
        nextStep: 'Check that the endpoint responds quickly.',
        afterwards,
      }
    }
  }
}

function list(names: readonly string[], total: number): string {
  const more = total - names.length
  const parts = more > 0 ? [...names, `${more} more`] : names
  if (parts.length <= 1) return parts[0] ?? 'accounts'
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`
}
