import { useEffect, useState } from 'react'
import type {
  ExportView,
  InvoiceColumn,
  InvoiceExport,
  InvoiceExportFormat,
} from '../../../../src-preload/contract/invoice-export.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { request, useDataOf } from '../../../app/bridge.ts'
import { useRoute } from '../../../app/route.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { ExportButton } from '../../../components/files/export-button.tsx'
import { ExportForm, Exports, useStart } from '../../../components/files/export-form.tsx'
import { ReportHead, useMerchantName } from '../../../components/files/report-head.tsx'
import { createSavedViews } from '../../../components/list/saved-views.tsx'
import { formatPace } from '../../../components/jobs/job-kind.tsx'
import { useShownNetwork, NetworkTag } from '../../../components/network-tag.tsx'
import { Button, IconButton, Choices } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Checkbox, Field, Select, TextField, SelectField } from '../../../ui/form.tsx'
import { formatCount, formatNumber, shorten } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Columns, Row, Stack, Text, Hint, Problem, Small } from '../../../ui/layout.tsx'
import { useNow } from '../../../ui/time.tsx'
import { CopyButton } from '../../../ui/toast.tsx'
import { useSettled } from '../../../ui/use-settled.ts'
import { isFiltered } from '../list/invoice-query.ts'
import { formatPeriod, usePeriod } from '../period.ts'
import { ZoneField, isZone } from '../zone.tsx'
import {
  type ChosenColumn,
  type Order,
  type ExportSubject,
  changeColumn,
  changeForm,
  closeExport,
  defaultColumns,
  exportFormats,
  isDefault,
  maxPdfRows,
  moveColumn,
  fromMapping,
  openExport,
  orderOf,
  sameName,
  toMapping,
  useExportDialog,
  useExportForm,
} from './export-choice.ts'

const labelOf = (format: InvoiceExportFormat) =>
  exportFormats.find(({ value }) => value === format)?.label ?? format

/** The exports of invoices since the app was started. */
const invoiceExports = new Exports<InvoiceExport>({
  kind: 'invoiceExport',
  things: 'invoices',
  purposeOf: ({ kind }) => (kind === 'closing' ? 'report' : 'invoices'),
  nameOf: ({ kind, format }) =>
    `${kind === 'closing' ? 'Reconciliation' : 'Invoices'}, ${labelOf(format)}`,
  unit: 'row',
  countOf: ({ rows, total }) => ({ done: rows, total }),
  paceOf: formatPace,
  otherFilesOf: ({ manifest }) =>
    manifest === null ? [] : [{ label: 'Save the manifest file', file: manifest }],
  more: ({ sha256 }) => sha256 !== null && <Hash sha256={sha256} />,
})

function Hash({ sha256 }: { sha256: string }) {
  return (
    <Row gap="s">
      <Small>SHA-256</Small>
      <Text mono title={sha256}>
        {shorten(sha256, 8, 8)}
      </Text>
      <CopyButton text={sha256} what="SHA-256" iconOnly kind="quiet" />
    </Row>
  )
}

/**
 * The export button, which shows the running exports, and its dialog. Exports continue when the
 * user leaves the page.
 */
export function ExportDialog() {
  const { id: network } = useShownNetwork()
  const isOpen = useExportDialog((state) => state.isOpen)
  useEffect(() => closeExport, [])
  useShortcuts([{ keys: ['e'], label: 'Export…', group: 'Invoices', run: openExport }])
  return (
    <>
      <ExportButton kind="invoiceExport" network={network} onPress={openExport} />
      <Dialog
        open={isOpen}
        onClose={closeExport}
        wide
        title="Export invoices"
        detail={
          <>
            <NetworkTag id={network} /> The export uses the invoices stored on this computer. No
            network connection is needed.
          </>
        }
      >
        <Form network={network} />
      </Dialog>
    </>
  )
}

