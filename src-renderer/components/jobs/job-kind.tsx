/**
 * The common parts of all jobs of the main process: the actions on a job, its messages and its
 * views.
 */
import type { UseQueryResult } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import type { JobName, JobOf } from '../../../src-preload/contract/job.ts'
import type { JobState } from '../../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  attempt,
  request,
  fetchData,
  peek,
  reload,
  useData,
  watch,
  patchData,
} from '../../app/bridge.ts'
import { type Route, navigate, routeHref, useRoute } from '../../app/route.ts'
import { Button, type MenuItem, Menu, menuItem } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { announce, showToast } from '../../ui/toast.tsx'
import { formatNumber, formatDuration } from '../../ui/format.ts'
import type { IconName } from '../../ui/icons.tsx'
import { Note, Row, Stack, type Tone, Tag, Text, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { EmptyState, Loaded, Progress } from '../../ui/loaded.tsx'
import { type TableColumn, Table, column } from '../../ui/table.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'

type Job = {
  readonly id: number
  readonly state: JobState
  readonly problem: string | null
  readonly rate: number | null
  readonly secondsLeft: number | null
}

type Verb = 'pause' | 'resume' | 'cancel' | 'remove'

/** The properties in which the kinds of jobs differ. */
type JobKind<J extends Job> = {
  readonly kind: Exclude<JobName, 'move'>
  /** The name of one job, such as “lookup”. */
  readonly thing: string
  readonly titleOf: (job: J) => string
  /** Returns a note next to the title, such as “undone”. */
  readonly noteOf?: (job: J) => string | null
  readonly routeOf: (job: J) => Route
  /** The page to open after the job was removed. */
  readonly homeOf: (job: J) => Route
  /** The start in microseconds. */
  readonly startedAt: (job: J) => number
  /** The heading of the column with the progress, such as “Accounts”. */
  readonly counts: string
  readonly progressOf: (job: J) => {
    readonly done: number
    readonly total: number
    readonly failed?: number
    /** Content after the number of failed items. */
    readonly more?: ReactNode
  }
  /** The present result, shown once the job is over. */
  readonly resultOf: (job: J) => string
  readonly toneOf?: (job: J) => Tone
  /** The consequence of stopping the job. A kind without it stops at once, because it can be resumed. */
  readonly cancelDetail?: (job: J) => string
  readonly removeDetail: (job: J) => string
  /** A kind without it can only be stopped. */
  readonly canPause?: boolean
  readonly canRemoveRunning?: boolean
  /** Paused and failed jobs by default. */
  readonly canResume?: (job: J) => boolean
  /** The message about the job's end or pause; null for none. */
  readonly outcomeOf: (job: J) => string | null
  /** A message that needs further requests and replaces the outcome; null for none. */
  readonly outcomeDetail?: (job: J) => Promise<string | null>
  readonly isBad?: (job: J) => boolean
  /** True if the page shows the job: a screen reader announces its end, and no message is shown. */
  readonly isInSight?: (job: J, route: Route) => boolean
  /** True to keep only the last message about several jobs. */
  readonly oneMessage?: boolean
  /** Replaces the action “Open” in the message about the end. */
  readonly messageAction?: (job: J) => { label: string; run: () => void } | null
  /** The main action of a job that can neither be paused nor resumed. */
  readonly lastAction?: (job: J) => { label: string; icon: IconName; run: () => void } | null
  readonly more?: (job: J) => MenuItem[]
}

export function createJobs<J extends Job>(kind: JobKind<J>) {
  return new Jobs(kind)
}

/** Kinds whose jobs are listed for each network; jobs of other kinds are listed together. */
const listedByNetwork: ReadonlySet<JobName> = new Set([
  'change',
  'invoiceExport',
  'invoiceJob',
  'missedEvents',
  'move',
])

/** Returns the input of the list that contains this job. */
export function jobListInput(
  kind: JobName,
  job: { readonly network?: NetworkId } | object,
): Input<'job.list'> {
  return listedByNetwork.has(kind) && 'network' in job ? { kind, network: job.network } : { kind }
}

/** Returns the jobs of a kind, for one network or all. */
export function useJobs<K extends JobName>(kind: K, network?: NetworkId) {
  const input = network === undefined ? { kind } : { kind, network }
  // The type depends on the name of the kind.
  return useData('job.list', input) as UseQueryResult<JobOf<K>[], AppError>
}

type JobWatcher = (now: readonly never[], before: readonly never[]) => void
const watchers = new Map<JobName, JobWatcher>()

/** Calls `watcher` at each change of a list of these jobs, for announcements. Use it once per kind. */
export function watchJobs<K extends JobName>(
  kind: K,
  watcher: (now: readonly JobOf<K>[], before: readonly JobOf<K>[]) => void,
): void {
  watchers.set(kind, watcher)
}

watch('job.list', (now, before, { kind }) => watchers.get(kind)?.(now as never, before as never))

/** The messages about jobs of one kind, the actions of a user on a job, and its views. */
class Jobs<J extends Job> {
  readonly #kind: JobKind<J>
  /** Jobs whose end is reported on any page. */
  readonly #awaited = new Set<number>()
  #outcomeListener: (job: J) => void = () => undefined

  constructor(kind: JobKind<J>) {
    this.#kind = kind
    watchJobs(kind.kind, (now, before) => {
      for (const job of now as unknown as J[]) {
        const former = (before as unknown as J[]).find(({ id }) => id === job.id)
        if (former !== undefined && former.state !== job.state) this.#awaited.add(job.id)
        if (former !== undefined) this.#announceProgress(former, job)
        void this.#report(job)
      }
    })
  }

  /** The subject of announcements, by which a later one replaces an earlier one about the same job. */
  #subjectOf({ id }: J): string {
    return `${this.#kind.kind}-${id}`
  }

  async #report(job: J): Promise<void> {
    const kind = this.#kind
    const known = kind.outcomeOf(job)
    if (known === null || !this.#awaited.delete(job.id)) return
    this.#outcomeListener(job)
    const outcome = (await kind.outcomeDetail?.(job).catch(() => null)) ?? known
    announce(`${kind.titleOf(job)}: ${outcome}`, this.#subjectOf(job))
    if (kind.isInSight?.(job, useRoute.getState().route) === true) return
    const open = { label: 'Open', run: () => navigate(kind.routeOf(job)) }
    showToast({
      id: kind.oneMessage === true ? kind.kind : this.#subjectOf(job),
      title: kind.titleOf(job),
      detail: outcome,
      tone: job.state === 'failed' || kind.isBad?.(job) === true ? 'bad' : 'plain',
      action: kind.messageAction?.(job) ?? open,
    })
  }

  /** Announces a quarter, a half and three quarters; the bar shows the rest. */
  #announceProgress(before: J, now: J): void {
    const { progressOf, titleOf } = this.#kind
    const percent = reachedQuarter(progressOf(before), progressOf(now))
    if (now.state === 'running' && percent !== null) {
      announce(`${titleOf(now)}: ${percent} %`, this.#subjectOf(now))
    }
  }

  /**
   * Call this for a job that this window started: its end is reported even if it ended before the
   * list was loaded.
   */
  begun(job: J): void {
    this.#awaited.add(job.id)
    const input = jobListInput(this.#kind.kind, job)
    if (peek('job.list', input) === undefined) {
      const reportAll = (jobs: readonly unknown[]) =>
        (jobs as J[]).forEach((each) => void this.#report(each))
      void fetchData('job.list', input).then(reportAll, () => undefined)
    }
    takeOwnJob(this.#kind.kind, job)
    void this.#report(job)
  }

  /** The listener is called at each reported end or pause. */
  onOutcome(listener: (job: J) => void): void {
    this.#outcomeListener = listener
  }

  #send({ id }: J, verb: Verb): Promise<J | undefined> {
    const { kind, thing } = this.#kind
    return attempt(`Could not ${verb === 'cancel' ? 'stop' : verb} the ${thing}`, () =>
      request(`job.${verb}`, { kind, id }),
    ) as Promise<J | undefined>
  }

  async #carryOut(job: J, verb: Verb, outcome: string): Promise<void> {
    const next = await this.#send(job, verb)
    if (next === undefined) return
    announce(`${this.#kind.titleOf(job)} ${outcome}`)
    if (verb === 'resume') this.begun(next)
    else takeOwnJob(this.#kind.kind, next)
  }

  readonly #pause = (job: J) => this.#carryOut(job, 'pause', 'paused')
  readonly resume = (job: J) => this.#carryOut(job, 'resume', 'resumed')

  readonly cancel = async (job: J): Promise<void> => {
    const { cancelDetail, titleOf, thing } = this.#kind
    const question = { title: `Stop “${titleOf(job)}”?`, action: `Stop the ${thing}` }
    const detail = cancelDetail?.(job)
    const yes = detail === undefined || (await confirm({ ...question, detail, destructive: true }))
    if (yes) await this.#carryOut(job, 'cancel', 'stopped')
  }

  async #remove(job: J): Promise<void> {
    const { kind, titleOf, thing, removeDetail, routeOf, homeOf } = this.#kind
    const yes = await confirm({
      title: `Remove “${titleOf(job)}”?`,
      detail: removeDetail(job),
      action: `Remove the ${thing}`,
      destructive: true,
    })
    if (!yes || (await this.#send(job, 'remove')) === undefined) return
    reload('job.list', { kind })
    showToast({ title: `“${titleOf(job)}” removed` })
    if (routeHref(routeOf(job)) === routeHref(useRoute.getState().route)) {
      navigate(homeOf(job), { replace: true })
    }
  }

  /** Shows the most likely action in the job's state: pause, resume, stop, or one of its kind. */
  readonly MainAction = ({ job }: { job: J }) => {
    const kind = this.#kind
    const { canPause, canStop, ...usual } = actionsOf(job)
    const canResume = kind.canResume?.(job) ?? usual.canResume
    const act = (icon: IconName, word: string, run: () => unknown) => (
      <Button icon={icon} aria-label={`${word} ${kind.titleOf(job)}`} onClick={() => void run()}>
        {word}
      </Button>
    )
    if (canResume) return act('play', 'Resume', () => this.resume(job))
    if (kind.canPause === false && canStop) return act('stop', 'Stop', () => this.cancel(job))
    if (kind.canPause !== false && canPause) return act('pause', 'Pause', () => this.#pause(job))
    const last = kind.lastAction?.(job) ?? null
    return last && act(last.icon, last.label, last.run)
  }

  readonly JobMenu = ({ job }: { job: J }) => {
    const { more, cancelDetail, canRemoveRunning, titleOf } = this.#kind
    const { canStop } = actionsOf(job)
    return (
      <Menu
        items={[
          ...(more?.(job) ?? []),
          menuItem(
            cancelDetail === undefined ? 'Stop' : 'Stop…',
            { icon: 'stop', disabled: !canStop },
            () => this.cancel(job),
          ),
          'line',
          menuItem(
            'Remove…',
            { icon: 'trash', danger: true, disabled: canStop && canRemoveRunning !== true },
            () => this.#remove(job),
          ),
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

  readonly State = ({ job }: { job: J }) => (
    <Tag tone={this.#kind.toneOf?.(job) ?? stateTones[job.state]}>{jobStateLabels[job.state]}</Tag>
  )

  /** Shows the progress, the rate and the number of failures. */
  readonly Counts = ({ job }: { job: J }) => {
    const { done, total, failed = 0, more } = this.#kind.progressOf(job)
    return (
      <Row grow>
        <Progress label={`Progress of ${this.#kind.titleOf(job)}`} done={done} of={total} />
        <Text size="s" number over="nowrap">
          {formatProgress(done, total)}
        </Text>
        {failed > 0 && (
          <Small tone="bad" over="nowrap">
            {formatNumber(failed)} failed
          </Small>
        )}
        {more}
        <Text size="s" tone="dim" over="cut" title={formatPace(job)}>
          {formatPace(job)}
        </Text>
      </Row>
    )
  }

  /** Shows the progress or the result of a job, and why it waits, below the head of its view. */
  readonly Standing = ({ job, children }: { job: J; children?: ReactNode }) => (
    <Stack gap="xs" pad="m" line="below">
      {hasJobEnded(job) ? (
        <Text size="s">{this.#kind.resultOf(job)}</Text>
      ) : (
        <this.Counts job={job} />
      )}
      <JobProblem job={job} />
      {children}
    </Stack>
  )

  /** Shows the head of a job's view. */
  readonly Head = ({
    job,
    back,
    level = 'h2',
    about,
    children,
  }: {
    job: J
    back?: { readonly label: string; readonly run: () => void }
    level?: 'h2' | 'h3'
    /** Content after the time of the start. */
    about?: ReactNode
    /** Content before the actions of the job. */
    children?: ReactNode
  }) => (
    <Row as="header" wrap pad="m" line="below">
      {back !== undefined && (
        <Button kind="quiet" icon="left" onClick={back.run}>
          {back.label}
        </Button>
      )}
      <Text as={level} size="m" over="cut">
        <UntrustedText text={this.#kind.titleOf(job)} />
      </Text>
      <this.State job={job} />
      <Small over="cut">
        <Moment at={this.#kind.startedAt(job)} />
        {about}
      </Small>
      <Row last>
        {children}
        <this.MainAction job={job} />
        <this.JobMenu job={job} />
      </Row>
    </Row>
  )

  /** Shows the running jobs above a page, on each of its views. */
  readonly Strip = ({ jobs }: { jobs: readonly J[] }) => {
    const { titleOf, routeOf } = this.#kind
    return jobs
      .filter((job) => actionsOf(job).canStop)
      .map((job) => (
        <Note key={job.id}>
          <Row role="group" aria-label={`In progress: ${titleOf(job)}`} gap="l">
            <Text as="a" href={routeHref(routeOf(job))} strong over="cut">
              <UntrustedText text={titleOf(job)} />
            </Text>
            <this.Counts job={job} />
            <this.MainAction job={job} />
          </Row>
          <JobProblem job={job} />
        </Note>
      ))
  }

  /** Lists jobs, newest first; j and k move through the list. */
  readonly JobTable = ({
    jobs,
    of,
    group,
    columns = [],
  }: {
    jobs: readonly J[]
    /** The name of the list, such as “Lookups”. */
    of: string
    /** The heading of the keys in the list of shortcuts; if absent, the page has the keys. */
    group?: string
    /** Columns after the name. */
    columns?: readonly TableColumn<J>[]
  }) => {
    const { thing, titleOf, routeOf, noteOf, counts, resultOf, startedAt } = this.#kind
    return (
      <Table<J>
        label={of}
        rows={jobs}
        keyOf={({ id }) => id}
        scroll
        {...(group !== undefined && { keys: { group, thing } })}
        columns={[
          column(thing.charAt(0).toUpperCase() + thing.slice(1), { wraps: true }, (job) => (
            <>
              <Text as="a" data-walk href={routeHref(routeOf(job))} strong>
                <UntrustedText text={titleOf(job)} />
              </Text>{' '}
              <Small tone="faint">{noteOf?.(job)}</Small>
              {job.problem !== null && (
                <Text as="p" size="s" tone={job.state === 'failed' ? 'bad' : 'dim'}>
                  {job.problem}
                </Text>
              )}
            </>
          )),
          ...columns,
          column('State', { width: 84 }, (job) => <this.State job={job} />),
          column(counts, { width: 190 }, (job) =>
            hasJobEnded(job) ? resultOf(job) : <this.Counts job={job} />,
          ),
          column('Started', { look: 'dim' }, (job) => <Moment at={startedAt(job)} />),
          column('Actions', { hideName: true }, (job) => (
            <Row gap="xs" justify="end">
              <this.MainAction job={job} />
              <this.JobMenu job={job} />
            </Row>
          )),
        ]}
      />
    )
  }
}

function JobProblem({ job: { problem } }: { job: Job }) {
  if (problem === null) return null
  return (
    <Text as="p" size="s" tone="warn" over="break" role="status">
      {problem}
    </Text>
  )
}

/** Shows the job that an address names, or says that it does not exist. */
export function OneJob<J extends { readonly id: number }>({
  query,
  id,
  thing,
  onAll,
  children,
}: {
  query: Parameters<typeof Loaded<readonly J[]>>[0]['query']
  id: number
  /** The name of the kind, such as “lookup”. */
  thing: string
  /** Called to show the list of jobs. */
  onAll: () => void
  children: (job: J) => ReactNode
}) {
  return (
    <Loaded query={query} of={`the ${thing}`} rows={12}>
      {(jobs) => {
        const job = jobs.find((each) => each.id === id)
        if (job !== undefined) return <Fragment key={id}>{children(job)}</Fragment>
        return (
          <EmptyState
            title={`No ${thing} has the ID ${id}`}
            detail={`The ${thing} may have been removed.`}
          >
            <Button onClick={onAll}>Show all {thing}s</Button>
          </EmptyState>
        )
      }}
    </Loaded>
  )
}

export const jobStateLabels: Record<JobState, string> = {
  running: 'running',
  paused: 'paused',
  done: 'done',
  cancelled: 'stopped',
  failed: 'failed',
}

export const stateTones: Record<JobState, Tone> = {
  running: 'plain',
  paused: 'warn',
  done: 'ok',
  cancelled: 'plain',
  failed: 'bad',
}

type Progressed = { readonly done: number; readonly total: number }

/** Returns 25, 50 or 75 if a job has just passed this percentage; null otherwise, and at its end. */
export function reachedQuarter(before: Progressed, now: Progressed): number | null {
  const quarters = ({ done, total }: Progressed) =>
    total === 0 ? 0 : Math.floor((4 * done) / total)
  const reached = quarters(now)
  return reached > quarters(before) && reached < 4 ? 25 * reached : null
}

/** Formats `8 500 of 10 000`, or only the total if everything is done. */
export function formatProgress(done: number, total: number): string {
  return done === total ? formatNumber(total) : `${formatNumber(done)} of ${formatNumber(total)}`
}

/** Formats `120 per second, 3 min 12 s left`; empty if the job does not run or nothing is known yet. */
export function formatPace({
  state,
  rate,
  secondsLeft,
}: {
  readonly state: JobState
  readonly rate: number | null
  readonly secondsLeft: number | null
}): string {
  if (state !== 'running' || rate === null || rate === 0) return ''
  const pace =
    rate >= 10 ? formatNumber(Math.round(rate)) : formatNumber(Math.round(rate * 10) / 10)
  const left = secondsLeft === null ? '' : `, ${formatDuration(Math.ceil(secondsLeft) * 1e6)} left`
  return `${pace} per second${left}`
}

/** Describes a job that has ended or stopped; null while it runs. */
export function describeOutcome(
  { state, problem }: { readonly state: JobState; readonly problem: string | null },
  counts: string,
  /** The reason for a failed job without its own problem. */
  whyFailed = 'the gateway does not respond.',
): string | null {
  switch (state) {
    case 'running':
      return null
    case 'paused':
      return problem === null ? null : `Paused: ${problem}`
    case 'failed':
      return `Failed: ${problem ?? whyFailed} ${counts}.`
    case 'cancelled':
      return `Stopped: ${counts}`
    case 'done':
      return counts
  }
}

/** True for a job that will not continue. */
export function hasJobEnded({ state }: { readonly state: JobState }): boolean {
  return state === 'done' || state === 'cancelled'
}

/** Returns the actions that the state allows. */
export function actionsOf({ state }: { readonly state: JobState }) {
  return {
    canPause: state === 'running',
    canResume: state === 'paused' || state === 'failed',
    canStop: state === 'running' || state === 'paused',
  }
}

/**
 * Stores newer versions of jobs in the lists to which they belong; new jobs come first. A list that
 * was never loaded is loaded, so that the next change can be compared with it.
 */
export function storeJobs(kind: JobName, jobs: readonly { readonly id: number }[]): void {
  for (const job of jobs) {
    const input = jobListInput(kind, job)
    patchData('job.list', input, (known) =>
      [...known.filter(({ id }) => id !== job.id), job as never].toSorted((a, b) => b.id - a.id),
    )
    if (peek('job.list', input) === undefined) {
      void fetchData('job.list', input).catch(() => undefined)
    }
  }
}

/**
 * Stores a job from the response to its start or change, unless an event about a later state has
 * come before.
 */
export function takeOwnJob(kind: JobName, job: { readonly id: number }): void {
  storeJobs(kind, [job])
  reload('job.list', jobListInput(kind, job))
}
