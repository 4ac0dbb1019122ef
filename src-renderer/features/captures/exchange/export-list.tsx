import type { CaptureExport } from '../../../../src-preload/contract/exchange.ts'
import { formatBytes, formatCount, formatNumber } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { ExportRunItem, ExportRunList } from '../../../components/files/export-run-list.tsx'
import { useExport } from '../../../components/files/save-export.ts'
import files from '../../../components/files/export.module.css'
import { Progress } from '../../../ui/progress.tsx'
import { captureExports } from './exports.ts'

export function ExportList() {
  const { list, away } = captureExports.useRuns()
  return (
    <ExportRunList
      runs={list.filter((each) => !away.has(each.id))}
      render={(made) => <Export key={made.id} made={made} />}
    />
  )
}

function Export({ made }: { made: CaptureExport }) {
  const { file, state, total } = made
  const name = file?.name ?? `Captures, ${made.format.toUpperCase()}`
  return (
    <ExportRunItem name={name} run={made} figures={sayFigures(made)} runs={captureExports}>
      {state === 'running' && total !== null && (
        <Progress label={`Progress of ${name}`} done={made.captures} of={total} />
      )}
      {state === 'done' && <File made={made} />}
    </ExportRunItem>
  )
}

function File({ made }: { made: CaptureExport }) {
  const { saved } = captureExports.useRuns()
  const isSaving = useExport((state) => state.now !== null)
  const { file } = made
  return (
    <div className={files['line']}>
      {file === null || saved.has(file.id) ? (
        <span className={files['figures']}>saved</span>
      ) : (
        <Button
          icon="download"
          busy={isSaving}
          onClick={() => void captureExports.save(made, file)}
        >
          Save the file
        </Button>
      )}
    </div>
  )
}

function sayFigures({ state, captures, total, bytes }: CaptureExport): string {
  const count =
    state === 'running' && total !== null
      ? `${formatNumber(captures)} of ${formatCount(total, 'capture')}`
      : formatCount(captures, 'capture')
  return `${count}, ${formatBytes(bytes)}`
}
