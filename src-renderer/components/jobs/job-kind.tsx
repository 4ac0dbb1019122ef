/** What all long work of the main process has in common: what can be done with a job, and how its end is told. */
import type { JobState } from '../../../src-preload/contract/lookup.ts'
import type { RouteName } from '../../../src-preload/contract/routes.ts'
import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { fetchData, patch, peek, reload, watch } from '../../app/queries.ts'
import { type Route, navigate, printRoute, useRoute } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { announce } from '../../ui/live-region.tsx'
import { type MenuItem, Menu } from '../../ui/menu.tsx'
import { showToast } from '../../ui/toast.tsx'
import { actionsOf, mergeJobs } from './job-state.ts'

type Job = { readonly id: number; readonly state: JobState; readonly problem: string | null }

type Verb = 'pause' | 'resume' | 'cancel' | 'remove'

/** What differs from one kind of job to the next. */
type JobKind<J extends Job> = {
  /** What its routes begin with: `lookup`. */
  readonly routes: 'lookup' | 'replay' | 'invoiceJob' | 'change' | 'ledger'
  /** The input of its list. */
  readonly listOf?: (job: J) => object
  /** One of them: “lookup”. */
  readonly thing: string
  readonly titleOf: (job: J) => string
  readonly routeOf: (job: J) => Route
  /** Where to go once it was removed. */
  readonly homeOf: (job: J) => Route
  /** What stopping and removing it mean. */
  readonly cancelDetail: (job: J) => string
  readonly removeDetail: (job: J) => string
  /** A kind without it can only be stopped. */
  readonly canPause?: boolean
  readonly canRemoveRunning?: boolean
  /** What there is to be told at its end or halt; null for nothing. */
  readonly outcomeOf: (job: J) => string | null
  readonly isBad?: (job: J) => boolean
  /** It is in sight: its end is read out, and no message shown. */
  readonly isInSight?: (job: J, route: Route) => boolean
  /** What stands on the message about its end instead of “Open”. */
  readonly toldAction?: (job: J) => { label: string; run: () => void } | null
  readonly more?: (job: J) => MenuItem[]
}

export function createJobs<J extends Job>(kind: JobKind<J>) {
  const { thing, titleOf } = kind
  const list = `${kind.routes}.list` as 'lookup.list'
  const inputOf = (job: J) => kind.listOf?.(job) as undefined
  /** Those whose end somebody waits for, on whichever page. */
  const awaited = new Set<number>()

  function ask(job: J, verb: Verb): Promise<J | undefined> {
    const route = `${kind.routes}.${verb}` as RouteName
    return attempt(`Could not ${verb === 'cancel' ? 'stop' : verb} the ${thing}`, () =>
      (request as (name: RouteName, input: { id: number }) => Promise<unknown>)(route, {
        id: job.id,
      }),
    ) as Promise<J | undefined>
  }

  function take(jobs: readonly J[]): void {
    for (const job of jobs) {
      const input = inputOf(job)
      // From now on it is known how each stood before.
      if (peek(list, input) === undefined) void fetchData(list, input).catch(() => undefined)
      patch(list, input, (known) => mergeJobs(known, [job as never]))
    }
  }

  function tell(job: J): void {
    const outcome = kind.outcomeOf(job)
    if (outcome === null || !awaited.delete(job.id)) return
    announce(`${titleOf(job)}: ${outcome}`)
    if (kind.isInSight?.(job, useRoute.getState().route) === true) return
    showToast({
      id: `${kind.routes}-${job.id}`,
      title: titleOf(job),
      detail: outcome,
      tone: job.state === 'failed' || kind.isBad?.(job) === true ? 'bad' : 'plain',
      action: kind.toldAction?.(job) ?? {
        label: 'Open',
        run: () => navigate(kind.routeOf(job)),
      },
    })
  }

  watch(list, (now, before) => {
    for (const job of now as unknown as J[]) {
      const former = before.find(({ id }) => id === job.id)
      if (former !== undefined && former.state !== job.state) awaited.add(job.id)
      tell(job)
    }
  })

  /** Started by this window: its end is told, though it may have come before the answer did. */
  function begun(job: J): void {
    awaited.add(job.id)
    take([job])
    tell(job)
  }

  async function carryOut(job: J, verb: Verb, said: string): Promise<void> {
    const next = await ask(job, verb)
    if (next === undefined) return
    announce(`${titleOf(job)} ${said}`)
    if (verb === 'resume') begun(next)
    else take([next])
  }

  const pause = (job: J) => carryOut(job, 'pause', 'paused')
  const resume = (job: J) => carryOut(job, 'resume', 'resumed')

  async function cancel(job: J): Promise<void> {
    const yes = await confirm({
      title: `Stop “${titleOf(job)}”?`,
      detail: kind.cancelDetail(job),
      action: `Stop the ${thing}`,
      destructive: true,
    })
    if (yes) await carryOut(job, 'cancel', 'stopped')
  }

  async function remove(job: J): Promise<void> {
    const yes = await confirm({
      title: `Remove “${titleOf(job)}”?`,
      detail: kind.removeDetail(job),
      action: `Remove the ${thing}`,
      destructive: true,
    })
    if (!yes || (await ask(job, 'remove')) === undefined) return
    reload(list)
    showToast({ title: `“${titleOf(job)}” removed` })
    if (printRoute(kind.routeOf(job)) === printRoute(useRoute.getState().route)) {
      navigate(kind.homeOf(job), { replace: true })
    }
  }

  /** Pause or resume: the one thing most often asked of a job that is not done. */
  function MainAction({ job }: { job: J }) {
    const { canPause, canResume, canStop } = actionsOf(job)
    const act = (icon: 'pause' | 'play' | 'stop', word: string, run: (job: J) => Promise<void>) => (
      <Button icon={icon} aria-label={`${word} ${titleOf(job)}`} onClick={() => void run(job)}>
        {word}
      </Button>
    )
    if (canResume) return act('play', 'Resume', resume)
    if (kind.canPause === false) return canStop && act('stop', 'Stop', cancel)
    return canPause && act('pause', 'Pause', pause)
  }

  function JobMenu({ job }: { job: J }) {
    const { canStop } = actionsOf(job)
    return (
      <Menu
        items={[
          ...(kind.more?.(job) ?? []),
          { label: 'Stop…', icon: 'stop', onSelect: () => void cancel(job), disabled: !canStop },
          'line',
          {
            label: 'Remove…',
            icon: 'trash',
            danger: true,
            onSelect: () => void remove(job),
            disabled: canStop && kind.canRemoveRunning !== true,
          },
        ]}
        trigger={
          <Button
            kind="quiet"
            icon="more"
            aria-label={`Actions of ${titleOf(job)}`}
            title="Actions"
          />
        }
      />
    )
  }

  return { begun, take, cancel, resume, remove, MainAction, JobMenu }
}
