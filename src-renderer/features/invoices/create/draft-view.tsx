/**
 * Drafts of invoices that were read from a file. The main process keeps a draft until its invoices
 * are issued.
 */
import { useEffect, useState } from 'react'
import { create } from 'zustand'
import type { IssueDraft, IssueLine } from '../../../../src-preload/contract/invoice-job.ts'
import type { NetworkId, Network } from '../../../../src-preload/contract/network.ts'
import type { Currency } from '../../../../src-preload/domain/amount.ts'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { confirmAndRun, request, patchData, toAppError } from '../../../app/bridge.ts'
import { useFormProblem } from '../../../app/use-form.ts'
import type { InputFile } from '../../../app/input-file.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate } from '../../../app/route.ts'
import { currencyChoices, formatColumnMoney, formatMoney } from '../../../components/amount.ts'
import { UntrustedText, untrustedColumn } from '../../../components/body/untrusted-text.tsx'
import { readText } from '../../../components/files/read-file.ts'
import { Choices, ActionButton, Button } from '../../../ui/button.tsx'
import { useShownNetwork, confirmOn, TargetNetwork } from '../../../components/network-tag.tsx'
import { type DataColumn, DataList } from '../../../ui/data-list.tsx'
import { Field, Select, SelectField } from '../../../ui/form.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { Note, Pane, Row, Stack, Text } from '../../../ui/layout.tsx'
import { createLiveList } from '../../../ui/live-list.ts'
import { EmptyState } from '../../../ui/loaded.tsx'
import { invoiceJobs, jobRoute } from '../jobs/invoice-jobs.tsx'
import { LifetimeField } from './new-invoice.tsx'
import {
  type TypedLifetime,
  defaultLifetime,
  lifetimeOf,
  typedLifetime,
  formatLifetime,
} from './typed-invoice.ts'

/** The values for lines that have none of their own. */
type Defaults = {
  readonly currency: Currency
  /** The choice of how to read `1,234` and `1.234`. */
  readonly comma: 'ask' | 'fraction' | 'thousands'
} & TypedLifetime

const useDefaults = create<Defaults>(() => ({ currency: 'TON', comma: 'ask', ...typedLifetime }))

type Source = { readonly name: string; readonly text: string }

/** The sources of the drafts of this session, and the defaults with which each source was read. */
const sources = new Map<string, { readonly source: Source; readonly defaults: string }>()

/**
 * Returns the source of a draft; null if the draft is from an earlier session, because sources are
 * not stored.
 */
const sourceOf = (draft: string): Source | null => sources.get(draft)?.source ?? null

/** True if the current defaults are valid and would change the lines of the draft. */
function isOutdated(draft: string, defaults: Defaults): boolean {
  const known = sources.get(draft)
  const { seconds } = lifetimeOf(defaults)
  return known !== undefined && seconds !== null && known.defaults !== keyOf(defaults)
}

function keyOf(defaults: Defaults): string {
  return `${defaults.currency} ${defaults.comma} ${lifetimeOf(defaults).seconds ?? ''}`
}

/** The main process accepts at most this many characters. */
const maxCharacters = 2_000_000

/** @throws AppError if the file is too large or does not contain text */
export async function readSource(file: InputFile): Promise<Source> {
  const text = await readText(file, maxCharacters)
  if (text === null) {
    throw new AppError(
      'FILE_TOO_LARGE',
      `“${file.name}” is too large: the limit is 2 million characters. Split the file, or remove columns.`,
    )
  }
  return { name: file.name, text }
}

/**
 * Reads lines into a draft and shows it.
 * @param replaced the draft that the new one replaces
 * @throws AppError
 */
export async function makeDraft(
  network: NetworkId,
  source: Source,
  replaced: string | null = null,
): Promise<void> {
  const defaults = useDefaults.getState()
  const draft = await request('invoiceIssue.draftFile', {
    network,
    text: source.text,
    currency: defaults.currency,
    lifeTimeSeconds: lifetimeOf(defaults).seconds ?? defaultLifetime,
    comma: defaults.comma,
  })
  sources.set(draft.id, { source, defaults: keyOf(defaults) })
  patchData('invoiceIssue.drafts', { network }, (known) => [draft, ...known])
  navigate(
    { ...invoicesHome, network, view: 'issue', draft: draft.id },
    { replace: replaced !== null },
  )
  if (replaced === null) return
  forgetDraft(network, replaced)
  await request('invoiceIssue.discard', { draft: replaced }).catch(() => undefined)
}

