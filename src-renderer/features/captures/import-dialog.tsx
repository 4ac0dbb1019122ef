/** Imports captures from a file, one file at a time. The bytes are sent to the main process in pieces. */
import { create } from 'zustand'
import { captureExtensions } from '../../../src-preload/domain/opened-files.ts'
import type { CaptureImport } from '../../../src-preload/contract/capture-files.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { on, request, toAppError } from '../../app/bridge.ts'
import { type DialogProps, openDialog } from '../../app/features.tsx'
import type { InputFile } from '../../app/input-file.ts'
import { DropZone, OpenFileButton } from '../../components/files/drop-zone.tsx'
import { readBase64, readPieces } from '../../components/files/read-file.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { announce } from '../../ui/toast.tsx'
import { formatBytes, formatCount, formatNumber } from '../../ui/format.ts'
import { Row, Stack, Text, Small } from '../../ui/layout.tsx'
import { Progress } from '../../ui/loaded.tsx'
import { search } from './captures-state.ts'

type Import = {
  readonly name: string
  readonly size: number
  /** Null until the main process has started the import. */
  readonly progress: CaptureImport | null
  /** The reason why the file could not be read. */
  readonly error: AppError | null
}

const useImport = create<{ readonly now: Import | null }>(() => ({ now: null }))

const isReading = ({ progress, error }: Import) =>
  error === null && (progress === null || progress.state === 'reading')

function change(part: Partial<Import>): void {
  useImport.setState(({ now }) => ({ now: now && { ...now, ...part } }))
}

async function importFile(file: InputFile): Promise<void> {
  const { now } = useImport.getState()
  if (now !== null && isReading(now)) return
  const { name, blob } = file
  useImport.setState({ now: { name, size: blob.size, progress: null, error: null } })
  announce('Importing')
  try {
    let progress = await request('captureImport.start', { name, bytes: blob.size })
    const { id } = progress
    change({ progress })
    for await (const { base64, to } of readPieces(file, readBase64)) {
      if (progress.state !== 'reading') break
      if (base64 === '' && to === 0) break
      progress = await request('captureImport.append', { id, offset: progress.bytes, base64 })
      change({ progress })
    }
    end(progress.state === 'reading' ? await request('captureImport.end', { id }) : progress)
  } catch (error) {
    change({ error: toAppError(error) })
    announce('The import failed')
  }
}

async function cancelImport({ id }: CaptureImport): Promise<void> {
  end(await request('captureImport.cancel', { id }))
}

on('captureImport.changed', (progress) => {
  const { now } = useImport.getState()
  const isCurrent = now?.progress?.id === progress.id && isReading(now)
  if (isCurrent && progress.state === 'reading') change({ progress })
})

function end(progress: CaptureImport): void {
  change({ progress })
  announce(progress.state === 'done' ? 'Imported' : `The import was ${progress.state}`)
}

const accept = captureExtensions.join(',')

/**
 * Lets the user choose a file, or asks the user to confirm a file that was opened elsewhere. Then
 * it shows the progress and the result.
 */
export function ImportDialog({ input, onClose }: DialogProps<'importCaptures'>) {
  const { now } = useImport()
  /** The import continues after closing; the dialog shows its result when it is opened again. */
  const close = () => {
    onClose()
    if (now !== null && !isReading(now)) useImport.setState({ now: null })
  }
  /** While an import runs, the dialog shows its progress instead of the question. */
  const requested = now !== null && isReading(now) ? null : input
  const begin = (file: InputFile) => {
    openDialog('importCaptures', null)
    void importFile(file)
  }
  const isEnded = now !== null && now.error === null && !isReading(now)
  let buttons = isEnded ? null : <Button onClick={close}>Close</Button>
  if (requested !== null) {
    buttons = (
      <>
        <Button onClick={close}>Cancel</Button>
        <Button kind="main" onClick={() => begin(requested)}>
          Import
        </Button>
      </>
    )
  }
  return (
    <Dialog
      open
      onClose={close}
      wide
      title="Import captures"
      detail={`${requested === null ? 'Choose a HAR 1.2 file from any program, or a JSON Lines file exported by Tondesk. ' : ''}Imported captures do not count as deliveries, are not forwarded and do not change invoices.`}
      {...(buttons !== null && { buttons })}
    >
      {requested !== null && (
        <p>
          Import the captures of “{requested.name}”, {formatBytes(requested.blob.size)}?
        </p>
      )}
      {requested === null && now === null && <Choose label="Choose a file…" />}
      {requested === null && now !== null && <Outcome now={now} onClose={close} />}
    </Dialog>
  )
}

