import { useEffect, useMemo, useState } from 'react'
import type { IssueDraft, IssueLine } from '../../../../src-preload/contract/invoice-job.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatAmount } from '../../../components/amount.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import pane from '../../../ui/pane.module.css'
import text from '../../../ui/text.module.css'
import warning from '../../../ui/warning.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { ListStates, useTotal } from '../../../components/list/list-states.tsx'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { Cell, WindowGrid } from '../../../components/list/window-grid.tsx'
import { createWindowList } from '../../../components/list/windows.ts'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { followJob, jobRoute } from '../jobs/jobs.ts'
import { DefaultsForm } from './defaults-form.tsx'
import {
  discardDraft,
  givenOf,
  isOutdated,
  issueDraftsOf,
  makeDraft,
  useDefaults,
} from './drafts.ts'
import { printLifetime } from './lifetime.ts'
import { Where } from './where.tsx'
import styles from './issue.module.css'

const leave = () => navigate({ ...invoicesHome, view: 'issue', draft: null })

/** What was understood of a file, line by line, before anything is asked for. */
export function DraftView({ network, draft }: { network: Network; draft: IssueDraft }) {
  const { valid, invalid, remarks, beyond } = draft
  const source = givenOf(draft.id)
  const [chosen, setChosen] = useState<'invalid' | 'all' | null>(null)
  // What cannot be issued is seen first, but nobody is shown nothing.
  const shown = chosen ?? (invalid > 0 ? 'invalid' : 'all')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const isOld = useReadAgain(network, draft, setProblem)

  const issue = async () => {
    if (busy || !(await mayIssue(network, draft))) return
    setBusy(true)
    setProblem(null)
    try {
      // Asked again after an answer that was lost, it is the same job.
      const job = await request('invoiceIssue.start', { draft: draft.id })
      await followJob(job)
      navigate(jobRoute(job))
      void issueDraftsOf(network.id).reload()
    } catch (error) {
      setProblem(toAppError(error).message)
      setBusy(false)
    }
  }
  const discard = async () => {
    if (await discardDraft(draft)) leave()
  }
  useShortcuts([{ keys: ['Escape'], label: 'Back to the files', group: 'Issue', run: leave }])

  return (
    <div className={styles['plan']}>
      <div>
        <div className={pane['head']}>
          <Button kind="quiet" icon="left" onClick={leave}>
            Files
          </Button>
          <h2 className={pane['title']}>{source?.name ?? 'An unfinished draft'}</h2>
          <span className={classes(text['dim'], text['small'], text['cut'])}>
            {formatCount(draft.lines, 'line')}
            {remarks.length > 0 && `: ${remarks.join(' ')}`}
          </span>
          <span className={styles['headEnd']}>
            <Button icon="trash" onClick={() => void discard()}>
              Discard…
            </Button>
          </span>
        </div>
        {beyond > 0 && (
          <p className={warning['bar']} role="alert">
            {formatCount(beyond, 'line')} beyond the first thousand {beyond === 1 ? 'is' : 'are'}{' '}
            left out: issue them from a second file.
          </p>
        )}
        {source !== null && (
          <div className={styles['filter']}>
            <DefaultsForm />
          </div>
        )}
        <div className={styles['filter']}>
          <ChoiceChips<'invalid' | 'all'>
            label="Lines shown"
            value={shown}
            choices={[
              { value: 'invalid', label: 'With a problem', count: invalid, tone: 'bad' },
              { value: 'all', label: 'All', count: valid + invalid },
            ]}
            onChange={setChosen}
          />
        </div>
      </div>
      <Lines key={`${draft.id} ${shown}`} draft={draft} onlyInvalid={shown === 'invalid'} />
      <div className={styles['foot']}>
        <Totals draft={draft} />
        {problem !== null && (
          <p className={styles['problem']} role="alert">
            {problem}
          </p>
        )}
        <Where network={network} className={styles['end']} />
        <Button
          kind="main"
          disabled={valid === 0}
          busy={busy || isOld}
          onClick={() => void issue()}
        >
          {busy ? 'Issuing…' : `Issue ${formatCount(valid, 'invoice')}…`}
        </Button>
      </div>
    </div>
  )
}

