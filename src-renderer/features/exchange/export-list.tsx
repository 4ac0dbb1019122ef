import type { CaptureExport } from '../../../src-preload/contract/index.ts'
import { formatBytes, formatCount, formatNumber } from '../../format.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Tag } from '../../ui/tag.tsx'
import text from '../../ui/text.module.css'
import { useExport } from '../files/save-export.ts'
import { stateTones, stateWords } from '../jobs/job-state.ts'
import { Progress } from '../progress.tsx'
import { captureExports } from './exports.ts'
import styles from './exchange.module.css'

/** What runs and what is done since the app was started; several may run. */
export function ExportList() {
  const { list, away } = captureExports.useRuns()
  const shown = list.filter((each) => !away.has(each.id))
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

function Export({ made }: { made: CaptureExport }) {
  const { saved } = captureExports.useRuns()
  const isSaving = useExport((state) => state.now !== null)
  const { file, problem } = made
  const isRunning = made.state === 'running'
  const name = file?.name ?? `Captures, ${made.format.toUpperCase()}`
  const isThere = file !== null && !saved.has(file.id)
  return (
    <li className={styles['export']} aria-label={name}>
      <div className={styles['line']}>
        <b className={text['cut']} title={name}>
          {name}
        </b>
        <Tag tone={stateTones[made.state]}>{stateWords[made.state]}</Tag>
        <span className={styles['figures']}>{sayFigures(made)}</span>
        {made.state === 'done' && isThere && (
          <Button
            icon="download"
            busy={isSaving}
            onClick={() => void captureExports.save(made, file)}
          >
            Save the file
          </Button>
        )}
        {made.state === 'done' && !isThere && <span className={styles['figures']}>saved</span>}
        <span className={styles['end']}>
          {isRunning ? (
            <Button onClick={() => void captureExports.cancel(made.id)}>Cancel</Button>
          ) : (
            <IconButton
              icon="close"
              label={`Put away: ${name}`}
              onClick={() => captureExports.putAway(made.id)}
            />
          )}
        </span>
      </div>
      {isRunning && made.total !== null && (
        <Progress label={`Progress of ${name}`} done={made.captures} of={made.total} />
      )}
      {problem !== null && (
        <p className={styles['bad']} role="status">
          {problem}
        </p>
      )}
    </li>
  )
}

function sayFigures({ state, captures, total, bytes }: CaptureExport): string {
  const count =
    state === 'running' && total !== null
      ? `${formatNumber(captures)} of ${formatCount(total, 'capture')}`
      : formatCount(captures, 'capture')
  return `${count}, ${formatBytes(bytes)}`
}
