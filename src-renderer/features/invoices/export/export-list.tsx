import type { InvoiceExport } from '../../../../src-preload/contract/invoice-export.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatBytes, formatCount, formatNumber, shorten } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import text from '../../../ui/text.module.css'
import { ExportRunItem, ExportRunList } from '../../../components/files/export-run-list.tsx'
import files from '../../../components/files/export.module.css'
import { useExport } from '../../../components/files/save-export.ts'
import { printPace } from '../../../components/jobs/job-state.ts'
import { Progress } from '../../../ui/progress.tsx'
import { formats } from './export-choice.ts'
import { invoiceExports } from './exports.ts'
import styles from './export.module.css'

export function ExportList({ network }: { network: Network }) {
  const { list, away } = invoiceExports.useRuns()
  return (
    <ExportRunList
      runs={list.filter((each) => each.network === network.id && !away.has(each.id))}
      render={(made) => <Export key={made.id} made={made} />}
    />
  )
}

function Export({ made }: { made: InvoiceExport }) {
  const format = formats.find(({ value }) => value === made.format)?.label ?? made.format
  const name =
    made.file?.name ?? `${made.kind === 'closing' ? 'Close of books' : 'Invoices'}, ${format}`
  return (
    <ExportRunItem name={name} run={made} figures={sayFigures(made)} runs={invoiceExports}>
      {made.state === 'running' && (
        <div className={files['line']}>
          <Progress label={`Progress of ${name}`} done={made.rows} of={made.total ?? 0} />
          <span className={files['figures']}>{printPace(made)}</span>
        </div>
      )}
      {made.state === 'done' && <Files made={made} />}
    </ExportRunItem>
  )
}

function Files({ made }: { made: InvoiceExport }) {
  const { saved } = invoiceExports.useRuns()
  const isSaving = useExport((state) => state.now !== null)
  const { file, manifest, sha256 } = made
  const isGone = file !== null && saved.has(file.id)
  return (
    <div className={files['line']}>
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
      {(isGone || file === null) && <span className={files['figures']}>saved</span>}
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
