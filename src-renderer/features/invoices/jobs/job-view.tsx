import { useEffect, useMemo, useState } from 'react'
import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import { request } from '../../../app/bridge.ts'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import { invoiceRoute, invoicesHome } from '../../../app/invoices-route.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Moment } from '../../../ui/moment.tsx'
import { navigate, printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { stateTones, stateWords } from '../../../components/jobs/job-state.ts'
import { type Choice, ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { ListStates, useTotal } from '../../../components/list/list-states.tsx'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { useLookAgain } from '../../../components/list/use-look-again.ts'
import { Cell, WindowGrid } from '../../../components/list/window-grid.tsx'
import { createWindowList } from '../../../components/list/windows.ts'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { JobMenu, MainAction } from './job-actions.tsx'
import { exportLinks } from './job-commands.ts'
import { JobProgress } from './job-progress.tsx'
import {
  countSettled,
  itemTones,
  itemWord,
  sayCounts,
  sayFailed,
  sayUnclear,
  titleOf,
} from './job-words.ts'
import { UnclearChoices } from './unclear-choices.tsx'
import strip from '../../../components/jobs/job-strip.module.css'
import styles from './jobs.module.css'

type ItemState = InvoiceJobItem['state']

/** One job and what became of each of its invoices. */
export function JobView({ job, onLeave }: { job: InvoiceJob; onLeave: () => void }) {
  const [shown, setShown] = useState<ItemState | null>(null)
  const canSave = job.kind === 'issue' && job.done > 0
  useShortcuts([
    { keys: ['Escape'], label: 'Back to Jobs', group: 'Job', run: onLeave },
    {
      keys: ['e'],
      label: 'Save the links as CSV',
      group: 'Job',
      run: () => canSave && exportLinks(job),
    },
  ])
  return (
    <div className={pane['pane']}>
      <div>
        <div className={pane['head']}>
          <Button kind="quiet" icon="left" onClick={onLeave}>
            Jobs
          </Button>
          <h2 className={pane['title']}>{titleOf(job)}</h2>
          <Tag tone={stateTones[job.state]}>{stateWords[job.state]}</Tag>
          <span className={classes(text['dim'], text['small'], text['cut'])}>
            begun <Moment at={fromMs(job.createdAt)} />
          </span>
          <span className={styles['headEnd']}>
            {canSave && (
              <Button icon="download" onClick={() => exportLinks(job)}>
                Save the links
              </Button>
            )}
            <MainAction job={job} />
            <JobMenu job={job} />
          </span>
        </div>
        <Standing job={job} />
        <div className={styles['filter']}>
          <ChoiceChips<ItemState | null>
            label="Invoices shown"
            value={shown}
            choices={choicesOf(job)}
            onChange={setShown}
          />
        </div>
      </div>
      <Items key={shown ?? 'all'} job={job} shown={shown} />
    </div>
  )
}

function Standing({ job }: { job: InvoiceJob }) {
  const isOver = job.state === 'done' || job.state === 'cancelled'
  const unclear = sayUnclear(job)
  const failed = sayFailed(job)
  return (
    <div className={styles['standing']}>
      {isOver ? <p>{sayCounts(job)}</p> : <JobProgress job={job} />}
      {job.problem !== null && (
        <p className={strip['problem']} role="status">
          {job.problem}
        </p>
      )}
      {unclear !== null && <p className={styles['guidance']}>{unclear}</p>}
      {failed !== null && (
        <p className={styles['guidance']}>
          {failed}{' '}
          {job.kind === 'issue' && (
            <a href={printRoute({ ...invoicesHome, view: 'issue', draft: null })}>
              Issue from a file
            </a>
          )}
        </p>
      )}
    </div>
  )
}

/** States without an invoice are left out: most jobs have only some of them. */
function choicesOf(job: InvoiceJob): Choice<ItemState | null>[] {
  const { kind, total, done, failed, unclear } = job
  const choices: Choice<ItemState | null>[] = [
    { value: 'done', label: capital(itemWord(kind, 'done')), count: done, tone: 'ok' },
    { value: 'failed', label: capital(itemWord(kind, 'failed')), count: failed, tone: 'bad' },
    { value: 'unclear', label: 'Unclear', count: unclear, tone: 'warn' },
    { value: 'waiting', label: 'Waiting', count: total - countSettled(job) },
  ]
  return [
    { value: null, label: 'All', count: total },
    ...choices.filter(({ count = 0 }) => count > 0),
  ]
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

const columns = [
  { name: 'No.', end: true },
  { name: 'State' },
  { name: 'Amount', end: true },
  { name: 'Description' },
  { name: 'Invoice' },
  { name: 'Link', hideName: true },
  { name: 'Why' },
]

function Items({ job, shown }: { job: InvoiceJob; shown: ItemState | null }) {
  const { id, kind } = job
  const items = useMemo(() => createWindowList<InvoiceJobItem, null>(), [])
  const [cursor, setCursor] = useState<number | null>(null)
  const [deciding, setDeciding] = useState<InvoiceJobItem | null>(null)
  useEffect(() => {
    items.open(async (offset, limit) => {
      const page = await request('invoiceJob.items', { id, state: shown, offset, limit })
      return { total: page.total, rows: page.items, extra: null }
    })
  }, [items, id, shown])

  useLookAgain(`${countSettled(job)} ${job.unclear} ${job.state}`, items.refresh)
  useGridKeys({
    group: 'Job',
    thing: 'invoice',
    count: useTotal(items),
    cursor,
    onCursor: setCursor,
  })

  const open = (item: InvoiceJobItem) => {
    if (item.state === 'unclear' && kind === 'issue') setDeciding(item)
    else if (item.invoice !== null) {
      navigate({ ...invoiceRoute(item.invoice), network: job.network })
    }
  }

  return (
    <div className={styles['items']}>
      <ListStates
        list={items}
        of="the invoices"
        empty={<EmptyState title="No invoice of this job is like that" />}
      >
        {(state) => (
          <WindowGrid
            label="Invoices of this job"
            className={styles['itemColumns']}
            columns={columns}
            list={items}
            state={state}
            cursor={cursor}
            onCursor={setCursor}
            onOpen={open}
            cells={(item) => <ItemCells job={job} item={item} onDecide={() => setDeciding(item)} />}
          />
        )}
      </ListStates>
      {deciding !== null && (
        <div className={styles['deciding']}>
          <div className={styles['line']}>
            <h3>No. {formatNumber(deciding.index + 1)}: was it created?</h3>
            <Button className={styles['end']} kind="quiet" onClick={() => setDeciding(null)}>
              Decide later
            </Button>
          </div>
          <UnclearChoices
            key={deciding.index}
            job={job}
            item={deciding}
            onChanged={() => {
              setDeciding(null)
              items.refresh()
            }}
          />
        </div>
      )}
    </div>
  )
}

function ItemCells({
  job: { kind, network },
  item,
  onDecide,
}: {
  job: InvoiceJob
  item: InvoiceJobItem
  onDecide: () => void
}) {
  const { index, state, invoice, paymentLink, description, message } = item
  return (
    <>
      <Cell className={classes(text['number'], text['faint'])}>{formatNumber(index + 1)}</Cell>
      <Cell>
        <Tag tone={itemTones[state]}>{itemWord(kind, state)}</Tag>
      </Cell>
      <Cell className={text['number']}>
        <InvoiceAmount units={item.amount} currency={item.currency} />
      </Cell>
      <Cell title={description}>
        <UntrustedText text={description} />
      </Cell>
      <Cell className={text['mono']}>
        {invoice !== null && (
          <a href={printRoute({ ...invoiceRoute(invoice), network })} tabIndex={-1}>
            {invoice}
          </a>
        )}
      </Cell>
      <Cell>
        {paymentLink !== null && paymentLink !== '' && (
          <CopyButton text={paymentLink} what={`Link of ${invoice ?? ''}`} iconOnly kind="quiet" />
        )}
      </Cell>
      <Cell title={message ?? undefined} className={styles['reason']}>
        {state === 'unclear' && kind === 'issue' && (
          <Button kind="link" onClick={onDecide}>
            Decide…
          </Button>
        )}{' '}
        {message}
      </Cell>
    </>
  )
}