/** Removes a draft from the list after it was issued or discarded. */
function forgetDraft(network: NetworkId, draft: string): void {
  sources.delete(draft)
  patchData('invoiceIssue.drafts', { network }, (known) => known.filter(({ id }) => id !== draft))
}

/** Discards a draft after a question. Returns whether it was discarded. */
export async function discardDraft({ id, network, lines }: IssueDraft): Promise<boolean> {
  const done = await confirmAndRun({
    title: `Discard this draft with ${formatCount(lines, 'line')}?`,
    detail: 'No invoice was created from this draft.',
    action: 'Discard',
    failure: 'Could not discard the draft',
    run: () => request('invoiceIssue.discard', { draft: id }),
  })
  if (done === undefined) return false
  forgetDraft(network, id)
  return true
}

/** The columns are recognized by their header. A line may leave out values that have a default. */
export const draftTemplate = [
  'amount,currency,description,lifetime',
  '12.5,TON,order-4711,24 h',
  '4.20,USDT,"order-4712, two of it",7 d',
  '1284.75,,order-4713,',
  '',
].join('\r\n')

const leave = () => navigate({ ...invoicesHome, view: 'issue', draft: null })

const lines = createLiveList({
  load: async (question: { draft: string; onlyInvalid: boolean }, offset, limit) => {
    const page = await request('invoiceIssue.lines', { ...question, offset, limit })
    return { total: page.total, rows: page.lines, extra: null }
  },
  idOf: ({ index }: IssueLine) => index,
})

/** Shows the lines of a file as Tondesk reads them, before any invoice is requested. */
const emptyTitles = {
  invalid: 'Every line can be issued',
  all: 'The file has no line with an invoice',
} as const

export function DraftView({ draft }: { draft: IssueDraft }) {
  const network = useShownNetwork()
  const { id, valid, invalid, beyond, remarks, totals } = draft
  const source = sourceOf(id)
  const [chosen, setChosen] = useState<'invalid' | 'all' | null>(null)
  // Lines with a problem are displayed first, if there are any.
  const shown = chosen ?? (invalid > 0 ? 'invalid' : 'all')
  const { problem, setProblem, run } = useFormProblem()
  const isOld = useReadAgain(draft, setProblem)
  useEffect(() => lines.open({ draft: id, onlyInvalid: shown === 'invalid' }), [id, shown])

  const issue = async () => {
    if (!(await confirmIssue(network, draft))) return
    await run(async () => {
      // If the response is lost, the same request can be repeated: it returns the same job.
      const job = await request('invoiceIssue.start', { draft: id })
      invoiceJobs.begun(job)
      navigate(jobRoute(job))
      forgetDraft(network.id, id)
    })
  }
  const discard = async () => {
    if (await discardDraft(draft)) leave()
  }
  return (
    <Pane>
      <Row as="header" pad="m" line="below" wrap>
        <Button kind="quiet" icon="left" onClick={leave}>
          Choose another file
        </Button>
        <Text as="h2" size="m" over="cut">
          {source?.name ?? 'Unfinished draft'}
        </Text>
        <Text tone="dim" size="s" over="cut">
          {formatCount(draft.lines, 'line')}
          {remarks.length > 0 && `: ${remarks.join(' ')}`}
        </Text>
        <Row last>
          <TargetNetwork network={network} />
          <Button icon="trash" onClick={() => void discard()}>
            Discard draft…
          </Button>
          <ActionButton kind="main" disabled={valid === 0} waits={isOld} action={issue}>
            Issue {formatCount(valid, 'invoice')}…
          </ActionButton>
        </Row>
      </Row>
      {problem !== null && <Note tone="bad">{problem}</Note>}
      {beyond > 0 && (
        <Note tone="warn">
          {formatCount(beyond, 'line')} after the first thousand {beyond === 1 ? 'is' : 'are'}{' '}
          skipped. Issue them from a second file.
        </Note>
      )}
      {source !== null && (
        <Stack pad="m" line="below">
          <DefaultsForm />
        </Stack>
      )}
      <Row pad="m" line="below" wrap gap="l">
        <Choices<'invalid' | 'all'>
          label="Lines to show"
          value={shown}
          options={[
            { value: 'invalid', label: 'With problems', count: invalid, tone: 'bad' },
            { value: 'all', label: 'All', count: valid + invalid },
          ]}
          onChange={setChosen}
        />
        {totals.length === 0 && <Text size="s">No line is a valid invoice.</Text>}
        {totals.map(({ currency, count, amount }) => (
          <Text key={currency} size="s">
            {formatCount(count, 'invoice')}, {formatMoney(amount, currency)}
          </Text>
        ))}
        {invalid > 0 && (
          <Text size="s" tone="bad">
            {formatNumber(invalid)} skipped
          </Text>
        )}
      </Row>
      <DataList
        list={lines}
        columns={columns}
        of="lines"
        thing="line"
        group="Issue"
        onLeave={leave}
        empty={<EmptyState title={emptyTitles[shown]} />}
      />
    </Pane>
  )
}

