import { formatBytes, formatCount, formatNumber } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DropZone, OpenFileButton } from '../../../components/files/drop-zone.tsx'
import { Row, Stack } from '../../../ui/layout.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { Text } from '../../../ui/text.tsx'
import { type ImportState, cancelImport, closeImport, importFile, useImport } from './imports.ts'
import styles from './exchange.module.css'

const accept = '.har,.jsonl,.ndjson'

/** Takes a file by choice or by dropping it; tells how it goes, and what became of it. */
export function ImportDialog({ onShow }: { onShow: () => void }) {
  const { isOpen, now } = useImport()
  return (
    <Dialog
      open={isOpen}
      onClose={closeImport}
      wide
      title="Import captures"
      detail="From HAR 1.2 of any program, or from JSON Lines of Tondesk. They are marked as imported: they count as no deliveries, feed no invoice and are not forwarded."
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
    <DropZone hint="Drop it to import its captures" className={styles['drop']} onFile={take}>
      <p>Drop a HAR or JSON Lines file here, or</p>
      <OpenFileButton label={label} accept={accept} onFile={take} />
    </DropZone>
  )
}

function Reading({ now }: { now: Extract<ImportState, { status: 'reading' }> }) {
  const { name, size, told } = now
  const isRead = told !== null && told.bytes >= size
  return (
    <Stack gap="l" role="status">
      <p>
        {isRead ? `Writing the captures of “${name}”…` : `Reading “${name}”, ${formatBytes(size)}…`}
      </p>
      <Progress label="Import" done={told?.bytes ?? 0} of={size} />
      <Row justify="between">
        <Text size="s" tone="dim">
          {formatCount(told?.imported ?? 0, 'capture')} found
          {(told?.skipped ?? 0) > 0 && `, ${formatNumber(told?.skipped ?? 0)} skipped`}
        </Text>
        <Button disabled={told === null} onClick={() => void cancelImport()}>
          Cancel
        </Button>
      </Row>
    </Stack>
  )
}

function Ended({
  now: { name, told },
  onShow,
}: {
  now: Extract<ImportState, { status: 'ended' }>
  onShow: () => void
}) {
  const isDone = told.state === 'done'
  const more = told.skipped - told.remarks.length
  return (
    <Stack gap="l">
      {isDone ? (
        <p role="status">
          {formatCount(told.imported, 'capture')} of “{name}” {told.imported === 1 ? 'is' : 'are'}{' '}
          in the inspector{told.skipped > 0 && `; ${formatNumber(told.skipped)} were left out`}.
        </p>
      ) : (
        <Text as="p" tone={told.state === 'failed' ? 'bad' : undefined} role="alert">
          {told.problem ?? 'Cancelled: nothing was imported.'}
        </Text>
      )}
      {told.remarks.length > 0 && (
        <ul className={styles['remarks']} aria-label="Left out">
          {told.remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
          {more > 0 && <li>and {formatNumber(more)} more</li>}
        </ul>
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
