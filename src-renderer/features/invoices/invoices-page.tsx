import { type ComponentType, useEffect } from 'react'
import { useData } from '../../app/bridge.ts'
import type { IssueDraft } from '../../../src-preload/contract/invoice-job.ts'
import type { InputFile } from '../../app/input-file.ts'
import { useRequestedDialog } from '../../app/invoice-dialogs.ts'
import { type InvoicesRoute, invoicesHome } from '../../app/invoices-route.ts'
import { navigate, routeHref, useRoute } from '../../app/route.ts'
import { NetworkPage } from '../../components/chain/network-page.tsx'
import { ViewBar } from '../../components/page-views.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { useShortcuts } from '../../ui/keyboard.ts'
import { Kbd, Pane, Columns, Row, Section, Stack, Problem, Text, Hint } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { AccessView } from './access/access-view.tsx'
import { AttentionView } from './attention/attention-view.tsx'
import { openCreate } from './create/issuing.ts'
import { CreateDialog } from './create/new-invoice.tsx'
import { openExport } from './export/export-choice.ts'
import { ExportDialog } from './export/export-dialog.tsx'
import { InvoiceJobStrip } from './jobs/invoice-jobs.tsx'
import { JobView } from './jobs/jobs-view.tsx'
import { ListView } from './list/list-view.tsx'
import { PaymentsView } from './payments/payments-view.tsx'
import { ReconciliationView } from './reconciliation/reconciliation-view.tsx'
import { maxIssuedInvoices } from '../../../src-preload/domain/invoice-values.ts'
import { saveBytes } from '../../app/save-bytes.ts'
import { useForm, useFormProblem } from '../../app/use-form.ts'
import { formatMoney } from '../../components/amount.ts'
import { DropZone, OpenFileButton } from '../../components/files/drop-zone.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Form, TextArea } from '../../ui/form.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import {
  DefaultsForm,
  DraftView,
  discardDraft,
  makeDraft,
  readSource,
  draftTemplate,
} from './create/draft-view.tsx'

/** Shows the invoices of the chosen network. */
export function InvoicesPage() {
  const route = useRoute((each) => each.route)
  if (route.page !== 'invoices') return null
  return (
    <NetworkPage
      title="Invoices"
      of={route.network}
      home={invoicesHome}
      stay={(name) => `Show the invoices of ${name}`}
      beside={<ViewBar />}
      actions={() => <PageActions />}
    >
      {() => <InvoicesView route={route} />}
    </NetworkPage>
  )
}

/** The buttons that all views of the page have. */
function PageActions() {
  const { id: network } = useShownNetwork()
  const { dialog } = useRequestedDialog()
  useEffect(() => {
    if (dialog === null) return
    useRequestedDialog.setState({ dialog: null })
    if (dialog === 'create') openCreate()
    else openExport()
  }, [dialog])
  const { data: counts } = useData('invoice.counts', { network })
  useShortcuts([{ keys: ['n'], label: 'New invoice', group: 'Invoices', run: () => openCreate() }])
  return (
    <>
      <ExportDialog />
      {/* An empty list already has a main button for the same action. */}
      <Button
        icon="plus"
        kind={counts?.total === 0 ? 'plain' : 'main'}
        onClick={() => openCreate()}
      >
        New invoice <Kbd>n</Kbd>
      </Button>
      <CreateDialog />
    </>
  )
}

function InvoicesView({ route }: { route: InvoicesRoute }) {
  const { id: network } = useShownNetwork()
  useEffect(() => {
    // The link of an invoice or a draft contains its network; if it is missing, the current network is added.
    if (route.network !== null) return
    const isOfOne = route.view === 'list' ? route.id !== null : route.view === 'issue'
    if (isOfOne) navigate({ ...route, network }, { replace: true })
  }, [route, network])
  const Content = contents[route.view]
  return (
    <Pane>
      <InvoiceJobStrip network={network} />
      <Content />
    </Pane>
  )
}

const contents: Record<InvoicesRoute['view'], ComponentType> = {
  list: ListView,
  attention: AttentionView,
  payments: PaymentsView,
  reconciliation: ReconciliationView,
  issue: IssueView,
  jobs: JobView,
  setup: AccessView,
}

