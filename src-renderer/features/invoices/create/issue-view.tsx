import { useState } from 'react'
import type { IssueDraft } from '../../../../src-preload/contract/invoice-job.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatAmount } from '../../../components/amount.ts'
import { toAppError } from '../../../app/bridge.ts'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Moment } from '../../../ui/moment.tsx'
import { useResource, valueOf } from '../../../app/resource.ts'
import { navigate, printRoute, useRoute } from '../../../app/route.ts'
import { saveBytes } from '../../../app/save-bytes.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextArea } from '../../../ui/text-field.tsx'
import { DropZone, OpenFileButton } from '../../../components/files/drop-zone.tsx'
import { DefaultsForm } from './defaults-form.tsx'
import { DraftView } from './draft-view.tsx'
import {
  type Given,
  discardDraft,
  issueDraftsOf,
  makeDraft,
  readGiven,
  template,
} from './drafts.ts'
import { issueMost } from '../../../../src-preload/domain/invoice-words.ts'
import styles from './issue.module.css'

/** Many invoices from a file: what was understood is seen first, then issued once. */
export function IssueView({ network }: { network: Network }) {
  const id = useRoute(({ route }) =>
    route.page === 'invoices' && route.view === 'issue' ? route.draft : null,
  )
  return id === null ? <Start network={network} /> : <Draft network={network} id={id} />
}

function Draft({ network, id }: { network: Network; id: string }) {
  const drafts = issueDraftsOf(network.id)
  const state = useResource(drafts)
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The draft could not be read"
        why={state.error.message}
        onRetry={() => void drafts.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={8} label="Reading the draft" />
  const draft = state.value.find((each) => each.id === id)
  if (draft !== undefined) return <DraftView network={network} draft={draft} />
  return (
    <EmptyState
      title={`There is no such draft on ${network.name}`}
      detail="It was issued, or discarded. What was issued is listed under Jobs."
    >
      <Button kind="main" onClick={() => navigate({ ...invoicesHome, view: 'issue', draft: null })}>
        Issue from another file
      </Button>
      <Button onClick={() => navigate({ ...invoicesHome, view: 'jobs', job: null })}>
        Show the jobs
      </Button>
    </EmptyState>
  )
}

function Start({ network }: { network: Network }) {
  const [pasted, setPasted] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  const take = async (read: () => Promise<Given>) => {
    setBusy(true)
    setProblem(null)
    try {
      await makeDraft(network.id, await read())
    } catch (error) {
      setProblem(toAppError(error).message)
      setBusy(false)
    }
  }
  const takeFile = (file: File) => void take(() => readGiven(file))
  const takePasted = () => {
    if (pasted.trim() === '' || busy) return
    void take(() => Promise.resolve({ name: 'What was pasted', text: pasted }))
  }
  useShortcuts([
    { keys: ['mod+Enter'], label: 'Read what was pasted', group: 'Issue', run: takePasted },
  ])

  return (
    <DropZone hint="Drop it to read its invoices" className={styles['zone']} onFile={takeFile}>
      <div className={styles['start']} tabIndex={0} role="region" aria-label="Issue from a file">
        <div>
          <section className={pane['section']} aria-label="Many invoices from a file">
            <h3>Many invoices from a file</h3>
            <p className={styles['hint']}>
              Up to {formatNumber(issueMost)} at once. What was understood of each line is shown
              first; nothing is asked for until you issue them.
            </p>
            <form
              className={styles['form']}
              aria-label="Lines"
              onSubmit={(event) => {
                event.preventDefault()
                takePasted()
              }}
            >
              <TextArea
                label="Paste the lines here"
                hint="Or drop a .csv file anywhere on this page."
                mono
                rows={8}
                spellCheck={false}
                placeholder={template.replaceAll('\r', '')}
                value={pasted}
                onChange={setPasted}
              />
              <DefaultsForm />
              {problem !== null && (
                <p className={styles['problem']} role="alert">
                  {problem}
                </p>
              )}
              <div className={styles['line']}>
                <Button type="submit" kind="main" disabled={pasted.trim() === ''} busy={busy}>
                  {busy ? 'Reading…' : 'Read the lines'}
                </Button>
                <OpenFileButton label="Open a file…" accept=".csv,.tsv,.txt" onFile={takeFile} />
              </div>
            </form>
          </section>
        </div>
        <div>
          <Drafts network={network} />
          <Form />
        </div>
      </div>
    </DropZone>
  )
}

function Form() {
  const save = () => saveBytes([new TextEncoder().encode(template)], 'invoices-template.csv')
  return (
    <section className={pane['section']} aria-label="How the file is written">
      <h3>How the file is written</h3>
      <div className={styles['line']}>
        <Button icon="download" onClick={save}>
          Save the template
        </Button>
        <CopyButton text={template} what="Template" />
      </div>
      <pre className={styles['example']} tabIndex={0} aria-label="Example">
        {template}
      </pre>
      <p className={styles['hint']}>
        One invoice a line: amount, currency, description, lifetime. With a header the columns stand
        in any order. Commas, semicolons or tabs part them; amounts have a comma or a point. A line
        without a currency or a lifetime takes the defaults.
      </p>
    </section>
  )
}

/** What was begun and not issued: nothing of it is lost, and none of it is at the gateway. */
function Drafts({ network }: { network: Network }) {
  const drafts = valueOf(useResource(issueDraftsOf(network.id))) ?? []
  if (drafts.length === 0) return null
  return (
    <section className={pane['section']} aria-label="Unfinished">
      <h3>Unfinished</h3>
      <ul className={styles['drafts']}>
        {drafts.map((draft) => (
          <DraftRow key={draft.id} draft={draft} />
        ))}
      </ul>
    </section>
  )
}

function DraftRow({ draft }: { draft: IssueDraft }) {
  const { id, network, createdAt, lines, totals } = draft
  const name = formatCount(lines, 'line')
  return (
    <li className={styles['draft']}>
      <span className={styles['grow']}>
        <a href={printRoute({ ...invoicesHome, network, view: 'issue', draft: id })}>{name}</a>,{' '}
        {totals
          .map(({ amount, currency }) => `${formatAmount(amount, currency)} ${currency}`)
          .join(' and ')}{' '}
        <Moment at={fromMs(createdAt)} className={styles['hint']} />
      </span>
      <Button
        kind="quiet"
        aria-label={`Discard the draft of ${name}…`}
        onClick={() => void discardDraft(draft)}
      >
        Discard…
      </Button>
    </li>
  )
}
