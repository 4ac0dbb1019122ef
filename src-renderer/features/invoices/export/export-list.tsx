import type { InvoiceExport, Network } from '../../../../src-preload/contract/index.ts'
import { formatBytes, formatCount, formatNumber, shorten } from '../../../format.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { useExport } from '../../files/save-export.ts'
import { printPace, stateTones, stateWords } from '../../jobs/job-state.ts'
import { Progress } from '../../progress.tsx'
import { formats } from './export-choice.ts'
import { invoiceExports } from './exports.ts'
import styles from './export.module.css'

/** What runs and what is done since the app was started; several may run. */
export function ExportList({ network }: { network: Network }) {
  const { list, away } = invoiceExports.useRuns()
  const shown = list.filter((each) => each.network === network.id && !away.has(each.id))
  if (shown.length === 0) return null
  return (
    <section className={styles['exports']} aria-label="Exports">
      <ul>
        {shown.map((each) => (
          <Export key={each.id} made={each} />
        ))}
      </ul>
    </section>
  )
}

function Export({ made }: { made: InvoiceExport }) {
  const isRunning = made.state === 'running'
  const format = formats.find(({ value }) => value === made.format)?.label ?? made.format
  const name =
    made.file?.name ?? `${made.kind === 'closing' ? 'Close of books' : 'Invoices'}, ${format}`
  return (
    <li className={styles['export']} aria-label={name}>
      <div className={styles['line']}>
        <b className={text['cut']} title={name}>
          {name}
        </b>
        <Tag tone={stateTones[made.state]}>{stateWords[made.state]}</Tag>
        <span className={styles['figures']}>{sayFigures(made)}</span>
        <span className={styles['end']}>
          {isRunning ? (
            <Button onClick={() => void invoiceExports.cancel(made.id)}>Cancel</Button>
          ) : (
            <IconButton
              icon="close"
              label={`Put away: ${name}`}
              onClick={() => invoiceExports.putAway(made.id)}
            />
          )}
        </span>
      </div>
      {isRunning && (
        <div className={styles['line']}>
          <Progress label={`Progress of ${name}`} done={made.rows} of={made.total ?? 0} />
          <span className={styles['figures']}>{printPace(made)}</span>
        </div>
      )}
      {made.problem !== null && (
        <p className={styles['bad']} role="status">
          {made.problem}
        </p>
      )}
      {made.state === 'done' && <Files made={made} />}
    </li>
  )
}

function Files({ made }: { made: InvoiceExport }) {
  const { saved } = invoiceExports.useRuns()
  const isSaving = useExport((state) => state.now !== null)
  const { file, manifest, sha256 } = made
  const isGone = file !== null && saved.has(file.id)
  return (
    <div className={styles['line']}>
      {file !== null && !isGone && (
        <Button
          icon="download"
          busy={isSaving}
          onClick={() => void invoiceExports.save(made, file)}
        >
          Save the file
        </Button>
      )}
      {manifest !== null && !saved.has(manifest.id) && (
        <Button busy={isSaving} onClick={() => void invoiceExports.save(made, manifest)}>
          Save the manifest
        </Button>
      )}
      {(isGone || file === null) && <span className={styles['figures']}>saved</span>}
      {sha256 !== null && (
        <span className={styles['hash']}>
          SHA-256{' '}
          <span className={text['mono']} title={sha256}>
            {shorten(sha256, 8, 8)}
          </span>
          <CopyButton text={sha256} what="SHA-256" iconOnly kind="quiet" />
        </span>
      )}
    </div>
  )
}

function sayFigures({ state, rows, total, bytes }: InvoiceExport): string {
  if (state === 'running' && total !== null) {
    return `${formatNumber(rows)} of ${formatCount(total, 'row')}, ${formatBytes(bytes)}`
  }
  return `${formatCount(rows, 'row')}, ${formatBytes(bytes)}`
}