/** Issues many invoices from a file: the lines are checked first, then each is issued once. */
function IssueView() {
  const id = useRoute(({ route }) =>
    route.page === 'invoices' && route.view === 'issue' ? route.draft : null,
  )
  const network = useShownNetwork()
  const drafts = useData('invoiceIssue.drafts', { network: network.id })
  if (id === null) return <Start drafts={drafts.data ?? []} />
  return (
    <Loaded query={drafts} of="the draft" rows={8}>
      {(all) => {
        const draft = all.find((each) => each.id === id)
        if (draft !== undefined) return <DraftView draft={draft} />
        return (
          <EmptyState
            title={`Draft not found on ${network.name}`}
            detail="The draft may have been issued or discarded. Issued invoices are listed on the page Jobs."
          >
            <Button
              kind="main"
              onClick={() => navigate({ ...invoicesHome, view: 'issue', draft: null })}
            >
              Issue invoices from another file
            </Button>
            <Button onClick={() => navigate({ page: 'jobs' })}>Show the jobs</Button>
          </EmptyState>
        )
      }}
    </Loaded>
  )
}

function Start({ drafts }: { drafts: readonly IssueDraft[] }) {
  const { id: network } = useShownNetwork()
  const form = useForm({ text: '' }, ({ text }) =>
    makeDraft(network, { name: 'Pasted lines', text }),
  )
  const saveTemplate = () =>
    saveBytes([new TextEncoder().encode(draftTemplate)], 'invoices-template.csv')
  const isEmpty = form.values.text.trim() === ''
  const readPasted = () => {
    if (!isEmpty) form.submit()
  }
  const { problem, run } = useFormProblem()
  const readFile = (file: InputFile) => run(async () => makeDraft(network, await readSource(file)))
  useShortcuts([
    { keys: ['mod+Enter'], label: 'Check the pasted lines', group: 'Issue', run: readPasted },
  ])
  return (
    <DropZone
      fill
      hint="Drop the file to check its invoices"
      onFile={(file) => void readFile(file)}
    >
      <Stack fill scroll tabIndex={0} role="region" aria-label="New invoices from a file">
        <Columns least={420} gap="none">
          <Section level={2} title="Issue invoices from a file">
            <Stack gap="l">
              <Hint>
                Up to {formatNumber(maxIssuedInvoices)} invoices at once. Tondesk checks each line
                first, and creates no invoice until you confirm.
              </Hint>
              <Form
                form={form}
                inline
                label="CSV lines"
                action="Check the lines"
                disabled={isEmpty}
                beside={
                  <OpenFileButton
                    label="Open a file…"
                    purpose="invoices"
                    accept=".csv,.tsv,.txt"
                    onFile={(file) => void readFile(file)}
                  />
                }
              >
                <TextArea
                  label="Paste CSV lines"
                  hint="Or drop a .csv file anywhere on this page."
                  mono
                  wrap="off"
                  rows={8}
                  spellCheck={false}
                  placeholder={draftTemplate.replaceAll('\r', '')}
                  {...form.field('text')}
                />
                <DefaultsForm />
                <Problem>{problem}</Problem>
              </Form>
            </Stack>
          </Section>
          <div>
            {drafts.length > 0 && (
              <Section level={2} title="Unfinished drafts">
                <ul aria-label="Unfinished drafts">
                  {drafts.map((draft) => {
                    const name = formatCount(draft.lines, 'line')
                    return (
                      <Row key={draft.id} as="li" justify="between">
                        <Text as="p" size="s" over="break">
                          <a
                            href={routeHref({
                              ...invoicesHome,
                              network,
                              view: 'issue',
                              draft: draft.id,
                            })}
                          >
                            {name}
                          </a>
                          ,{' '}
                          {draft.totals
                            .map(({ amount, currency }) => formatMoney(amount, currency))
                            .join(' and ')}{' '}
                          <Text tone="dim">
                            <Moment at={fromMs(draft.createdAt)} />
                          </Text>
                        </Text>
                        <Button
                          kind="quiet"
                          aria-label={`Discard the draft with ${name}…`}
                          onClick={() => void discardDraft(draft)}
                        >
                          Discard…
                        </Button>
                      </Row>
                    )
                  })}
                </ul>
              </Section>
            )}
            <Section level={2} title="File format">
              <Stack>
                <Row>
                  <Button icon="download" onClick={saveTemplate}>
                    Save the template
                  </Button>
                  <CopyButton text={draftTemplate} what="Template" />
                </Row>
                <CodeBlock label="Example file">{draftTemplate}</CodeBlock>
                <Hint>
                  One invoice per line: amount, currency, description, lifetime. A header line can
                  change the order of the columns. Separate columns by commas, semicolons or tabs.
                  Write decimals with a point or a comma. A line without a currency or a lifetime
                  uses your defaults.
                </Hint>
              </Stack>
            </Section>
          </div>
        </Columns>
      </Stack>
    </DropZone>
  )
}