function Form({ network }: { network: NetworkId }) {
  const choice = useExportForm()
  const subjects = useSubjects()
  const [chosen, choose] = useState<ExportSubject['kind'] | null>(null)
  const subject: ExportSubject =
    subjects.find(({ kind }) => kind === chosen) ?? subjects[0] ?? everything
  const order = orderOf(network, subject, choice)
  const isReady =
    isZone(choice.zone) &&
    choice.columns.some(({ isIn }) => isIn) &&
    sameName(choice.columns) === null
  const preview = usePreview(order, isReady)
  const isCsv = choice.format === 'csv'
  const isTooLong = choice.format === 'pdf' && (preview.data?.total ?? 0) > maxPdfRows
  const isOld = preview.data === undefined || preview.isPlaceholderData
  const hasLines = choice.format !== 'pdf'
  const merchant = useMerchantName()
  const hasHead = choice.format === 'pdf' || choice.format === 'xlsx'
  const form = useStart(invoiceExports, async () => {
    if (hasHead) await merchant.save()
    return request('invoiceExport.start', order)
  })
  return (
    <ExportForm
      exports={invoiceExports}
      form={form}
      label="Export invoices"
      action={`Export ${labelOf(choice.format)}`}
      isReady={isReady && !isTooLong}
      network={network}
      onClose={closeExport}
    >
      <Field label="Invoices">
        <Choices
          label="Invoices"
          value={subject.kind}
          onChange={choose}
          options={subjects.map(({ kind, label }) => ({ value: kind, label }))}
        />
        {subject.kind === 'period' && (
          <Select
            label="Invoices to export"
            value={choice.periodBy}
            options={[
              { value: 'created', label: 'created in the period' },
              { value: 'ended', label: 'paid, expired or cancelled in the period' },
            ]}
            onChange={(periodBy) => changeForm({ periodBy })}
          />
        )}
      </Field>
      <Field label="Format" hint={exportFormats.find(({ value }) => value === choice.format)?.text}>
        <Choices
          label="Format"
          value={choice.format}
          onChange={(format) => changeForm({ format })}
          options={exportFormats.map(({ value, label }) => ({ value, label }))}
        />
      </Field>
      <Columns least={170} gap="l">
        {subject.kind !== 'closing' && (
          <ZoneField zone={choice.zone} onChange={(zone) => changeForm({ zone })} />
        )}
        {isCsv && <CsvOptions />}
      </Columns>
      {hasHead && <ReportHead merchant={merchant} />}
      {subject.kind !== 'closing' && (isCsv || choice.format === 'xlsx') && (
        <ColumnChoice columns={choice.columns} />
      )}
      {preview.error !== null ? (
        <Problem>
          Could not load the first lines: {preview.error.message}{' '}
          <Button kind="link" onClick={() => void preview.refetch()}>
            Try again
          </Button>
        </Problem>
      ) : (
        <Stack gap="xs">
          <Text size="s" tone="dim" role="status">
            {isOld ? 'Counting…' : formatCount(preview.data.total, 'row')}
            {!isOld && hasLines && preview.data.total > 0 && '; the first lines:'}
          </Text>
          {hasLines ? (
            <CodeBlock label="First lines of the file" rows={7} dim={!isReady || isOld}>
              {preview.data?.lines.map((line, index) => (
                <div key={index}>
                  <UntrustedText text={line.replaceAll('\t', ' ⇥ ')} />
                </div>
              ))}
            </CodeBlock>
          ) : (
            <Hint>
              The PDF begins with the totals. Characters outside the Latin and Cyrillic scripts
              appear as �.
            </Hint>
          )}
        </Stack>
      )}
      {isTooLong && (
        <Problem>
          A PDF lists at most {formatNumber(maxPdfRows)} rows. Export fewer invoices, or choose{' '}
          <Button kind="link" onClick={() => changeForm({ format: 'xlsx' })}>
            Excel
          </Button>{' '}
          or{' '}
          <Button kind="link" onClick={() => changeForm({ format: 'csv' })}>
            CSV
          </Button>
          .
        </Problem>
      )}
    </ExportForm>
  )
}

function CsvOptions() {
  const { separator, decimalMark } = useExportForm()
  return (
    <>
      <SelectField
        label="Separator"
        value={separator}
        options={[
          { value: ',', label: 'comma' },
          { value: ';', label: 'semicolon' },
          { value: '\t', label: 'tab' },
        ]}
        onChange={(next) => changeForm({ separator: next })}
      />
      <SelectField
        label="Decimal mark"
        value={decimalMark}
        options={[
          { value: '.', label: 'point: 12.5' },
          { value: ',', label: 'comma: 12,5' },
        ]}
        onChange={(next) => changeForm({ decimalMark: next })}
      />
    </>
  )
}

const everything = { kind: 'all', label: 'All invoices' } as const

