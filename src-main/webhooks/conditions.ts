/** Reports to the incidents which webhooks work or fail, with cause and next step. */
import type { Condition } from '../../src-preload/contract/incident.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'
import { countOf, describeSpan } from '../../src-preload/domain/time-span.ts'
import type { AppContext } from '../app/context.ts'
import { pagesOf } from '../database/pages.ts'
import { hostOf } from './webhooks.ts'
import type { Cause } from './explain/causes.ts'
import type { Room } from './room.ts'
import { type SubscribedAccount, growthOf } from './store/subscriptions.ts'
import type { Mirror } from './sync/mirror.ts'

const pageRows = 250
/** Maximum number of accounts that an incident names; further accounts are counted. */
const maxNamed = 3

type Survey = {
  readonly failing: number
  readonly firstFailing: readonly SubscribedAccount[]
  /** The highest number of failed attempts of an account since its last delivery. */
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

async function survey(mirror: Mirror, network: NetworkId, webhook: string, maxLagMs: number) {
  const pages = pagesOf<SubscribedAccount>((last) =>
    mirror.page(network, webhook, last?.account ?? '', pageRows),
  )
  let result = emptySurvey
  for await (const page of pages) result = addToSurvey(result, page, maxLagMs)
  return result
}

export function createConditions(
  room: Room<'access' | 'book' | 'mirror' | 'nameAccount' | 'settings' | 'store'> & {
    readonly incidents: Pick<AppContext['incidents'], 'report' | 'keepOnly'>
    readonly causeOf: (webhook: Webhook, account: SubscribedAccount) => Cause
  },
) {
  const { book, incidents, mirror } = room
  const settings = () => room.settings.get().monitoring
  /** Networks that were checked since the app's start. */
  const checked = new Set<NetworkId>()
  const failedBefore = new Map<string, number | null>()
  const mutex = createMutex()

  function conditionOf(network: NetworkId, webhook: Webhook, found: Survey): Condition | null {
    const kind = kindOf(webhook, found, settings())
    if (kind === null) return null
    const [first] = found.firstFailing
    const why = first === undefined ? null : room.causeOf(webhook, first)
    const { name } = room.access.info(network)
    const nameOf = (address: string) => room.nameAccount(network, { address })
    return describeCondition(kind, { ...webhook, network: name, nameOf }, found, why)
  }

  /** Returns the number of new failures since the last call. */
  function takeFailures({ network, id, accounts, failedAttempts }: Webhook): number {
    const key = `${network} ${id}`
    const before = failedBefore.get(key) ?? null
    failedBefore.set(key, failedAttempts)
    const ofAccounts = mirror.takeFailures(network, id)
    return accounts === 0 ? growthOf(before, failedAttempts ?? 0) : ofAccounts
  }

  async function look(network: NetworkId, isSettingChange: boolean): Promise<void> {
    checked.add(network)
    // Without samples, the end of a problem would not be noticed.
    if (!settings().sample) {
      incidents.keepOnly(network, 'webhook')
      return
    }
    const present: string[] = []
    for (const webhook of book.known(network)) {
      const subject = `webhook:${webhook.id}`
      const found = await survey(mirror, network, webhook.id, settings().lagMinutes * 60_000)
      const condition = conditionOf(network, webhook, found)
      // A problem that a setting hides ends without counting as a recovery.
      if (condition === null && isSettingChange) continue
      present.push(subject)
      const { failuresInARow } = found
      const failures = takeFailures(webhook)
      incidents.report(network, subject, { condition, failures, failuresInARow })
    }
    incidents.keepOnly(network, 'webhook', present)
  }

  /**
   * Ends all incidents, including those of an earlier run on networks that were not checked since
   * the start.
   */
  function endAll(): void {
    for (const network of new Set([...checked, ...room.store.samplerRecords.networks()])) {
      incidents.keepOnly(network, 'webhook')
    }
  }

  /** Networks with changed labels whose incidents are not updated yet, because an import makes many changes. */
  const relabelled = new Set<NetworkId>()

  return {
    /** An incident of an earlier run ends if nothing is sampled any more. */
    start(): void {
      if (!settings().sample) endAll()
    },
    look: (network: NetworkId) => mutex.run(() => look(network, false)),
    /** Call this when labels have changed, because incidents name accounts by their labels. */
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
    /** Ends the incidents of a network whose webhooks are no longer read. */
    async forget(network: NetworkId): Promise<void> {
      await mutex.settled()
      incidents.keepOnly(network, 'webhook')
      checked.delete(network)
    },
    stop: () => mutex.settled(),
  }
}

function kindOf(
  { status, accounts, failedAttempts }: Webhook,
  found: Survey,
  { failing, offline, lagging }: Settings['monitoring'],
) {
  if (offline && (status === 'offline' || status === 'suspended')) return status
  // Without accounts, only the webhook's own counter shows failures.
  const fails = found.failing > 0 || (accounts === 0 && (failedAttempts ?? 0) > 0)
  if (failing && fails) return 'failing'
  return lagging && found.lagging > 0 ? 'lagging' : null
}

type Subject = Pick<Webhook, 'id' | 'endpoint' | 'failedAttempts'> & {
  readonly network: string
  readonly nameOf: (account: string) => string
}

/** Names the host and the webhook, but not the endpoint's path, which may be a secret. */
export function describeCondition(
  kind: 'failing' | 'offline' | 'suspended' | 'lagging',
  { id, endpoint, failedAttempts, network, nameOf }: Subject,
  { failing, firstFailing, lagging, slowest }: Survey,
  why: Cause | null,
): Condition {
  const host = hostOf(endpoint)
  const which = `Webhook ${id} on ${network}`
  const because = why === null ? '' : ` ${why.cause}`
  const shared = {
    kind,
    afterwards: 'The webhook’s Missed tab lists events that were not delivered.',
  }
  switch (kind) {
    case 'failing': {
      const accounts = firstFailing.map(({ account }) => nameOf(account))
      const names = list(accounts, failing)
      const count = failing === 1 ? names : countOf(failing, 'account')
      const [what, whose] = failing === 0 ? ['', ''] : [` for ${count}`, ` for ${names}`]
      return {
        ...shared,
        level: 'warning',
        title: `Deliveries to ${host} fail${what}`,
        cause: `${which}: deliveries${whose} fail.${because}`,
        nextStep: why?.steps[0]?.text ?? 'Open the webhook to see its failures.',
      }
    }
    case 'offline':
      return {
        ...shared,
        level: 'alarm',
        title: `Webhook to ${host} is offline`,
        cause: `The gateway took webhook ${id} on ${network} offline after ${countOf(failedAttempts ?? 0, 'failed attempt')} and delivers no events.`,
        nextStep: 'Fix the endpoint, then bring the webhook back online on its page.',
      }
    case 'suspended':
      return {
        ...shared,
        level: 'alarm',
        title: `Webhook to ${host} is suspended`,
        cause: `The gateway suspended webhook ${id} on ${network} and delivers no events, usually because the project’s balance is used up.`,
        nextStep:
          'Top up the balance in the gateway’s console, then bring the webhook back online on its page.',
      }
    case 'lagging': {
      const { transactions = null, more = false, milliseconds = null } = slowest?.lag ?? {}
      const span = describeSpan(milliseconds ?? 0)
      const name = slowest === null ? 'an account' : nameOf(slowest.account)
      const least = `${more ? 'more than ' : ''}${countOf(transactions ?? 0, 'transaction')}`
      const behind = transactions === null ? '' : ` (${least} behind)`
      const others = lagging > 1 ? `, and ${countOf(lagging - 1, 'other account')} lag as well` : ''
      return {
        ...shared,
        level: 'warning',
        title: `Deliveries to ${host} lag by ${span}`,
        cause: `${which}: the oldest undelivered event of ${name} is ${span} old${behind}${others}.`,
        nextStep: 'Check that the endpoint responds quickly.',
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
