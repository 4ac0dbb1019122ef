import { type ReactNode, useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatNumber } from '../../../ui/format.ts'
import { useNow } from '../../../ui/moment.tsx'
import { useRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Choices } from '../../../ui/chip.tsx'
import { Select } from '../../../ui/select.tsx'
import field from '../../../ui/text-field.module.css'
import { ExportField, ExportForm } from '../../../components/files/export-form.tsx'
import files from '../../../components/files/export.module.css'
import { isFiltered } from '../list/invoice-query.ts'
import { printPeriod, usePeriod } from '../period.ts'
import { isZone } from '../zone.ts'
import { ZoneField } from '../zone-field.tsx'
import { ColumnChoice } from './column-choice.tsx'
import { closeExport, useExportDialog } from './dialog-state.ts'
import {
  type Subject,
  changeForm,
  formats,
  mostPdfRows,
  orderOf,
  useExportForm,
} from './export-choice.ts'
import { startExport } from './exports.ts'
import { Preview, usePreview } from './preview.tsx'
import styles from './export.module.css'

/** What is written, as what, and how; its first lines, and the button that makes it. */
export function InvoiceExportForm({ network }: { network: Network }) {
  const form = useExportForm()
  const subjects = useSubjects()
  const [chosen, choose] = useState<Subject['kind'] | null>(null)
  const subject: Subject = subjects.find(({ kind }) => kind === chosen) ?? subjects[0] ?? everything
  const order = orderOf(network.id, subject, form)
  const isReady = isZone(form.zone) && form.columns.some(({ isIn }) => isIn)
  const preview = usePreview(order, isReady)
  const total = preview.state.status === 'ready' ? preview.state.value.total : null
  const format = formats.find(({ value }) => value === form.format)
  const hasColumns = subject.kind !== 'closing' && (form.format === 'csv' || form.format === 'xlsx')
  const isTooLong = form.format === 'pdf' && (total ?? 0) > mostPdfRows

  return (
    <ExportForm
      label="Export invoices"
      action={`Export ${format?.label ?? ''}`}
      isReady={isReady && !isTooLong}
      start={() => startExport(order)}
      onClose={closeExport}
    >
      <ExportField name="What">
        <Choices
          label="What"
          value={subject.kind}
          onChange={choose}
          options={subjects.map(({ kind, label }) => ({ value: kind, label }))}
        />
        {subject.kind === 'period' && (
          <Select
            label="By which moment"
            value={form.periodBy}
            options={[
              { value: 'created', label: 'created in it' },
              { value: 'ended', label: 'paid or ended in it' },
            ]}
            onChange={(periodBy) => changeForm({ periodBy })}
          />
        )}
      </ExportField>
      <ExportField name="Format">
        <Choices
          label="Format"
          value={form.format}
          onChange={(next) => changeForm({ format: next })}
          options={formats.map(({ value, label }) => ({ value, label }))}
        />
        <p className={files['hint']}>{format?.text}</p>
      </ExportField>
      <div className={styles['options']}>
        {subject.kind !== 'closing' && (
          <ZoneField zone={form.zone} onChange={(zone) => changeForm({ zone })} />
        )}
        {form.format === 'csv' && (
          <>
            <Labelled name="Separator">
              <Select
                label="Separator"
                value={form.separator}
                options={[
                  { value: ',', label: 'comma' },
                  { value: ';', label: 'semicolon' },
                  { value: '\t', label: 'tab' },
                ]}
                onChange={(separator) => changeForm({ separator })}
              />
            </Labelled>
            <Labelled name="Decimal mark">
              <Select
                label="Decimal mark"
                value={form.decimalMark}
                options={[
                  { value: '.', label: 'point: 12.5' },
                  { value: ',', label: 'comma: 12,5' },
                ]}
                onChange={(decimalMark) => changeForm({ decimalMark })}
              />
            </Labelled>
          </>
        )}
      </div>
      {hasColumns && <ColumnChoice columns={form.columns} />}
      <Preview format={form.format} answer={preview} isReady={isReady} />
      {isTooLong && (
        <p className={files['bad']} role="alert">
          A PDF lists at most {formatNumber(mostPdfRows)} rows. Narrow what is exported, or take{' '}
          <Button kind="link" onClick={() => changeForm({ format: 'xlsx' })}>
            Excel
          </Button>{' '}
          or{' '}
          <Button kind="link" onClick={() => changeForm({ format: 'csv' })}>
            CSV
          </Button>
          .
        </p>
      )}
    </ExportForm>
  )
}

const everything = { kind: 'all', label: 'All invoices' } as const

/** What there is to choose from, the likeliest first. */
function useSubjects(): readonly (Subject & { readonly label: string })[] {
  const route = useRoute((state) => state.route)
  const closing = useExportDialog((state) => state.closing)
  const period = usePeriod()
  const now = useNow() / 1000
  const query = route.page === 'invoices' && route.view === 'list' ? route.query : null
  return [
    ...(closing === null
      ? []
      : [{ kind: 'closing', ...closing, label: 'The close of books' } as const]),
    ...(query !== null && isFiltered(query)
      ? [{ kind: 'list', query, label: 'The list as filtered' } as const]
      : []),
    everything,
    {
      kind: 'period',
      from: period.from,
      to: period.to,
      label: `The period: ${printPeriod(period, now)}`,
    },
  ]
}

function Labelled({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles['labelled']}>
      <span className={field['label']}>{name}</span>
      {children}
    </div>
  )
}
