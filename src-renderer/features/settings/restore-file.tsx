/**
 * Restores a backup file that the user chooses. A copy is uploaded and checked, and the user
 * confirms before it replaces the data.
 */
import { create } from 'zustand'
import { attempt, request, toAppError } from '../../app/bridge.ts'
import type { InputFile } from '../../app/input-file.ts'
import { OpenFileButton } from '../../components/files/drop-zone.tsx'
import { readBase64, readPieces } from '../../components/files/read-file.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { formatBytes, formatCount, formatDay, formatMinute, fromMs } from '../../ui/format.ts'
import { Problem, Row, Stack, Text, Small } from '../../ui/layout.tsx'
import { Progress } from '../../ui/loaded.tsx'
import { announce, showToast } from '../../ui/toast.tsx'

type State = {
  readonly reading: { readonly name: string; readonly size: number; readonly done: number } | null
  readonly problem: string | null
}

const idle: State = { reading: null, problem: null }

const useRestore = create<State>(() => idle)

/**
 * A number that increases with each file and each cancellation, so that an earlier upload stops
 * before its next piece.
 */
let run = 0

export async function restoreFile(file: InputFile): Promise<void> {
  run += 1
  const own = run
  const { size } = file.blob
  const show = (done: number) =>
    useRestore.setState({ reading: { name: file.name, size, done }, problem: null })
  show(0)
  announce('Reading the backup file')
  try {
    const { id } = await request('backup.uploadStart', { bytes: size })
    let offset = 0
    for await (const { base64, to } of readPieces(file, readBase64)) {
      if (own !== run) {
        await request('backup.uploadCancel', { id })
        return
      }
      await request('backup.uploadPiece', { id, offset, base64 })
      offset = to
      show(offset)
    }
    const facts = await request('backup.uploadEnd', { id })
    if (own !== run) {
      await request('backup.uploadCancel', { id })
      return
    }
    useRestore.setState(idle)
    await restoreUpload(id, file.name, facts)
  } catch (error) {
    if (own !== run) return
    const { message } = toAppError(error)
    useRestore.setState({ reading: null, problem: `“${file.name}” was not restored. ${message}` })
  }
}

async function restoreUpload(
  id: string,
  name: string,
  { captures, newestAt }: { captures: number; newestAt: number | null },
): Promise<void> {
  const newest =
    newestAt === null
      ? ''
      : `, the newest of ${formatDay(newestAt, fromMs(Date.now()))} ${formatMinute(newestAt)}`
  const isAgreed = await confirm({
    title: `Restore the backup file “${name}”?`,
    detail: `The file was checked and contains ${formatCount(captures, 'capture')}${newest}. ${restoreDetail}`,
    action: 'Restore and restart',
    destructive: true,
  })
  if (!isAgreed) {
    await attempt('Could not delete the copy of the backup file', () =>
      request('backup.uploadCancel', { id }),
    )
    return
  }
  const result = await attempt('Could not restore the backup', () =>
    request('backup.restoreUpload', { id }),
  )
  if (result !== undefined) await restartAfterRestore(result.restartNeeded)
}

export const restoreDetail =
  'The backup replaces all captures and settings; anything newer is removed. Tondesk first creates a backup of the current data, then restarts. Forwarding rules, response rules and unfinished jobs of the backup stay off until you turn them on. Keys and tokens stay.'

export async function restartAfterRestore(restartNeeded: boolean): Promise<void> {
  if (!restartNeeded) {
    showToast({ title: 'Backup restored' })
    return
  }
  await attempt(
    'The backup is ready, but Tondesk could not restart. Restart Tondesk yourself.',
    () => request('app.restart'),
  )
}

function cancel(): void {
  run += 1
  useRestore.setState(idle)
}

export function RestoreFile() {
  const { reading, problem } = useRestore()
  return (
    <Stack gap="xs">
      {reading === null ? (
        <Row wrap>
          <OpenFileButton
            label="Restore from a file…"
            purpose="backup"
            accept=".db"
            onFile={(file) => void restoreFile(file)}
          />
          <Small>You can also drop a backup file on this page.</Small>
        </Row>
      ) : (
        <Row wrap role="status">
          <Text size="s">
            {reading.done < reading.size
              ? `Reading “${reading.name}”, ${formatBytes(reading.size)}`
              : `Checking “${reading.name}”`}
          </Text>
          <Progress label="Backup file" done={reading.done} of={reading.size} />
          <Button onClick={cancel}>Cancel</Button>
        </Row>
      )}
      <Problem>{problem}</Problem>
    </Stack>
  )
}
