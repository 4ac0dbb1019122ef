/** A file compared with what is, whole: figures for a glance, differences for paging. */
import { setImmediate as breathe } from 'node:timers/promises'
import {
  type ChangeItem,
  type Difference,
  type DifferenceKind,
  type Plan,
  differenceKind,
} from '../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import type { Action } from '../store/change-items.ts'
import { isSameEndpoint } from '../endpoint.ts'
import { type ActualWebhook, compareWebhook, matchWebhook } from './compare.ts'
import type { WantedFile, WantedWebhook } from './wanted.ts'

export type Comparison = {
  readonly figures: Pick<Plan, 'webhooks' | 'untouched' | 'counts' | 'same' | 'refusal'>
  readonly differences: readonly Difference[]
  /** Of one kind, or all. */
  readonly of: (kind: DifferenceKind | null) => readonly Difference[]
  /** What applying does, and to which webhooks. */
  readonly deeds: () => {
    readonly webhooks: { id: string | null; endpoint: string }[]
    readonly list: Iterable<Action>
  }
}

/**
 * @param there all webhooks of the network
 * @param names what a file may call this network by
 * @param readActual of a webhook that the file names
 */
export async function compareFile(
  file: WantedFile,
  there: readonly Webhook[],
  names: readonly string[],
  readActual: (webhook: Webhook, wanted: WantedWebhook) => Promise<ActualWebhook>,
): Promise<Comparison> {
  const differences: Difference[] = []
  /** Which of the file's webhooks a difference is of. */
  const places: number[] = []
  const webhooks: Plan['webhooks'] = []
  const refusals: string[] = []
  const named = new Set<string>()
  let same = 0

  const called = file.network?.toLowerCase()
  const isForeign = called !== undefined && !names.some((name) => name.toLowerCase() === called)
  if (isForeign) {
    refusals.push(
      `The file is for the network ${file.network ?? ''}, and this is ${names[0] ?? ''}.`,
    )
  }

  for (const [place, wanted] of file.webhooks.entries()) {
    const found = isForeign ? null : matchWebhook(wanted, there)
    if (typeof found === 'string') {
      refusals.push(found)
      continue
    }
    if (found !== null && named.has(found.id)) {
      refusals.push(
        `The file names webhook ${found.id} twice, the second time on line ${wanted.line}.`,
      )
      continue
    }
    const twin = webhooks.find((w) => w.id === null && isSameEndpoint(w.endpoint, wanted.endpoint))
    if (found === null && twin !== undefined) {
      refusals.push(
        `The file names ${twin.endpoint} twice, the second time on line ${wanted.line}.`,
      )
      continue
    }
    if (found !== null) named.add(found.id)
    const { id, endpoint } = found ?? { id: null, endpoint: wanted.endpoint }
    const tell = (difference: Omit<Difference, 'index' | 'webhook' | 'endpoint'>) => {
      differences.push({ ...difference, index: differences.length, webhook: id, endpoint })
      places.push(place)
    }
    if (isForeign) {
      const { line } = wanted
      const reason = 'The file is for another network.'
      tell({ kind: 'wrong-network', what: 'webhook', subject: '', label: null, line, reason })
      continue
    }
    const actual = found === null ? null : await readActual(found, wanted)
    const steps = compareWebhook(wanted, actual, tell)
    let step = steps.next()
    while (step.done !== true) {
      await breathe()
      step = steps.next()
    }
    const { same: unchanged, ...figures } = step.value
    same += unchanged
    webhooks.push({ id, endpoint, ...figures })
  }

  const byKind = Map.groupBy(differences, ({ kind }) => kind)
  const counts = Object.fromEntries(
    differenceKind.options.map((kind) => [kind, byKind.get(kind)?.length ?? 0]),
  ) as Plan['counts']
  if (counts.invalid > 0) refusals.push(invalidRefusal(counts.invalid))
  const of = (kind: DifferenceKind | null) =>
    kind === null ? differences : (byKind.get(kind) ?? [])

  return {
    differences,
    of,
    figures: {
      webhooks,
      untouched: there
        .filter(({ id }) => !named.has(id))
        .map(({ id, endpoint }) => ({ id, endpoint })),
      counts,
      same,
      refusal: refusals.length === 0 ? null : refusals.join(' '),
    },
    deeds() {
      const mended = differences.filter(({ kind }) => kind === 'missing' || kind === 'extra')
      const order = [...new Set(mended.map(({ index }) => places[index] ?? 0))]
      const first = new Map(mended.toReversed().map((each) => [places[each.index], each]))
      return {
        webhooks: order.flatMap((place) => {
          const one = first.get(place)
          return one === undefined ? [] : [{ id: one.webhook, endpoint: one.endpoint }]
        }),
        list: Iterator.from(mended).map((difference): Action => {
          const { kind, what, subject, label } = difference
          const webhook = order.indexOf(places[difference.index] ?? 0)
          return { webhook, act: actOf(kind, what), what, subject, label }
        }),
      }
    },
  }
}

function actOf(kind: DifferenceKind, what: ChangeItem['what']): Action['act'] {
  if (what === 'webhook') return 'create'
  return kind === 'missing' ? 'subscribe' : 'unsubscribe'
}

function invalidRefusal(count: number): string {
  const entries = count === 1 ? 'One entry of the file is invalid' : `${count} entries are invalid`
  return `${entries}: what is meant cannot be told, and might be removed. Mend the file first.`
}