/** The form of values for lines without their own, and of how an ambiguous amount is read. */
export function DefaultsForm() {
  const defaults = useDefaults()
  return (
    <Row wrap gap="xl" align="start" role="group" aria-label="Defaults">
      <SelectField
        label="Default currency"
        value={defaults.currency}
        onChange={(currency) => useDefaults.setState({ currency })}
        options={currencyChoices()}
      />
      <LifetimeField value={defaults} onChange={(part) => useDefaults.setState(part)} />
      <Field label="1,234 and 1.234 mean">
        <Select
          label="Meaning of amounts such as 1,234 and 1.234"
          value={defaults.comma}
          onChange={(comma) => useDefaults.setState({ comma })}
          options={[
            { value: 'ask', label: 'not chosen yet' },
            { value: 'fraction', label: '1.2340' },
            { value: 'thousands', label: '1234' },
          ]}
        />
      </Field>
    </Row>
  )
}

/** Asks the user to confirm, and states the count, the sums, the network, and the lines that are skipped. */
async function confirmIssue(network: Network, draft: IssueDraft): Promise<boolean> {
  const { valid, invalid, beyond, totals } = draft
  const skipped = invalid + beyond
  return confirmOn(network, {
    title: `Issue ${formatCount(valid, 'invoice')}?`,
    points: [
      ...totals.map(
        ({ currency, count, amount }) =>
          `${formatCount(count, 'invoice')}, ${formatMoney(amount, currency)} in total`,
      ),
      ...(skipped > 0
        ? [`${formatCount(skipped, 'line')} ${skipped === 1 ? 'is' : 'are'} skipped.`]
        : []),
    ],
    detail: 'You can cancel an issued invoice, but you cannot change it.',
    action: `Issue ${formatCount(valid, 'invoice')}`,
  })
}

/** The lines are read again when the user has not typed for this long. */
const restMs = 250

/** Reads the lines again into another draft when the user has changed the defaults. */
function useReadAgain({ id, network }: IssueDraft, onProblem: (why: string | null) => void) {
  const defaults = useDefaults()
  const isOld = isOutdated(id, defaults)
  useEffect(() => {
    const source = sourceOf(id)
    if (!isOld || source === null) return undefined
    const timer = setTimeout(() => {
      makeDraft(network, source, id).then(
        () => onProblem(null),
        (error: unknown) => onProblem(toAppError(error).message),
      )
    }, restMs)
    return () => clearTimeout(timer)
  }, [network, id, isOld, defaults, onProblem])
  return isOld
}

const columns: DataColumn<IssueLine>[] = [
  {
    name: 'Line',
    width: 52,
    look: 'number',
    cell: ({ line }) => <Text tone="faint">{formatNumber(line)}</Text>,
  },
  {
    name: 'Amount',
    width: 150,
    grow: 0.9,
    look: 'amount',
    cell: ({ amount, currency, text }) =>
      amount !== null && currency !== null ? (
        formatColumnMoney(amount, currency)
      ) : (
        <UntrustedText tone="faint" text={text} />
      ),
    title: ({ amount, text }) => (amount === null ? text : undefined),
  },
  {
    name: 'Expires in',
    width: 76,
    cell: ({ lifeTimeSeconds }) => lifeTimeSeconds !== null && formatLifetime(lifeTimeSeconds),
  },
  untrustedColumn({ name: 'Description', width: 100, grow: 1 }, ({ description }) => description),
  {
    name: 'Problems',
    width: 160,
    grow: 1.6,
    cell: ({ problem, warning }) => (
      <Text tone={problem !== null ? 'bad' : 'warn'}>{problem ?? warning}</Text>
    ),
    title: ({ problem, warning }) => problem ?? warning ?? undefined,
  },
]
