import type { LookupJob } from '../../../../src-preload/contract/lookup.ts'
import { formatUnits } from '../../../amount.ts'
import { accountsHome } from '../../../chain-route.ts'
import { formatCount, formatNumber, fromMs } from '../../../format.ts'
import { Moment } from '../../../moment.tsx'
import { useResource, valueOf } from '../../../resource.ts'
import { printRoute } from '../../../route.ts'
import { Figure, Figures } from '../../../ui/figure.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import { ton } from '../../chain/amount.tsx'
import { sayLeft } from '../../address-list/line-words.ts'
import { JobMenu, PauseButton } from '../job-menu.tsx'
import { printPace, stateTones, stateWords } from '../../jobs/job-state.ts'
import { countDone, printProgress, titleOf } from '../job-words.ts'
import { lookups } from '../lookups.ts'
import { NetworkTag } from '../../network-tag.tsx'
import { Progress } from '../../progress.tsx'
import { ExportRows } from './export-rows.tsx'
import { isEveryRow } from './row-order.ts'
import { formatDecimal } from './row-words.ts'
import { type Sums, rows, useRows } from './rows.ts'
import styles from './job.module.css'

/** What the lookup is, how far it has come, and what can be done with it. */
export function JobHead({ job }: { job: LookupJob }) {
  return (
    <header className={styles['head']}>
      <h2 className={pane['title']}>{titleOf(job)}</h2>
      <NetworkTag id={job.network} />
      <Tag tone={stateTones[job.state]}>{stateWords[job.state]}</Tag>
      <span className={styles['begun']}>
        <Moment at={fromMs(job.createdAt)} />
        <Before job={job} />
      </span>
      <span className={styles['actions']}>
        <PauseButton job={job} />
        <ExportRows job={job} />
        <JobMenu job={job} />
      </span>
    </header>
  )
}

/** Which lookup it is compared to; the one before may be gone. */
function Before({ job: { comparedTo } }: { job: LookupJob }) {
  const all = valueOf(useResource(lookups))
  if (comparedTo === null) return null
  const before = all?.find(({ id }) => id === comparedTo)
  if (before === undefined) return <>, compared to one that was removed</>
  return (
    <>
      , compared to{' '}
      <a href={printRoute({ ...accountsHome, view: 'job', id: before.id })}>
        the one of <Moment at={fromMs(before.createdAt)} />
      </a>
    </>
  )
}

export function JobProgress({ job }: { job: LookupJob }) {
  if (job.state === 'done' && job.problem === null) return null
  return (
    <div className={styles['progress']}>
      <Progress label={`Progress of ${titleOf(job)}`} done={countDone(job)} of={job.counts.valid} />
      <span>{printProgress(job)}</span>
      <span className={styles['pace']}>{printPace(job)}</span>
      {job.problem !== null && (
        <p className={styles['problem']} role="status">
          {job.problem}
        </p>
      )}
    </div>
  )
}

export function JobFigures({ job }: { job: LookupJob }) {
  const state = rows.store()
  const isAll = useRows(({ filter }) => isEveryRow(filter))
  const sums = state.status === 'ready' ? state.extra : null
  const { counts, currency } = job
  const left = counts.duplicate + counts.wrongNetwork + counts.invalid
  return (
    <div className={styles['figures']}>
      <Figures>
        <Figure
          name="Answered"
          value={formatNumber(job.answered)}
          unit={ofValid(job)}
          more={asked(job)}
        />
        <Figure
          name={isAll ? 'Total balance' : 'Balance of the rows shown'}
          value={sums === null ? undefined : formatUnits(sums.balance, ton.decimals)}
          unit={ton.symbol}
          more={currency === null ? 'in no other currency' : inCurrency(sums, currency)}
        />
        <Figure
          name={isAll ? 'Active' : 'Active, of the rows shown'}
          value={sums === null ? undefined : formatNumber(sums.byStatus['active'] ?? 0)}
          more={otherStatuses(sums)}
        />
        <Figure
          name="Not looked up"
          value={formatNumber(left)}
          unit={left === 1 ? 'line' : 'lines'}
          more={sayLeft(counts)}
        />
      </Figures>
    </div>
  )
}

function ofValid({ answered, counts: { valid } }: LookupJob): string | undefined {
  return answered === valid ? undefined : `of ${formatNumber(valid)}`
}

function asked({ failed, requests, chunk }: LookupJob): string {
  const parts = [
    failed > 0 && `${formatNumber(failed)} failed`,
    formatCount(requests, 'request'),
    chunk !== null && `at most ${formatNumber(chunk)} each`,
  ]
  return parts.filter(Boolean).join(', ')
}

function inCurrency(sums: Sums | null, currency: string): string {
  const sum = sums?.inCurrency ?? null
  return sum === null
    ? `no sum in ${currency.toUpperCase()}`
    : `${formatDecimal(sum)} ${currency.toUpperCase()}`
}

function otherStatuses(sums: Sums | null): string {
  if (sums === null) return ''
  const others = Object.entries(sums.byStatus).filter(
    ([name, count]) => name !== 'active' && count > 0,
  )
  if (others.length === 0) return 'no account of another status'
  return others.map(([name, count]) => `${formatNumber(count)} ${name}`).join(', ')
}
