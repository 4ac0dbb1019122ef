import { useState } from 'react'
import type { IssueDraft } from '../../../../src-preload/contract/invoice-job.ts'
import { issueMost } from '../../../../src-preload/domain/invoice-words.ts'
import { toAppError, useData } from '../../../app/bridge.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate, printRoute, useRoute } from '../../../app/route.ts'
import { saveBytes } from '../../../app/save-bytes.ts'
import { formatMoney } from '../../../components/amount.ts'
import { DropZone, OpenFileButton } from '../../../components/files/drop-zone.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { Form, TextArea } from '../../../ui/form.tsx'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Columns, Row, Section, Stack, Moment, Text, Hint } from '../../../ui/layout.tsx'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { CopyButton } from '../../../ui/toast.tsx'
import {
  DefaultsForm,
  DraftView,
  type Source,
  discardDraft,
  makeDraft,
  readSource,
  template,
} from './draft-view.tsx'

/** Many invoices from a file: its lines are checked first, then issued once. */
export function IssueView() {
  const id = useRoute(({ route }) =>
    route.page === 'invoices' && route.view === 'issue' ? route.draft : null,
  )
  return id === null ? <Start /> : <Draft id={id} />
}

function Draft({ id }: { id: string }) {
  const network = useShownNetwork()
  const drafts = useData('invoiceIssue.drafts', { network: network.id })
  return (
    <Loaded query={drafts} of="the draft" rows={8}>
      {(all) => {
        const draft = all.find((each) => each.id === id)
        if (draft !== undefined) return <DraftView draft={draft} />
        return (
          <EmptyState
            title={`Draft not found on ${network.name}`}
            detail="The draft may have been issued or discarded. Issued invoices are listed under Jobs."
          >
            <Button
              kind="main"
              onClick={() => navigate({ ...invoicesHome, view: 'issue', draft: null })}
            >
              Issue from another file
            </Button>
            <Button onClick={() => navigate({ ...invoicesHome, view: 'jobs', job: null })}>
              Show the jobs
            </Button>
          </EmptyState>
        )
      }}
    </Loaded>
  )
}

function Start() {
  const { id: network } = useShownNetwork()
  const [pasted, setPasted] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const read = async (load: () => Promise<Source>) => {
    setBusy(true)
    setProblem(null)
    try {
      await makeDraft(network, await load())
    } catch (error) {
      setProblem(toAppError(error).message)
      setBusy(false)
    }
  }
  const readFile = (file: File) => void read(() => readSource(file))
  const readPasted = () => {
    if (pasted.trim() === '' || busy) return
    void read(() => Promise.resolve({ name: 'Pasted lines', text: pasted }))
  }
  useShortcuts([
    { keys: ['mod+Enter'], label: 'Read the pasted lines', group: 'Issue', run: readPasted },
  ])
  return (
    <DropZone fill hint="Drop the file to read its invoices" onFile={readFile}>
      <Stack fill scroll tabIndex={0} role="region" aria-label="Issue from a file">
        <Columns least={420} gap="none">
          <Section level={2} title="Many invoices from a file">
            <Stack gap="l">
              <Hint>
                Up to {formatNumber(issueMost)} at once. Tondesk checks each line first; nothing is
                requested until you issue the invoices.
              </Hint>
              <Form
                form={{ busy, problem, submit: readPasted }}
                inline
                label="Lines"
                action={busy ? 'Reading…' : 'Read the lines'}
                disabled={pasted.trim() === ''}
                beside={
                  <OpenFileButton label="Open a file…" accept=".csv,.tsv,.txt" onFile={readFile} />
                }
              >
                <TextArea
                  label="Paste the lines"
                  hint="Or drop a .csv file anywhere on this page."
                  mono
                  wrap="off"
                  rows={8}
                  spellCheck={false}
                  placeholder={template.replaceAll('\r', '')}
                  value={pasted}
                  onChange={setPasted}
                />
                <DefaultsForm />
              </Form>
            </Stack>
          </Section>
          <div>
            <Drafts />
            <FileFormat />
          </div>
        </Columns>
      </Stack>
    </DropZone>
  )
}

function FileFormat() {
  const save = () => saveBytes([new TextEncoder().encode(template)], 'invoices-template.csv')
  return (
    <Section level={2} title="Format of the file">
      <Stack>
        <Row>
          <Button icon="download" onClick={save}>
            Save the template
          </Button>
          <CopyButton text={template} what="Template" />
        </Row>
        <CodeBlock label="Example">{template}</CodeBlock>
        <Hint>
          One invoice per line: amount, currency, description, lifetime. With a header, the columns
          can be in any order. Separators: comma, semicolon or tab. Decimal mark: point or comma.
          Lines without a currency or a lifetime take the defaults.
        </Hint>
      </Stack>
    </Section>
  )
}

/** Drafts that were not issued. */
function Drafts() {
  const { id: network } = useShownNetwork()
  const { data: drafts = [] } = useData('invoiceIssue.drafts', { network })
  if (drafts.length === 0) return null
  return (
    <Section level={2} title="Unfinished">
      <ul aria-label="Unfinished">
        {drafts.map((draft) => (
          <DraftRow key={draft.id} draft={draft} />
        ))}
      </ul>
    </Section>
  )
}

function DraftRow({ draft }: { draft: IssueDraft }) {
  const { id, network, createdAt, lines, totals } = draft
  const name = formatCount(lines, 'line')
  return (
    <Row as="li" justify="between">
      <Text as="p" size="s" over="break">
        <a href={printRoute({ ...invoicesHome, network, view: 'issue', draft: id })}>{name}</a>,{' '}
        {totals.map(({ amount, currency }) => formatMoney(amount, currency)).join(' and ')}{' '}
        <Text tone="dim">
          <Moment at={fromMs(createdAt)} />
        </Text>
      </Text>
      <Button
        kind="quiet"
        aria-label={`Discard the draft of ${name}…`}
        onClick={() => void discardDraft(draft)}
      >
        Discard…
      </Button>
    </Row>
  )
}
