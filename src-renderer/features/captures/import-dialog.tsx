/** Imports captures from a file; one import at a time. Its bytes go to the main process in pieces. */
import { create } from 'zustand'
import type { CaptureImport } from '../../../src-preload/contract/exchange.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { on, request, toAppError } from '../../app/bridge.ts'
import { DropZone, OpenFileButton } from '../../components/files/drop-zone.tsx'
import { type GivenFile, readBase64, readPieces } from '../../components/files/read-file.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { announce } from '../../ui/toast.tsx'
import { formatBytes, formatCount, formatNumber } from '../../ui/format.ts'
import { Row, Stack, Text } from '../../ui/layout.tsx'
import { Progress } from '../../ui/loaded.tsx'

type ImportState =
  | { readonly status: 'idle' }
  | {
      readonly status: 'reading'
      readonly name: string
      readonly size: number
      /** Null until the main process has started it. */
      readonly progress: CaptureImport | null
    }
  | { readonly status: 'ended'; readonly name: string; readonly progress: CaptureImport }
  | { readonly status: 'failed'; readonly name: string; readonly error: AppError }

const useImport = create<{ readonly isOpen: boolean; readonly now: ImportState }>(() => ({
  isOpen: false,
  now: { status: 'idle' },
}))

let isFollowing = false

export function openImport(): void {
  useImport.setState(({ now }) => ({
    isOpen: true,
    now: now.status === 'reading' ? now : { status: 'idle' },
  }))
}

/** An import continues; the dialog shows its result when it is opened again. */
function closeImport(): void {
  useImport.setState({ isOpen: false })
}

export async function importFile(file: GivenFile): Promise<void> {
  if (useImport.getState().now.status === 'reading') return
  follow()
  const { name, blob } = file
  const size = blob.size
  useImport.setState({ isOpen: true, now: { status: 'reading', name, size, progress: null } })
  announce('Importing')
  try {
    let progress = await request('exchange.importStart', { name, bytes: size })
    const { id } = progress
    take(progress)
    for await (const { base64, to } of readPieces(file, readBase64)) {
      if (progress.state !== 'reading') break
      if (base64 === '' && to === 0) break
      progress = await request('exchange.importPiece', { id, offset: progress.bytes, base64 })
      take(progress)
    }
    if (progress.state === 'reading') progress = await request('exchange.importEnd', { id })
    end(name, progress)
  } catch (error) {
    useImport.setState({ now: { status: 'failed', name, error: toAppError(error) } })
    announce('The import failed')
  }
}

async function cancelImport(): Promise<void> {
  const { now } = useImport.getState()
  if (now.status !== 'reading' || now.progress === null) return
  const { name, progress } = now
  end(name, await request('exchange.importCancel', { id: progress.id }))
}

function follow(): void {
  if (isFollowing) return
  isFollowing = true
  on('exchange.importChanged', (progress) => {
    const { now } = useImport.getState()
    if (
      now.status === 'reading' &&
      now.progress?.id === progress.id &&
      progress.state === 'reading'
    )
      take(progress)
  })
}

function take(progress: CaptureImport): void {
  useImport.setState(({ now }) =>
    now.status === 'reading' ? { now: { ...now, progress } } : { now },
  )
}

function end(name: string, progress: CaptureImport): void {
  useImport.setState({ now: { status: 'ended', name, progress } })
  announce(progress.state === 'done' ? 'Imported' : `The import was ${progress.state}`)
}

const accept = '.har,.jsonl,.ndjson'

/** Chooses a file or takes a dropped one, then shows progress and result. */
export function ImportDialog({ onShow }: { onShow: () => void }) {
  const { isOpen, now } = useImport()
  return (
    <Dialog
      open={isOpen}
      onClose={closeImport}
      wide
      title="Import captures"
      detail="HAR 1.2 from any program, or JSON Lines from Tondesk. Imported captures are marked. They are not counted as deliveries, not forwarded, and do not change invoices."
      {...(now.status !== 'ended' && { buttons: <Button onClick={closeImport}>Close</Button> })}
    >
      <Body now={now} onShow={onShow} />
    </Dialog>
  )
}

function Body({ now, onShow }: { now: ImportState; onShow: () => void }) {
  switch (now.status) {
    case 'idle':
      return <Choose label="Choose a file…" />
    case 'reading':
      return <Reading now={now} />
    case 'failed':
      return (
        <>
          <Text as="p" tone="bad" role="alert">
            Could not import “{now.name}”: {now.error.message}
          </Text>
          <Choose label="Choose another file…" />
        </>
      )
    case 'ended':
      return <Ended now={now} onShow={onShow} />
  }
}

function Choose({ label }: { label: string }) {
  const take = (file: File) => void importFile({ name: file.name, blob: file })
  return (
    <DropZone hint="Drop the file to import its captures" onFile={take}>
      <Row pad="xl" line="box" wrap>
        <Text tone="dim">Drop a HAR or JSON Lines file here, or</Text>
        <OpenFileButton label={label} accept={accept} onFile={take} />
      </Row>
    </DropZone>
  )
}

function Reading({ now }: { now: Extract<ImportState, { status: 'reading' }> }) {
  const { name, size, progress } = now
  const isRead = progress !== null && progress.bytes >= size
  return (
    <Stack gap="l" role="status">
      <p>
        {isRead ? `Writing the captures of “${name}”…` : `Reading “${name}”, ${formatBytes(size)}…`}
      </p>
      <Progress label="Import" done={progress?.bytes ?? 0} of={size} />
      <Row justify="between">
        <Text size="s" tone="dim">
          {formatCount(progress?.imported ?? 0, 'capture')} found
          {(progress?.skipped ?? 0) > 0 && `, ${formatNumber(progress?.skipped ?? 0)} skipped`}
        </Text>
        <Button disabled={progress === null} onClick={() => void cancelImport()}>
          Cancel
        </Button>
      </Row>
    </Stack>
  )
}

function Ended({
  now: { name, progress },
  onShow,
}: {
  now: Extract<ImportState, { status: 'ended' }>
  onShow: () => void
}) {
  const isDone = progress.state === 'done'
  const more = progress.skipped - progress.remarks.length
  return (
    <Stack gap="l">
      {isDone ? (
        <p role="status">
          {formatCount(progress.imported, 'capture')} of “{name}”{' '}
          {progress.imported === 1 ? 'is' : 'are'} in the Inspector
          {progress.skipped > 0 && `; ${formatNumber(progress.skipped)} were skipped`}.
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
          aria-label="Skipped"
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
            <Button onClick={closeImport}>Close</Button>
            <Button
              kind="main"
              onClick={() => {
                closeImport()
                onShow()
              }}
            >
              Show them
            </Button>
          </>
        ) : (
          <Choose label="Choose another file…" />
        )}
      </Row>
    </Stack>
  )
}
