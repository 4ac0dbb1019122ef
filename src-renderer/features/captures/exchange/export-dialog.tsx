import { useEffect, useState } from 'react'
import type { CaptureExportFormat } from '../../../../src-preload/contract/exchange.ts'
import { Choices } from '../../../ui/chip.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ExportField, ExportForm } from '../../../components/files/export-form.tsx'
import files from '../../../components/files/export.module.css'
import {
  type OfferedSubject,
  closeExport,
  useExportDialog,
  useExportForm,
} from './export-dialog-state.ts'
import { ExportList } from './export-list.tsx'
import { followExports, startExport } from './exports.ts'
import styles from './exchange.module.css'

const formats: readonly {
  readonly value: CaptureExportFormat
  readonly label: string
  readonly text: string
}[] = [
  {
    value: 'har',
    label: 'HAR',
    text: 'HAR 1.2, which browsers’ developer tools and other inspectors open. Tondesk imports it again byte for byte.',
  },
  {
    value: 'jsonl',
    label: 'JSON Lines',
    text: 'A capture a line with all that is known of it, for programs. Tondesk imports it again byte for byte.',
  },
  {
    value: 'html',
    label: 'HTML page',
    text: 'One page to be read in any browser, without scripts. Up to 5 000 captures.',
  },
]

/** Mounted once by the page; opens by `openExport`. What runs goes on when it is closed. */
export function ExportDialog() {
  const offered = useExportDialog((state) => state.offered)
  // While it fades away it stays what it was.
  const [shown, setShown] = useState<readonly OfferedSubject[]>([])
  if (offered !== null && offered !== shown) setShown(offered)
  useEffect(followExports, [])
  useEffect(() => closeExport, [])
  return (
    <Dialog open={offered !== null} onClose={closeExport} wide title="Export captures">
      <Choice key={offered === null ? 'closed' : 'open'} offered={shown} />
      <ExportList />
    </Dialog>
  )
}

function Choice({ offered }: { offered: readonly OfferedSubject[] }) {
  const { format, pseudonyms } = useExportForm()
  const [label, choose] = useState(offered[0]?.label ?? '')
  const [reveal, setReveal] = useState(false)
  const chosen = offered.find((each) => each.label === label) ?? offered[0]

  const start = async () => {
    if (chosen === undefined) return
    const { subject } = chosen
    await startExport({ format, subject, reveal: reveal && !pseudonyms, pseudonyms })
  }

  return (
    <ExportForm label="Export captures" action="Export" start={start} onClose={closeExport}>
      <ExportField name="What">
        <Choices
          label="What"
          value={chosen?.label ?? ''}
          onChange={choose}
          options={offered.map((each) => ({ value: each.label, label: each.label }))}
        />
      </ExportField>
      <ExportField name="Format">
        <Choices
          label="Format"
          value={format}
          onChange={(next) => useExportForm.setState({ format: next })}
          options={formats.map(({ value, label: name }) => ({ value, label: name }))}
        />
        <p className={files['hint']}>{formats.find(({ value }) => value === format)?.text}</p>
      </ExportField>
      <ExportField name="Secrets">
        <label className={styles['check']}>
          <input
            type="checkbox"
            checked={pseudonyms}
            onChange={() => useExportForm.setState({ pseudonyms: !pseudonyms })}
          />
          Share safely: addresses, hashes, tokens and amounts as pseudonyms
        </label>
        {pseudonyms ? (
          <p className={files['hint']}>
            The same value has the same pseudonym throughout the file, and another one in the next.
            Comments, descriptions and your notes go; bodies that are not JSON are left out. Times,
            and the order and gaps of logical times, stay: whoever knows the chain may find a
            transaction by them.
          </p>
        ) : (
          <label className={styles['check']}>
            <input type="checkbox" checked={reveal} onChange={() => setReveal(!reveal)} />
            With tokens, for this one file
          </label>
        )}
        {reveal && !pseudonyms && (
          <p className={styles['warn']} role="status">
            Whoever has the file can deliver to this receiver and pass for your gateway.
          </p>
        )}
        {!reveal && !pseudonyms && (
          <p className={files['hint']}>
            Tokens, cookies and the receiver’s own address are masked. Bodies are as received.
          </p>
        )}
      </ExportField>
    </ExportForm>
  )
}