/** Returns the data that can be exported, with the most likely choice first. */
function useSubjects(): readonly (ExportSubject & { readonly label: string })[] {
  const route = useRoute((state) => state.route)
  const reconciliation = useExportDialog((state) => state.closing)
  const period = usePeriod()
  const now = useNow() / 1000
  const query = route.page === 'invoices' && route.view === 'list' ? route.query : null
  return [
    ...(reconciliation === null
      ? []
      : [{ kind: 'closing', ...reconciliation, label: 'Reconciliation report' } as const]),
    ...(query !== null && isFiltered(query)
      ? [{ kind: 'list', query, label: 'Filtered list' } as const]
      : []),
    everything,
    {
      kind: 'period',
      from: period.from,
      to: period.to,
      label: `Period: ${formatPeriod(period, now)}`,
    },
  ]
}

/** Saves the columns, their order and their names under a name. */
const ExportViews = createSavedViews<ExportView, readonly ChosenColumn[]>({
  routes: 'exportView',
  thing: 'choice of columns',
  contentOf: ({ columns }) => fromMapping(columns),
  isSame: (a, b) => JSON.stringify(toMapping(a)) === JSON.stringify(toMapping(b)),
  save: (name, columns, id) =>
    request('exportView.save', { id, name, columns: toMapping(columns) }),
  onShow: (columns) => changeForm({ columns }),
})

/**
 * The choice of columns and their order. It is collapsed at first, because most exports contain all
 * columns.
 */
function ColumnChoice({ columns }: { columns: readonly ChosenColumn[] }) {
  const [isOpen, setOpen] = useState(false)
  const chosen = columns.filter(({ isIn }) => isIn).length
  const twin = sameName(columns)
  const change = (next: readonly ChosenColumn[]) => changeForm({ columns: next })
  const move = (column: InvoiceColumn, step: 1 | -1) => change(moveColumn(columns, column, step))
  return (
    <Stack gap="xs">
      <Row wrap>
        <Button
          kind="quiet"
          icon={isOpen ? 'down' : 'right'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Columns: {chosen === columns.length ? 'all' : `${formatNumber(chosen)} of`}{' '}
          {formatNumber(columns.length)}
        </Button>
        <ExportViews
          kind="quiet"
          content={columns}
          isEmpty={chosen === 0 || twin !== null}
          title="Saved columns"
          detail={() => 'A view stores the columns of the file, their order and their names.'}
        />
        {!isDefault(columns) && (
          <Button kind="link" onClick={() => change(defaultColumns)}>
            Reset the columns
          </Button>
        )}
        <Problem>{chosen === 0 && 'Choose at least one column.'}</Problem>
        <Problem>
          {twin !== null && `Two columns have the name “${twin}”. Give each column its own name.`}
        </Problem>
      </Row>
      {isOpen && (
        <div role="list" aria-label="Columns">
          <Columns least={400} gap="none">
            {columns.map(({ column, isIn, name }, index) => (
              <Row role="listitem" key={column} justify="between">
                <Checkbox
                  label={<Text mono>{column}</Text>}
                  checked={isIn}
                  onChange={() => change(changeColumn(columns, column, { isIn: !isIn }))}
                />
                <Row gap="none">
                  {isIn && (
                    <TextField
                      label={`Name of ${column} in the file`}
                      hideLabel
                      placeholder={column}
                      maxLength={60}
                      value={name}
                      onChange={(next) => change(changeColumn(columns, column, { name: next }))}
                    />
                  )}
                  <IconButton
                    icon="left"
                    label={`Move ${column} to the left`}
                    // The button stays focusable at the end of the list.
                    aria-disabled={index === 0}
                    onClick={() => move(column, -1)}
                  />
                  <IconButton
                    icon="right"
                    label={`Move ${column} to the right`}
                    aria-disabled={index === columns.length - 1}
                    onClick={() => move(column, 1)}
                  />
                </Row>
              </Row>
            ))}
          </Columns>
        </div>
      )}
    </Stack>
  )
}

/** Loads the first lines of the file. While the form is not valid, the lines of the last valid form stay. */
function usePreview(order: Order, isReady: boolean) {
  const requested = isReady ? order : { ...order, options: { ...order.options, zone: 'UTC' } }
  // The preview waits until the user stops typing, because it takes time if there are millions of invoices.
  const settled = useSettled(JSON.stringify(requested))
  return useDataOf('invoiceExport.preview', JSON.parse(settled) as Order)
}