function Outcome({ now, onClose }: { now: Import; onClose: () => void }) {
  const { name, progress, error } = now
  if (error !== null) {
    return (
      <>
        <Text as="p" tone="bad" role="alert">
          Could not import “{name}”: {error.message}
        </Text>
        <Choose label="Choose another file…" />
      </>
    )
  }
  if (progress === null || progress.state === 'reading') return <Reading now={now} />
  return <Ended name={name} progress={progress} onClose={onClose} />
}

function Choose({ label }: { label: string }) {
  const take = (file: InputFile) => void importFile(file)
  return (
    <DropZone hint="Drop the file to import its captures" onFile={take}>
      <Row pad="xl" line="box" wrap>
        <Text tone="dim">Drop a HAR or JSON Lines file here, or choose a file.</Text>
        <OpenFileButton label={label} purpose="captures" accept={accept} onFile={take} />
      </Row>
    </DropZone>
  )
}

function Reading({ now: { name, size, progress } }: { now: Import }) {
  const isRead = progress !== null && progress.bytes >= size
  return (
    <Stack gap="l" role="status">
      <p>
        {isRead ? `Writing the captures of “${name}”…` : `Reading “${name}”, ${formatBytes(size)}…`}
      </p>
      <Progress label="Import" done={progress?.bytes ?? 0} of={size} />
      <Row justify="between">
        <Small>
          {formatCount(progress?.imported ?? 0, 'capture')} found
          {(progress?.skipped ?? 0) > 0 && `, ${formatNumber(progress?.skipped ?? 0)} skipped`}
        </Small>
        <Button
          disabled={progress === null}
          onClick={() => progress && void cancelImport(progress)}
        >
          Cancel
        </Button>
      </Row>
    </Stack>
  )
}

type EndedProps = { name: string; progress: CaptureImport; onClose: () => void }

function Ended({ name, progress, onClose }: EndedProps) {
  const isDone = progress.state === 'done'
  const more = progress.skipped - progress.remarks.length
  return (
    <Stack gap="l">
      {isDone ? (
        <p role="status">
          {formatCount(progress.imported, 'capture')} imported from “{name}”
          {progress.skipped > 0 && `, ${formatNumber(progress.skipped)} skipped`}.
        </p>
      ) : (
        <Text as="p" tone={progress.state === 'failed' ? 'bad' : undefined} role="alert">
          {progress.problem ?? 'Cancelled. Nothing was imported.'}
        </Text>
      )}
      {progress.remarks.length > 0 && (
        <Stack
          as="ul"
          pad="s"
          line="box"
          gap="xs"
          scroll
          style={{ maxHeight: 160 }}
          aria-label="Skipped entries"
        >
          {progress.remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
          {more > 0 && <li>and {formatNumber(more)} more</li>}
        </Stack>
      )}
      <Row justify="end">
        {isDone ? (
          <>
            <Button onClick={onClose}>Close</Button>
            <Button
              kind="main"
              onClick={() => {
                onClose()
                search('origin:imported')
              }}
            >
              Show imported captures
            </Button>
          </>
        ) : (
          <Choose label="Choose another file…" />
        )}
      </Row>
    </Stack>
  )
}