/** Names the count, the sums and the network; what is left out is said once more. */
async function mayIssue(network: Network, draft: IssueDraft): Promise<boolean> {
  const { valid, invalid, beyond, totals } = draft
  const left = invalid + beyond
  return confirm({
    title: `Issue ${formatCount(valid, 'invoice')}?`,
    detail: (
      <div className={styles['question']}>
        <Where network={network} />
        <ul>
          {totals.map(({ currency, count, amount }) => (
            <li key={currency}>
              {formatCount(count, 'invoice')}, <InvoiceAmount units={amount} currency={currency} />{' '}
              in all
            </li>
          ))}
        </ul>
        {left > 0 && (
          <p>
            {formatCount(left, 'line')} {left === 1 ? 'is' : 'are'} left out.
          </p>
        )}
        <p>An invoice cannot be changed afterwards, only cancelled.</p>
      </div>
    ),
    action: `Issue ${formatCount(valid, 'invoice')}`,
  })
}

function Totals({ draft: { totals, invalid } }: { draft: IssueDraft }) {
  return (
    <span className={styles['totals']}>
      {totals.length === 0 && 'No line can be issued.'}
      {totals.map(({ currency, count, amount }) => (
        <span key={currency}>
          {formatCount(count, 'invoice')},{' '}
          <b className={text['mono']}>
            {formatAmount(amount, currency)} {currency}
          </b>
        </span>
      ))}
      {invalid > 0 && <span className={styles['bad']}>{formatNumber(invalid)} left out</span>}
    </span>
  )
}

/** Typing rests this long before the lines are read anew. */
const restMs = 250

/** With other defaults the same lines mean something else: they are read anew into another draft. */
function useReadAgain(
  network: Network,
  { id }: IssueDraft,
  onProblem: (why: string | null) => void,
): boolean {
  const defaults = useDefaults()
  const isOld = isOutdated(id, defaults)
  useEffect(() => {
    const source = givenOf(id)
    if (!isOld || source === null) return undefined
    const timer = setTimeout(() => {
      makeDraft(network.id, source, id).then(
        () => onProblem(null),
        (error: unknown) => onProblem(toAppError(error).message),
      )
    }, restMs)
    return () => clearTimeout(timer)
  }, [network.id, id, isOld, defaults, onProblem])
  return isOld
}

const columns = [
  { name: 'Line', end: true },
  { name: 'Amount', end: true },
  { name: 'Lives for' },
  { name: 'Description' },
  { name: 'What is said of it' },
]

function Lines({ draft: { id }, onlyInvalid }: { draft: IssueDraft; onlyInvalid: boolean }) {
  const lines = useMemo(() => createWindowList<IssueLine, null>(), [])
  const [cursor, setCursor] = useState<number | null>(null)
  useEffect(() => {
    lines.open(async (offset, limit) => {
      const page = await request('invoiceIssue.lines', { draft: id, onlyInvalid, offset, limit })
      return { total: page.total, rows: page.lines, extra: null }
    })
  }, [lines, id, onlyInvalid])
  useGridKeys({
    group: 'Issue',
    thing: 'line',
    count: useTotal(lines),
    cursor,
    onCursor: setCursor,
  })
  return (
    <ListStates
      list={lines}
      of="the lines"
      empty={
        <EmptyState
          title={onlyInvalid ? 'Every line can be issued' : 'The file has no line with an invoice'}
        />
      }
    >
      {(state) => (
        <WindowGrid
          label="Lines"
          className={styles['lineColumns']}
          columns={columns}
          list={lines}
          state={state}
          cursor={cursor}
          onCursor={setCursor}
          cells={(line) => <LineCells line={line} />}
        />
      )}
    </ListStates>
  )
}

function LineCells({ line }: { line: IssueLine }) {
  const { amount, currency, lifeTimeSeconds, description, problem, warning: said } = line
  return (
    <>
      <Cell className={classes(text['number'], text['faint'])}>{formatNumber(line.line)}</Cell>
      <Cell className={text['number']} title={amount === null ? line.text : undefined}>
        {amount !== null && currency !== null ? (
          <InvoiceAmount units={amount} currency={currency} />
        ) : (
          <span className={classes(text['mono'], text['faint'])}>
            <UntrustedText text={line.text} />
          </span>
        )}
      </Cell>
      <Cell>{lifeTimeSeconds !== null && printLifetime(lifeTimeSeconds)}</Cell>
      <Cell title={description}>
        <UntrustedText text={description} />
      </Cell>
      <Cell
        className={problem !== null ? styles['bad'] : styles['warn']}
        title={problem ?? said ?? undefined}
      >
        {problem ?? said}
      </Cell>
    </>
  )
}
