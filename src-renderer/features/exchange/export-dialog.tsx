import { useEffect, useState } from 'react'
import type { CaptureExportFormat } from '../../../src-preload/contract/index.ts'
import { toAppError } from '../../bridge.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/chip.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { OfferedSubject } from './export-dialog-state.ts'
import { closeExport, useExportDialog, useExportForm } from './export-dialog-state.ts'
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
      <ExportForm key={offered === null ? 'closed' : 'open'} offered={shown} />
      <ExportList />
    </Dialog>
  )
}

function ExportForm({ offered }: { offered: readonly OfferedSubject[] }) {
  const { format, pseudonyms } = useExportForm()
  const [label, choose] = useState(offered[0]?.label ?? '')
  const [reveal, setReveal] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const chosen = offered.find((each) => each.label === label) ?? offered[0]

  const start = async () => {
    if (busy || chosen === undefined) return
    setBusy(true)
    setProblem(null)
    try {
      await startExport({
        format,
        subject: chosen.subject,
        reveal: reveal && !pseudonyms,
        pseudonyms,
      })
    } catch (error) {
      setProblem(toAppError(error).message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      className={styles['form']}
      aria-label="Export captures"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <Field name="What">
        <Choices
          label="What"
          value={chosen?.label ?? ''}
          onChange={choose}
          options={offered.map((each) => ({ value: each.label, label: each.label }))}
        />
      </Field>
      <Field name="Format">
        <Choices
          label="Format"
          value={format}
          onChange={(next) => useExportForm.setState({ format: next })}
          options={formats.map(({ value, label: name }) => ({ value, label: name }))}
        />
        <p className={styles['hint']}>{formats.find(({ value }) => value === format)?.text}</p>
      </Field>
      <Field name="Secrets">
        <label className={styles['check']}>
          <input
            type="checkbox"
            checked={pseudonyms}
            onChange={() => useExportForm.setState({ pseudonyms: !pseudonyms })}
          />
          Share safely: addresses, hashes, tokens and amounts as pseudonyms
        </label>
        {pseudonyms ? (
          <p className={styles['hint']}>
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
          <p className={styles['hint']}>
            Tokens, cookies and the receiver’s own address are masked. Bodies are as received.
          </p>
        )}
      </Field>
      {problem !== null && (
        <p className={styles['bad']} role="alert">
          {problem}
        </p>
      )}
      <div className={styles['buttons']}>
        <Button type="button" onClick={closeExport}>
          Close
        </Button>
        <Button type="submit" kind="main" icon="download" busy={busy}>
          Export
        </Button>
      </div>
    </form>
  )
}

function Field({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className={styles['field']}>
      <span className={styles['label']}>{name}</span>
      <div className={styles['choice']}>{children}</div>
    </div>
  )
}
